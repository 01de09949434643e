package conformance

import (
	"errors"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/pyexpr"
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
	called := make(map[string]bool)
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, c := range file.Cases {
			t.Run(c.Name, func(t *testing.T) { c.check(t, dev, called) })
		}
	})
	refuseStale(t, withoutSecond, called)
}

// withoutSecond lists the functions of these recordings that are not there, with the reason.
var withoutSecond = map[string]string{
	"torch.linalg.inv": notThere,
}

func (c *secondCase) check(t *testing.T, dev device.Device, called map[string]bool) {
	const tolerance = 1e-8
	x := make([]*tensor.Tensor, len(c.In))
	for i, r := range c.In {
		x[i] = r.on(dev).SetRequiresGrad(true)
	}
	value, err := environmentOf(dev, x).Eval(c.Call)
	if unknown, ok := errors.AsType[*pyexpr.UnknownError](err); ok && withoutSecond[unknown.Name] != "" {
		called[unknown.Name] = true
		return
	}
	if err != nil {
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
