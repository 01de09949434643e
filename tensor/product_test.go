package tensor

import (
	"fmt"
	"testing"

	"cresset/dtype"
	"cresset/internal/race"
)

// matMulByElement multiplies by definition; the leading axes are equal.
func matMulByElement(a, b *Tensor) []float64 {
	x, y := Values[float64](a), Values[float64](b)
	m, k, n := a.Size(-2), a.Size(-1), b.Size(-1)
	batches, _ := a.Shape()[:a.Dim()-2].NumEl()
	out := make([]float64, 0, batches*m*n)
	for batch := range batches {
		for i := range m {
			for j := range n {
				sum := 0.0
				for l := range k {
					sum += x[(batch*m+i)*k+l] * y[(batch*k+l)*n+j]
				}
				out = append(out, sum)
			}
		}
	}
	return out
}

func TestProductsOfAnyLayout(t *testing.T) {
	ManualSeed(5)
	double := Like(Zeros(1).Double())
	for _, c := range []struct{ a, b Shape }{
		{Shape{3, 4}, Shape{4, 5}},
		{Shape{1, 1}, Shape{1, 1}},
		{Shape{37, 300}, Shape{300, 41}},
		{Shape{6, 3, 4}, Shape{6, 4, 2}},
		{Shape{2, 17, 33}, Shape{2, 33, 9}},
	} {
		for _, va := range variantsOf(c.a) {
			for _, vb := range variantsOf(c.b) {
				a, b := va.view(double.Randn(va.base...)), vb.view(double.Randn(vb.base...))
				name := fmt.Sprintf("%s %v by %s %v", va.name, c.a, vb.name, c.b)
				want := matMulByElement(a, b)
				if got := Values[float64](a.MatMul(b)); !closeTo(got, want, 1e-11) {
					t.Errorf("%s: got %v, want %v", name, got, want)
				}
				if got := Values[float64](a.Float().MatMul(b.Float())); !closeTo(got, want, 1e-4) {
					t.Errorf("%s in float32: got %v, want %v", name, got, want)
				}
				whole, other := a.MulScalar(3).Long(), b.MulScalar(3).Long()
				if got := Values[float64](whole.MatMul(other)); !closeTo(got, matMulByElement(whole, other), 0) {
					t.Errorf("%s in int64: got %v", name, got)
				}
			}
		}
	}
}

// Batches are multiplied by the kernels of single matrices, so the bits are theirs.
func TestBatchesOfHalvesAreProductsOfEach(t *testing.T) {
	if race.Enabled {
		t.Skip("TestThreadsKeepBits has threads share products, and this takes long under the race detector")
	}
	ManualSeed(6)
	defer SetNumThreads(NumThreads())
	for _, dt := range []dtype.DType{dtype.BFloat16, dtype.Float16} {
		for _, c := range []struct{ a, b Shape }{
			{Shape{5, 30, 64}, Shape{5, 64, 40}},
			{Shape{3, 2, 128}, Shape{3, 128, 64}},
			{Shape{2, 33, 96}, Shape{2, 96, 600}},
			{Shape{4, 20, 31}, Shape{4, 31, 17}},
			{Shape{2, 3, 0}, Shape{2, 0, 4}},
			{Shape{0, 3, 64}, Shape{0, 64, 40}},
		} {
			for _, va := range variantsOf(c.a) {
				for _, vb := range variantsOf(c.b) {
					a, b := va.view(Randn(va.base...)).To(dt), vb.view(Randn(vb.base...)).To(dt)
					for threads := 1; threads <= 2; threads++ {
						SetNumThreads(threads)
						got := a.BMM(b)
						for i := range c.a[0] {
							if want := a.Select(0, i).MM(b.Select(0, i)); !got.Select(0, i).Equal(want) {
								t.Errorf("%v: %s %v by %s %v on %d threads: product %d is another", dt, va.name, c.a, vb.name, c.b, threads, i)
							}
						}
					}
				}
			}
		}
	}
}

func TestMatMulBroadcasts(t *testing.T) {
	ManualSeed(6)
	double := Like(Zeros(1).Double())
	for _, c := range []struct{ a, b, out Shape }{
		{Shape{2, 1, 3, 4}, Shape{5, 4, 2}, Shape{2, 5, 3, 2}},
		{Shape{1, 3, 4}, Shape{6, 4, 2}, Shape{6, 3, 2}},
		{Shape{6, 3, 4}, Shape{1, 4, 2}, Shape{6, 3, 2}},
		{Shape{3, 4}, Shape{6, 4, 2}, Shape{6, 3, 2}},
		{Shape{2, 5, 3, 4}, Shape{4}, Shape{2, 5, 3}},
		{Shape{3}, Shape{2, 5, 3, 4}, Shape{2, 5, 4}},
		{Shape{2, 0, 4}, Shape{4, 3}, Shape{2, 0, 3}},
		{Shape{2, 3, 0}, Shape{0, 3}, Shape{2, 3, 3}},
		{Shape{0, 3, 4}, Shape{1, 4, 2}, Shape{0, 3, 2}},
		{Shape{3, 0}, Shape{0}, Shape{3}},
		{Shape{0}, Shape{0}, Shape{}},
	} {
		a, b := double.Randn(c.a...), double.Randn(c.b...)
		plain := a.MatMul(b)
		if !plain.Shape().Equal(c.out) {
			t.Errorf("%v by %v has shape %v, want %v", c.a, c.b, plain.Shape(), c.out)
			continue
		}
		wideA, wideB := a, b
		if len(c.a) == 1 {
			wideA = a.Unsqueeze(0)
		}
		if len(c.b) == 1 {
			wideB = b.Unsqueeze(1)
		}
		batch := c.out[:max(max(len(c.a), len(c.b))-2, 0)]
		wide := func(x *Tensor) *Tensor { return x.Expand(append(append(Shape{}, batch...), x.Size(-2), x.Size(-1))...) }
		if got, want := Values[float64](plain), matMulByElement(wide(wideA), wide(wideB)); !closeTo(got, want, 1e-12) {
			t.Errorf("%v by %v: got %v, want %v", c.a, c.b, got, want)
		}
		gradCheck(t, fmt.Sprintf("%v by %v", c.a, c.b), func(in []*Tensor) *Tensor { return in[0].MatMul(in[1]) }, a, b)
	}
}

