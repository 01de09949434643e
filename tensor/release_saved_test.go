package tensor_test

import (
	"errors"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/friend"
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

// TestSpent gives back what a scope owns and no gradient needs, and nothing else.
func TestSpent(t *testing.T) {
	spent := friend.Of[*tensor.Tensor]().Spent
	x := tensor.Of([]float32{1, 2}).SetRequiresGrad(true)
	free := x.Exp()
	spent(x, free)
	s := tensor.NewScope()
	defer s.Close()
	in := s.Enter(x)
	saved, dead, kept := in.Exp(), in.AddScalar(1), s.Keep(in.AddScalar(2))
	loss := saved.Mul(saved).Add(dead).Sum()
	spent(in, saved, dead, kept)
	if err := tensor.Try(func() { dead.Sum() }); !errors.Is(err, tensor.ErrReleased) {
		t.Errorf("what nothing needs is there: %v", err)
	}
	if err := tensor.Try(func() { free.Sum(); saved.Sum(); kept.Sum(); in.Sum(); loss.Backward() }); err != nil {
		t.Error(err)
	}
	if want := tensor.Of([]float32{1, 2}).MulScalar(2).Exp().MulScalar(2).AddScalar(1); !x.Grad().AllClose(want, 1e-6, 0) {
		t.Errorf("gradient %v, want %v", x.Grad(), want)
	}
}
