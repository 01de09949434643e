package tensor_test

import (
	"errors"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestZeroGradGivesMemoryBack wants it back at once, unless somebody may still look at it.
func TestZeroGradGivesMemoryBack(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		w := tensor.Parameter(tensor.On(dev).Rand(32, 32))
		backward := func() *tensor.Tensor {
			w.MulScalar(2).Sum().Backward()
			return inner.BorrowGrad(w)
		}
		borrowed := backward()
		w.ZeroGrad()
		if err := tensor.Try(func() { borrowed.Sum() }); !errors.Is(err, tensor.ErrReleased) {
			t.Errorf("a borrowed gradient after ZeroGrad: %v", err)
		}
		backward()
		kept := w.Grad()
		w.ZeroGrad()
		backward()
		if got := kept.Sum().Float64(); got != 2*32*32 {
			t.Errorf("a gradient that was kept sums up to %v", got)
		}
		var hooked *tensor.Tensor
		remove := w.RegisterHook(func(g *tensor.Tensor) *tensor.Tensor { hooked = g; return nil })
		backward()
		remove()
		w.ZeroGrad()
		if got := hooked.Sum().Float64(); got != 2*32*32 {
			t.Errorf("a gradient that a hook kept sums up to %v", got)
		}
		own := tensor.OnesLike(w)
		w.SetGrad(own)
		if inner.BorrowGrad(w) == nil {
			t.Error("there is no gradient to borrow")
		}
		w.ZeroGrad()
		if got := own.Sum().Float64(); got != 32*32 {
			t.Errorf("a gradient of the caller's sums up to %v", got)
		}
		if inner.BorrowGrad(w) != nil || inner.BorrowGrad(w.MulScalar(2)) != nil {
			t.Error("a gradient is left, or a computed tensor has one")
		}
	})
}
