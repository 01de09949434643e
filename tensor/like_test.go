package tensor

import (
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
)

// TestLike makes tensors after another one: its shape, dtype and device.
func TestLike(t *testing.T) {
	x := Arange(0, 6, 1).View(2, 3).To(dtype.Int32)
	f := Ones(2, 3).Double()
	for name, y := range map[string]*Tensor{
		"EmptyLike": EmptyLike(x), "FullLike": FullLike(x, 7), "RandIntLike": RandIntLike(x, 3, 5),
		"ExpandAs": Of([]int32{1, 2, 3}).ExpandAs(x), "ViewAs": Arange(0, 6, 1).Int().ViewAs(x),
	} {
		if !y.Shape().Equal(x.Shape()) || y.DType() != dtype.Int32 || y.Device() != x.Device() || y.IsCUDA() {
			t.Errorf("%s: %v", name, y)
		}
	}
	if got, want := FullLike(x, 7).String(), "tensor([[7, 7, 7],\n        [7, 7, 7]], dtype=torch.int32)"; got != want {
		t.Errorf("FullLike: got %s, want %s", got, want)
	}
	if got, want := Of([]int{1, 2, 3}).ExpandAs(x).String(), "tensor([[1, 2, 3],\n        [1, 2, 3]])"; got != want {
		t.Errorf("ExpandAs: got %s, want %s", got, want)
	}
	y := Arange(0, 6, 1)
	if v := y.ViewAs(x); !v.SharesStorage(y) || v.At(1, 0).Item() != int64(3) {
		t.Errorf("ViewAs: %v", v)
	}
	ManualSeed(5)
	got := []*Tensor{RandLike(f), RandIntLike(x, 3, 5)}
	ManualSeed(5)
	want := []*Tensor{float64s.Rand(2, 3), Place{}.As(dtype.Int32).RandInt(3, 5, 2, 3)}
	if !got[0].Equal(want[0]) || !got[1].Equal(want[1]) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestDrawsLikeAViewAreInItsOrderOfMemory wants what PyTorch draws like a transposed tensor: its draws, transposed.
func TestDrawsLikeAViewAreInItsOrderOfMemory(t *testing.T) {
	x := Ones(4, 6).Slice(1, 0, 6, 2).T() // with gaps
	for name, c := range map[string]struct{ like, of func() *Tensor }{
		"RandLike":    {func() *Tensor { return RandLike(x) }, func() *Tensor { return Rand(4, 3) }},
		"RandnLike":   {func() *Tensor { return RandnLike(x) }, func() *Tensor { return Randn(4, 3) }},
		"RandIntLike": {func() *Tensor { return RandIntLike(x, 0, 99) }, func() *Tensor { return Like(x).RandInt(0, 99, 4, 3) }},
		"EmptyLike":   {func() *Tensor { return EmptyLike(x).UniformInPlace(0, 1) }, func() *Tensor { return Rand(4, 3) }},
	} {
		ManualSeed(5)
		got := c.like()
		ManualSeed(5)
		if want := c.of().T(); !got.Equal(want) || !slices.Equal(got.Stride(), want.Stride()) {
			t.Errorf("%s: got %v with strides %v, want %v with %v", name, got, got.Stride(), want, want.Stride())
		}
	}
}

func TestStorageOffset(t *testing.T) {
	x := Arange(0, 12, 1).View(3, 4)
	if got, want := x.Slice(0, 1, 3).Select(1, 2).StorageOffset(), 6; got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestDefaultGenerator(t *testing.T) {
	g := DefaultGenerator(device.CPU)
	g.ManualSeed(9)
	state := g.State()
	a := Rand(3)
	g.SetState(state)
	if b := Rand(3); !a.Equal(b) || InitialSeed() != 9 {
		t.Errorf("drew %v and %v", a, b)
	}
}

func TestSetDataKeepsTheLeaf(t *testing.T) {
	x := Ones(2).SetRequiresGrad(true)
	x.MulScalar(2).Sum().Backward()
	x.SetData(Of([]float64{5, 6}))
	if got, want := x.String(), "tensor([5., 6.], dtype=torch.float64, requires_grad=True)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	x.Mul(x).Sum().Backward()
	if got, want := x.Grad().String(), "tensor([12., 14.], dtype=torch.float64)"; got != want {
		t.Errorf("gradient %s, want %s", got, want)
	}
}
