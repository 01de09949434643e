package tensor

import (
	"errors"
	"math"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
)

func TestSort(t *testing.T) {
	nan := math.NaN()
	x := FromSlice([]float64{3, nan, 1, 3, 2, 0}, 2, 3)
	for _, c := range []struct {
		axis       int
		descending bool
		values     []float64
		indices    []int64
	}{
		{1, false, []float64{1, 3, nan, 0, 2, 3}, []int64{2, 0, 1, 2, 1, 0}},
		{-1, true, []float64{nan, 3, 1, 3, 2, 0}, []int64{1, 0, 2, 0, 1, 2}},
		{0, false, []float64{3, 2, 0, 3, nan, 1}, []int64{0, 1, 1, 1, 0, 0}},
		{0, true, []float64{3, nan, 1, 3, 2, 0}, []int64{0, 0, 0, 1, 1, 1}},
	} {
		for _, x := range []*Tensor{x, stridedCopy(x), x.Half(), x.Float()} {
			v, i := x.Sort(c.axis, Descending(c.descending))
			if got := Values[float64](v); !closeTo(got, c.values, 0) {
				t.Errorf("Sort(%d, %v) of %s = %v, want %v", c.axis, c.descending, x.DType(), got, c.values)
			}
			if got := Data[int64](i); !slices.Equal(got, c.indices) {
				t.Errorf("Sort(%d, %v) indices %v, want %v", c.axis, c.descending, got, c.indices)
			}
		}
	}
}

func TestTopK(t *testing.T) {
	x := FromSlice([]float64{3, 7, 1, 4, 2, 9}, 2, 3).SetRequiresGrad(true)
	v, i := x.TopK(2, 1)
	if got, want := Values[float64](v), []float64{7, 3, 9, 4}; !slices.Equal(got, want) {
		t.Errorf("values %v, want %v", got, want)
	}
	if got, want := Data[int64](i), []int64{1, 0, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("indices %v, want %v", got, want)
	}
	v.Backward(Gradient(FromSlice([]float64{1, 2, 3, 4}, 2, 2)))
	if got, want := Values[float64](x.Grad()), []float64{2, 1, 0, 4, 0, 3}; !slices.Equal(got, want) {
		t.Errorf("gradient %v, want %v", got, want)
	}
	if got, want := v.GradFn(), "TopkBackward0"; got != want {
		t.Errorf("grad_fn %s, want %s", got, want)
	}
	if v, _ := Ones().Sort(0, false); v.Dim() != 0 {
		t.Errorf("a sorted number has shape %v", v.Shape())
	}
}

// However few are wanted, they are those that sorting all puts first.
func TestTopKIsTheStartOfSort(t *testing.T) {
	ManualSeed(5)
	x := RandInt(0, 30, 3, 200).Float()
	for _, largest := range []bool{false, true} {
		v, i := x.Sort(1, Descending(largest))
		for _, k := range []int{0, 1, 5, 32, 33, 200} {
			gotV, gotI := x.TopK(k, 1, Largest(largest))
			if want := v.Narrow(1, 0, k); !slices.Equal(Values[float32](gotV), Values[float32](want)) {
				t.Errorf("the first %d of %v are %v, want %v", k, x, gotV, want)
			}
			if want := i.Narrow(1, 0, k); !slices.Equal(Values[int64](gotI), Values[int64](want)) {
				t.Errorf("the first %d of %v were at %v, want %v", k, x, gotI, want)
			}
		}
	}
}

func TestNonZero(t *testing.T) {
	x := FromSlice([]float32{0, 1, 0, float32(math.NaN()), 0, -2}, 2, 3)
	if got, want := Data[int64](x.NonZero()), []int64{0, 1, 1, 0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("NonZero = %v, want %v", got, want)
	}
	for _, c := range []struct {
		x    *Tensor
		want Shape
	}{{Ones(), Shape{1, 0}}, {Zeros(), Shape{0, 0}}, {Zeros(2, 0), Shape{0, 2}}, {x.T(), Shape{3, 2}}} {
		if got := c.x.NonZero().Shape(); !got.Equal(c.want) {
			t.Errorf("NonZero of %v has shape %v, want %v", c.x, got, c.want)
		}
	}
}

func TestOneHot(t *testing.T) {
	x := longs(2, 0, 1, 1).View(2, 2)
	want := []int64{0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0}
	for _, classes := range []int{-1, 3} {
		y := OneHot(x, classes)
		if got := Data[int64](y); !slices.Equal(got, want) || !y.Shape().Equal(Shape{2, 2, 3}) {
			t.Errorf("OneHot(%d) = %v %v, want %v", classes, y.Shape(), got, want)
		}
	}
	if got, want := OneHot(longs(), 3).Shape(), (Shape{0, 3}); !got.Equal(want) {
		t.Errorf("OneHot of nothing has shape %v, want %v", got, want)
	}
}

func TestEmbeddingPaddingGetsNoGradient(t *testing.T) {
	for _, padding := range []int{1, -2} {
		w := Ones(3, 2).SetRequiresGrad(true)
		Embedding(w, longs(0, 1, 0), PaddingIndex(padding)).Sum().Backward()
		if got, want := Values[float64](w.Grad()), []float64{2, 2, 0, 0, 0, 0}; !slices.Equal(got, want) {
			t.Errorf("padding %d: gradient %v, want %v", padding, got, want)
		}
	}
}

