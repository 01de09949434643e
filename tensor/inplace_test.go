package tensor

import (
	"testing"

	"cresset/dtype"
)

func TestInPlaceWritesTheSharedMemory(t *testing.T) {
	s := []float32{1, 2, 3, 4}
	x := FromSlice(s, 2, 2)
	if y := x.AddScalarInPlace(2); y != x {
		t.Error("AddScalarInPlace does not return its tensor")
	}
	x.T().MulInPlace(FromSlice([]float32{1, 10}))
	want := []float64{3, 4, 50, 60}
	if got := Values[float64](FromSlice(s)); !closeTo(got, want, 0) {
		t.Errorf("got %v, want %v", got, want)
	}
	if x.Version() != 2 {
		t.Errorf("version is %d, want 2", x.Version())
	}
}

func TestInPlaceOfDTypes(t *testing.T) {
	tests := []struct {
		name string
		got  *Tensor
		want []float64
	}{
		{"int64 += int32", Of([]int{1, 2}).AddInPlace(Of([]int{1, 2}).Int()), []float64{2, 4}},
		{"int32 += int64", Of([]int{1, 2}).Int().AddInPlace(Of([]int{1, 2})), []float64{2, 4}},
		{"int32 *= bool", Of([]int{1, 2}).Int().MulInPlace(Of([]bool{true, false})), []float64{1, 0}},
		{"bool += bool", Of([]bool{true, false}).AddInPlace(Of([]bool{true, true})), []float64{1, 1}},
		{"half += float", Of([]float32{1, 2}).Half().AddInPlace(Of([]float32{1.5, 2})), []float64{2.5, 4}},
		{"half /= 4", Of([]float32{1, 2}).Half().DivScalarInPlace(4), []float64{0.25, 0.5}},
		{"half.exp_", Of([]float32{0, 1}).BFloat16().ExpInPlace(), []float64{1, 2.71875}},
		{"int copy_ float", Zeros(2).Long().CopyInPlace(Of([]float64{1.9, -1.9})), []float64{1, -1}},
		{"copy_ broadcast", Zeros(2, 2).CopyInPlace(Of([]float32{1, 2})), []float64{1, 2, 1, 2}},
		{"fill_", Zeros(2).FillInPlace(3), []float64{3, 3}},
		{"zero_", Ones(2).ZeroInPlace(), []float64{0, 0}},
		{"int relu_", Of([]int{-1, 2}).ReLUInPlace(), []float64{0, 2}},
		{"clamp_", Of([]float32{-1, 2}).ClampInPlace(nil, 1.5), []float64{-1, 1.5}},
		{"masked_fill_", Of([]int{1, 2}).MaskedFillInPlace(Of([]bool{true, false}), 7.9), []float64{7, 2}},
		{"add_ scaled", Of([]int{1, 2}).AddScaledInPlace(Of([]int{10, 20}), 2), []float64{21, 42}},
		{"empty", Zeros(0, 3).AddInPlace(Ones(3)), []float64{}},
	}
	for _, test := range tests {
		if got := Values[float64](test.got); !closeTo(got, test.want, 0) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
	if got := Ones(2).Half().MulInPlace(Ones(2)).DType(); got != dtype.Float16 {
		t.Errorf("half *= float is %v", got)
	}
}

func TestInPlaceOfOverlappingOperands(t *testing.T) {
	x := Of([][]float32{{1, 2}, {3, 4}})
	x.AddInPlace(x.T())
	if got, want := Values[float64](x), []float64{2, 5, 5, 8}; !closeTo(got, want, 0) {
		t.Errorf("x += xᵀ: got %v, want %v", got, want)
	}
	y := Of([]float32{1, 2, 3, 4})
	part := func(start int) *Tensor { return y.alias(y.layout.Narrow(nil, 0, start, start+3, 1)) }
	part(1).CopyInPlace(part(0))
	if got, want := Values[float64](y), []float64{1, 1, 2, 3}; !closeTo(got, want, 0) {
		t.Errorf("shifted copy: got %v, want %v", got, want)
	}
	part(1).SubInPlace(part(0))
	if got, want := Values[float64](y), []float64{1, 0, 1, 1}; !closeTo(got, want, 0) {
		t.Errorf("shifted difference: got %v, want %v", got, want)
	}
}

func TestInPlaceGradients(t *testing.T) {
	tests := []struct {
		name string
		do   func(x, y *Tensor) *Tensor // of two leaves
		x, y []float64                  // gradients of the sum
		fn   string
	}{
		{"add_", func(x, y *Tensor) *Tensor { return x.MulScalar(3).AddInPlace(y) }, []float64{3, 3}, []float64{1, 1}, "AddBackward0"},
		{"mul_", func(x, y *Tensor) *Tensor { return Ones(2).Double().MulInPlace(y).MulScalarInPlace(2) }, nil, []float64{2, 2}, "MulBackward0"},
		{"div_", func(x, y *Tensor) *Tensor { return x.MulScalar(2).DivScalarInPlace(4) }, []float64{0.5, 0.5}, nil, "DivBackward0"},
		{"exp_", func(x, y *Tensor) *Tensor { return x.MulScalar(0).ExpInPlace().MulScalar(2) }, []float64{0, 0}, nil, "MulBackward0"},
		{"sqrt_", func(x, y *Tensor) *Tensor { return x.Square().SqrtInPlace() }, []float64{1, 1}, nil, "SqrtBackward0"},
		{"copy_", func(x, y *Tensor) *Tensor { return x.MulScalar(2).CopyInPlace(y) }, []float64{0, 0}, []float64{1, 1}, "CopyBackwards"},
		{"copy_ to a fresh tensor", func(x, y *Tensor) *Tensor { return Zeros(3, 2).CopyInPlace(y) }, nil, []float64{3, 3}, "CopyBackwards"},
		{"zero_", func(x, y *Tensor) *Tensor { return x.MulScalar(2).ZeroInPlace() }, []float64{0, 0}, nil, "ZeroBackward0"},
		{"fill_", func(x, y *Tensor) *Tensor { return x.MulScalar(2).FillInPlace(3) }, []float64{0, 0}, nil, "FillBackward2"},
	}
	for _, test := range tests {
		x := Of([]float64{1, 2}).SetRequiresGrad(true)
		y := Of([]float64{3, 4}).SetRequiresGrad(true)
		out := test.do(x, y)
		if out.GradFn() != test.fn {
			t.Errorf("%s: grad_fn is %s, want %s", test.name, out.GradFn(), test.fn)
		}
		out.Sum().Backward()
		for _, leaf := range []struct {
			name string
			grad *Tensor
			want []float64
		}{{"x", x.Grad(), test.x}, {"y", y.Grad(), test.y}} {
			switch {
			case (leaf.grad == nil) != (leaf.want == nil):
				t.Errorf("%s: gradient of %s is %v, want %v", test.name, leaf.name, leaf.grad, leaf.want)
			case leaf.grad != nil && !closeTo(Values[float64](leaf.grad), leaf.want, 1e-12):
				t.Errorf("%s: gradient of %s is %v, want %v", test.name, leaf.name, Values[float64](leaf.grad), leaf.want)
			}
		}
	}
}

func TestInPlaceAutogradErrors(t *testing.T) {
	leaf := func() *Tensor { return Ones(2).SetRequiresGrad(true) }
	changed := func(maker string) string {
		return "one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [2]], " +
			"which is output 0 of " + maker + ", is at version 1; expected version 0 instead. Hint: enable anomaly detection to find the " +
			"operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True)."
	}
	const partOfLeaf = "a view of a leaf Variable that requires grad is being used in an in-place operation."
	const wholeLeaf = "a leaf Variable that requires grad is being used in an in-place operation."
	checkErrors(t, []errorCase{
		{text: partOfLeaf, kind: ErrAutograd, do: func() { leaf().SetIndex(0, 0) }},
		{text: partOfLeaf, kind: ErrAutograd, do: func() { leaf().SetIndex(leaf().Sum(), Span(0, 1)) }},
		{text: partOfLeaf, kind: ErrAutograd, do: func() { leaf().SetIndex(0, nil) }},
		{text: wholeLeaf, kind: ErrAutograd, do: func() { leaf().SetIndex(0, All) }},
		{text: wholeLeaf, kind: ErrAutograd, do: func() { leaf().SetIndex(0, Ellipsis) }},
		{text: wholeLeaf, kind: ErrAutograd, do: func() { leaf().SetIndex(0, Of([]int{0})) }},
		{text: wholeLeaf, kind: ErrAutograd, do: func() { leaf().SetIndex(0, leaf().GtScalar(0)) }},
		{text: "a leaf Variable that requires grad is being used in an in-place operation.", kind: ErrAutograd, do: func() { leaf().AddScalarInPlace(1) }},
		{text: "a leaf Variable that requires grad is being used in an in-place operation.", kind: ErrAutograd, do: func() { leaf().MulScalarInPlace(2) }},
		{text: "a leaf Variable that requires grad is being used in an in-place operation.", kind: ErrAutograd, do: func() { leaf().CopyInPlace(Ones(2)) }},
		{text: "a view of a leaf Variable that requires grad is being used in an in-place operation.", kind: ErrAutograd,
			do: func() { leaf().View(2, 1).View(2).ZeroInPlace() }},
		{text: "in-place operations on a view of a tensor that tracks gradients are not supported; change the tensor itself, or make a new one",
			kind: ErrAutograd, do: func() { leaf().MulScalar(2).View(2, 1).ZeroInPlace() }},
		{text: "in-place operations on a view of a tensor that tracks gradients are not supported; change the tensor itself, or make a new one",
			kind: ErrAutograd, do: func() { Zeros(2).View(2, 1).CopyInPlace(leaf()) }},
		{text: "in-place operations on a view of a tensor that tracks gradients are not supported; change the tensor itself, or make a new one",
			kind: ErrAutograd, do: func() { Zeros(2).View(2, 1).MaskedFillInPlace(Ones(2, 1).Bool(), leaf().Sum()) }},
		{text: "in-place operations on a view of a tensor that tracks gradients are not supported; change the tensor itself, or make a new one",
			kind: ErrAutograd, do: func() { Zeros(2).View(2, 1).ClampInPlace(nil, leaf().Sum()) }},
		{text: changed("ExpBackward0"), kind: ErrAutograd, do: func() {
			y := leaf().Exp()
			y.Detach().AddScalarInPlace(1)
			y.Sum().Backward()
		}},
		{text: changed("ExpBackward0"), kind: ErrAutograd, do: func() { leaf().Exp().AddScalarInPlace(1).Sum().Backward() }},
		{text: changed("AddBackward0"), kind: ErrAutograd, do: func() {
			y := leaf().AddScalar(1)
			z := y.Mul(y)
			y.AddScalarInPlace(1)
			z.Sum().Backward()
		}},
		{text: changed("MulBackward0"), kind: ErrAutograd, do: func() {
			y := leaf().AddScalar(1)
			z := y.Mul(y)
			y.MulScalarInPlace(2)
			z.Sum().Backward()
		}},
		{text: changed("AddBackward0"), kind: ErrAutograd, do: func() {
			y := leaf().AddScalar(1)
			z := y.Mul(y)
			y.Detach().MulScalarInPlace(2)
			z.Sum().Backward()
		}},
		{text: changed("AddBackward0"), kind: ErrAutograd, do: func() {
			y, x := Ones(2), leaf()
			z := y.Mul(x)
			y.AddInPlace(x)
			z.Sum().Backward()
		}},
		{text: changed("AsStridedBackward0"), kind: ErrAutograd, do: func() {
			y := leaf().AddScalar(1)
			v := y.View(2)
			z := v.Mul(v)
			y.MulScalarInPlace(2)
			z.Sum().Backward()
		}},
		{text: "derivative for aten::floor_divide is not implemented", kind: ErrAutograd, do: func() { leaf().FloorDivideScalar(2).Sum().Backward() }},
		{text: "derivative for aten::floor_divide is not implemented", kind: ErrAutograd, do: func() { Ones(2).FloorDivide(leaf()).Sum().Backward() }},
		{text: "a view that tracks gradients is used after its base was modified by an inplace operation; take the view again", kind: ErrAutograd,
			do: func() {
				y := leaf().MulScalar(2)
				view := y.View(2, 1)
				y.AddScalarInPlace(1)
				view.Sum()
			}},
	})
}
