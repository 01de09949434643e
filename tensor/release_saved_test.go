package tensor_test

import (
	"errors"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestReleaseSaved wants the gradients of an ordinary Backward, with results of the scope released that gradients needed and no others.
func TestReleaseSaved(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, low := range []bool{false, true} {
			tensor.ManualSeed(1)
			x, w, v := tensor.On(dev).Randn(3, 4), tensor.Parameter(tensor.On(dev).Randn(5, 4)), tensor.Parameter(tensor.On(dev).Randn(4, 5))
			type results struct{ in, h, y, z, loss *tensor.Tensor }
			run := func(opts ...tensor.BackwardOption) (r results, close func()) {
				var with []tensor.ScopeOption
				if low {
					with = append(with, tensor.Autocast(dtype.BFloat16))
				}
				s := tensor.NewScope(with...)
				w.ZeroGrad()
				v.ZeroGrad()
				r.in = s.Enter(x).MulScalar(2) // belongs to the scope, and no gradient goes there
				for range 2 {                  // twice, of which the second needs casts anew
					r.h = r.in.Linear(w, nil).Tanh()
					r.y = r.h.Linear(v, nil).Add(r.in)
					r.z = r.y.Softmax(-1)
					r.loss = r.z.Mul(r.z).Float().Sum().Exp()
					r.loss.Backward(opts...)
				}
				return r, s.Close
			}
			kept, close := run()
			want := []*tensor.Tensor{w.Grad().Clone(), v.Grad().Clone(), tensor.Of([]float64{kept.loss.Float64()})}
			close()
			r, close := run(tensor.ReleaseSaved(true))
			for i, got := range []*tensor.Tensor{w.Grad(), v.Grad(), tensor.Of([]float64{r.loss.Float64()})} {
				if !got.Equal(want[i]) {
					t.Errorf("bfloat16 %v: value %d is %v, not %v", low, i, got, want[i])
				}
			}
			for name, gone := range map[string]*tensor.Tensor{"h": r.h, "z": r.z} {
				if err := tensor.Try(func() { gone.Sum() }); !errors.Is(err, tensor.ErrReleased) {
					t.Errorf("bfloat16 %v: %s was needed and is there: %v", low, name, err)
				}
			}
			if err := tensor.Try(func() { r.in.Sum(); r.y.Sum() }); err != nil {
				t.Errorf("bfloat16 %v: what gradients do not need: %v", low, err)
			}
			close()
		}
	})
}

// TestReleaseSavedLeavesOtherGraphs keeps what another graph has saved, and what is retained, and releases with the last use.
func TestReleaseSavedLeavesOtherGraphs(t *testing.T) {
	s := tensor.NewScope()
	defer s.Close()
	x := tensor.Of([]float32{1, 2}).SetRequiresGrad(true)
	h := s.Enter(x).Exp()
	a, b := h.Mul(h).Sum(), h.Sin().Sum()
	a.Backward(tensor.ReleaseSaved(true), tensor.RetainGraph(true))
	a.Backward()
	h.Sum()
	if err := tensor.Try(func() { b.Backward(tensor.ReleaseSaved(true)) }); err == nil {
		t.Error("the first graph had given up what exp saved")
	}
	y := s.Enter(x).Exp()
	c, d := y.Mul(y).Sum(), y.Cos().Sum()
	tensor.Grad(c, []*tensor.Tensor{y}, tensor.ReleaseSaved(true))
	y.Sum() // d needs it
	d.Backward(tensor.ReleaseSaved(true))
	if err := tensor.Try(func() { y.Sum() }); !errors.Is(err, tensor.ErrReleased) {
		t.Errorf("the last use releases: %v", err)
	}
}
