package conformance

import (
	"errors"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// secondCase is a recorded function, its gradients under a weight, and theirs, the sum of which is weighted too.
type secondCase struct {
	Name, Call     string
	In, Grad       []*recorded
	Out, Weight    *recorded
	SecondWeight   []*recorded `json:"second_weight"`
	Second         []*recorded
	SecondByWeight *recorded `json:"second_by_weight"`
}

// TestSecondDerivatives differentiates gradients as PyTorch did.
func TestSecondDerivatives(t *testing.T) {
	var file struct{ Cases []secondCase }
	read(t, "ops", "second_derivatives.json", &file)
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, c := range file.Cases {
			t.Run(c.Name, func(t *testing.T) { c.check(t, dev) })
		}
	})
}

func (c *secondCase) check(t *testing.T, dev device.Device) {
	const tolerance = 1e-8
	x := make([]*tensor.Tensor, len(c.In))
	for i, r := range c.In {
		x[i] = r.on(dev).SetRequiresGrad(true)
	}
	var value any
	var err error
	failure := tensor.Try(func() { value, err = environmentOf(dev, x).Eval(c.Call) })
	if dev.IsCUDA() && withoutKernel["linalg."+c.Name] != "" && errors.Is(failure, tensor.ErrKernel) {
		return
	}
	if err := errors.Join(failure, err); err != nil {
		t.Fatal(err)
	}
	y, weight := value.(*tensor.Tensor), c.Weight.on(dev).SetRequiresGrad(true)
	c.Out.compare(t, "result", y, tolerance)
	grads := tensor.Grad(y.Mul(weight).Sum(), x, tensor.CreateGraph(true))
	z := tensor.Zeros().To(y)
	for i, g := range grads {
		c.Grad[i].compare(t, "gradient", g, tolerance)
		z = z.Add(g.Mul(c.SecondWeight[i].on(dev)).Sum())
	}
	second := tensor.Grad(z, append(x, weight), tensor.AllowUnused(true))
	for i, want := range append(c.Second, c.SecondByWeight) {
		switch {
		case want != nil:
			want.compare(t, "second derivative", second[i], tolerance)
		case second[i] != nil && second[i].Abs().Sum().Item() != 0.0:
			t.Errorf("second derivative %d is %v, want none", i, second[i])
		}
	}
}