func TestGradientsOfProducts(t *testing.T) {
	ManualSeed(7)
	double := Like(Zeros(1).Double())
	x, w, bias := double.Randn(4, 3), double.Randn(5, 4), double.Randn(5)
	gradCheck(t, "linear of a transposed input", func(in []*Tensor) *Tensor { return in[0].T().Linear(in[1], in[2]) }, x, w, bias)
	gradCheck(t, "linear without bias", func(in []*Tensor) *Tensor { return in[0].T().Linear(in[1], nil) }, x, w)
	gradCheck(t, "linear of a vector", func(in []*Tensor) *Tensor { return in[0].Select(1, 0).Linear(in[1], in[2]) }, x, w, bias)
	gradCheck(t, "linear of a strided 3-D input", func(in []*Tensor) *Tensor { return in[0].T().Unsqueeze(0).Expand(2, 3, 4).Linear(in[1], in[2]) }, x, w, bias)
	gradCheck(t, "addmm scaled", func(in []*Tensor) *Tensor { return in[2].AddMMScaled(in[0].T(), in[1].T(), 0.5, -2) }, x, w, bias)
	gradCheck(t, "mv", func(in []*Tensor) *Tensor { return in[0].MV(in[1]) }, w, double.Randn(4))
	gradCheck(t, "dot", func(in []*Tensor) *Tensor { return in[0].Dot(in[1]) }, bias, double.Randn(5))
	gradCheck(t, "outer", func(in []*Tensor) *Tensor { return in[0].Outer(in[1]) }, bias, double.Randn(3))
}

func TestNamesOfProductGradients(t *testing.T) {
	x := func(sizes ...int) *Tensor { return Ones(sizes...).SetRequiresGrad(true) }
	for _, c := range []struct {
		name string
		got  *Tensor
		want string
	}{
		{"1 by 1", x(3).MatMul(x(3)), "DotBackward0"},
		{"2 by 1", x(2, 3).MatMul(x(3)), "MvBackward0"},
		{"1 by 2", x(2).MatMul(x(2, 3)), "SqueezeBackward4"},
		{"2 by 2", x(2, 3).MatMul(x(3, 2)), "MmBackward0"},
		{"3 by 2", x(2, 2, 3).MatMul(x(3, 2)), "UnsafeViewBackward0"},
		{"3 by 3", x(2, 2, 3).MatMul(x(2, 3, 2)), "UnsafeViewBackward0"},
		{"bmm", x(2, 2, 3).BMM(x(2, 3, 2)), "BmmBackward0"},
		{"outer", x(2).Outer(x(3)), "MulBackward0"},
		{"linear", x(2, 3).Linear(x(4, 3), x(4)), "AddmmBackward0"},
		{"linear without bias", x(2, 3).Linear(x(4, 3), nil), "MmBackward0"},
		{"linear 1-D", x(3).Linear(x(4, 3), x(4)), "ViewBackward0"},
		{"linear 3-D", x(2, 2, 3).Linear(x(4, 3), x(4)), "ViewBackward0"},
	} {
		if got := c.got.GradFn(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestAddMMOfIntegersAndNothing(t *testing.T) {
	a := FromSlice([]int64{1, 2, 3, 4}, 2, 2)
	if got := Values[int64](FromSlice([]int64{10, 20}).AddMMScaled(a, a, 2, -1)); fmt.Sprint(got) != "[13 30 5 18]" {
		t.Errorf("integers: got %v, want [13 30 5 18]", got)
	}
	if got := Values[float32](Full([]int{3}, 7.0).AddMM(Zeros(2, 0), Zeros(0, 3))); fmt.Sprint(got) != "[7 7 7 7 7 7]" {
		t.Errorf("a product over nothing: got %v, want the bias", got)
	}
	if got := Ones(0).AddMM(Ones(2, 3), Ones(3, 0)).Shape(); !got.Equal(Shape{2, 0}) {
		t.Errorf("no columns: got %v", got)
	}
	empty := Zeros(4, 3).Slice(0, 4, 4).T() // its offset lies behind the buffer
	if got := Values[float32](empty.MM(Zeros(0, 2))); fmt.Sprint(got) != "[0 0 0 0 0 0]" {
		t.Errorf("an empty view: got %v", got)
	}
	half := FromSlice([]float32{1, 2, 3, 4}, 2, 2).To(dtype.BFloat16)
	if got := half.MM(half.T()); got.DType() != dtype.BFloat16 || fmt.Sprint(Values[float32](got)) != "[5 11 11 25]" {
		t.Errorf("bfloat16: got %v", got)
	}
}