// Sums that meet in one place are made in the order of the index, so the bits are those of the plain loop, on any number
// of threads.
func TestIndexSumsHaveOneOrder(t *testing.T) {
	const rows, cols, n = 7, 300, 2000
	ManualSeed(3)
	src, index := Randn(n, cols), RandInt(0, rows, n)
	want := make([]float32, rows*cols)
	for i, r := range Data[int64](index) {
		for c, v := range Data[float32](src)[i*cols : (i+1)*cols] {
			want[int(r)*cols+c] += v
		}
	}
	wide := index.Unsqueeze(1).Expand(n, cols)
	w := Zeros(rows, cols).SetRequiresGrad(true)
	Embedding(w, index).Backward(Gradient(src))
	for name, got := range map[string]*Tensor{
		"IndexAdd":          Zeros(rows, cols).IndexAdd(0, index, src),
		"IndexAdd columns":  Zeros(cols, rows).IndexAdd(1, index, src.T()).T(),
		"ScatterAdd":        Zeros(rows, cols).ScatterAdd(0, wide, src),
		"gradient of a row": w.Grad(),
	} {
		if !slices.Equal(Values[float32](got), want) {
			t.Errorf("%s differs from the plain loop", name)
		}
	}
}

func TestCatPromotes(t *testing.T) {
	y := Cat([]*Tensor{longs(1, 2), FromSlice([]float32{0.5}), Zeros(0)}, 0)
	if got, want := Values[float64](y), []float64{1, 2, 0.5}; y.DType() != dtype.Float32 || !slices.Equal(got, want) {
		t.Errorf("Cat = %v of %s, want %v of float32", got, y.DType(), want)
	}
	if got, want := Cat([]*Tensor{Zeros(0), Zeros(0)}, 0).Shape(), (Shape{0}); !got.Equal(want) {
		t.Errorf("Cat of empty tensors has shape %v, want %v", got, want)
	}
}

// An index out of range leaves no trace.
func TestIndexIsCheckedFirst(t *testing.T) {
	w := Ones(3, 2).SetRequiresGrad(true)
	if err := Try(func() { Embedding(w, longs(0, 9)) }); err == nil {
		t.Error("no error")
	}
	if w.Grad() != nil || w.Version() != 0 {
		t.Error("the weight was touched")
	}
}

func BenchmarkIndexSelectRows(b *testing.B) {
	x, index := Rand(10000, 64), RandInt(0, 10000, 512)
	b.SetBytes(512 * 64 * 4)
	for b.Loop() {
		x.IndexSelect(0, index)
	}
}

func TestIndexOnAnotherDevice(t *testing.T) {
	there := longs(0, 1)
	there.storage.device = device.CUDA(1)
	checkErrors(t, []errorCase{
		{text: "indices should be either on cpu or on the same device as the indexed tensor (cpu)", kind: ErrDevice,
			do: func() { Ones(3).Index(there) }},
		{text: "Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:1! (when checking argument for argument index in method wrapper_CUDA__index_select)",
			kind: ErrDevice, do: func() { Ones(3).IndexSelect(0, there) }},
		{text: "Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:1! (when checking argument for argument index in method wrapper_CUDA_gather)",
			kind: ErrDevice, do: func() { Ones(3).Gather(0, there) }},
	})
}

// TestIndexAddAlphaOfIntegers wants what PyTorch does: an alpha loses its fraction, and one beyond int64 is refused.
func TestIndexAddAlphaOfIntegers(t *testing.T) {
	add := func(alpha float64) *Tensor {
		return Of([]int32{0, 0}).IndexAdd(0, longs(1), Of([]int32{3}), Alpha(alpha))
	}
	if got, want := Values[int32](add(-2.7)), []int32{0, -6}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, alpha := range []float64{1e30, math.NaN()} {
		err := Try(func() { add(alpha) })
		if want := "value cannot be converted to type int64_t without overflow"; !errors.Is(err, ErrValue) || err.Error() != want {
			t.Errorf("alpha %v: got %v, want %s", alpha, err, want)
		}
	}
}

// TestNarrowIndexes wants gather and its kin to take int32, as PyTorch has done since indexes of that type halve an index's memory.
func TestNarrowIndexes(t *testing.T) {
	x, at := Of([]float32{1, 2, 3}), Of([]int32{2, 0})
	for name, f := range map[string]func(at *Tensor) *Tensor{
		"gather":         func(at *Tensor) *Tensor { return x.Gather(0, at) },
		"scatter":        func(at *Tensor) *Tensor { return x.Scatter(0, at, Of([]float32{7, 8})) },
		"scatter_add":    func(at *Tensor) *Tensor { return x.ScatterAdd(0, at, Of([]float32{7, 8})) },
		"scatter_reduce": func(at *Tensor) *Tensor { return x.ScatterReduce(0, at, Of([]float32{7, 8}), "prod") },
	} {
		if got, want := f(at), f(at.Long()); !got.Equal(want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// TestPadCircularThatCrops wants the circle to be what negative pads leave.
func TestPadCircularThatCrops(t *testing.T) {
	for _, c := range []struct {
		pads []int
		want []float32
	}{
		{[]int{-1, 1}, []float32{1, 2, 3, 1}},
		{[]int{-1, 2}, []float32{1, 2, 3, 1, 2}},
		{[]int{2, -1}, []float32{1, 2, 0, 1, 2}},
		{[]int{-1, -1}, []float32{1, 2}},
	} {
		if got := Values[float32](Arange(0.0, 4, 1).Float().View(1, 4).PadCircular(c.pads)); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.pads, got, c.want)
		}
	}
}
