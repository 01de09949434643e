package tensor_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/mem"
	"cresset/tensor"
)

// rectifiedCase is a layer that computes ReLU with its result, and the two ops that it stands for.
type rectifiedCase struct {
	name        string
	shapes      [][]int
	fused, both func(x []*tensor.Tensor) *tensor.Tensor
}

func rectifiedLinear(name string, bias bool, shapes ...[]int) rectifiedCase {
	return rectifiedCase{name, shapes,
		func(x []*tensor.Tensor) *tensor.Tensor { return inner.LinearReLU(x[0], x[1], last(x, bias)) },
		func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Linear(x[1], last(x, bias)).ReLU() }}
}

func rectifiedConv(name string, bias bool, o []tensor.ConvOption, shapes ...[]int) rectifiedCase {
	return rectifiedCase{name, shapes,
		func(x []*tensor.Tensor) *tensor.Tensor {
			return inner.Conv2DReLU(x[0], x[1], last(x, bias), tensor.WindowOf(o...))
		},
		func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Conv2D(x[1], last(x, bias), o...).ReLU() }}
}

// last returns the last operand where it is a bias, else nil.
func last(x []*tensor.Tensor, bias bool) *tensor.Tensor {
	if bias {
		return x[2]
	}
	return nil
}

var rectifiedCases = []rectifiedCase{
	rectifiedLinear("matrix", true, []int{6, 5}, []int{7, 5}, []int{7}),
	rectifiedLinear("vector", true, []int{5}, []int{7, 5}, []int{7}),
	rectifiedLinear("batch", true, []int{2, 3, 5}, []int{7, 5}, []int{7}),
	rectifiedLinear("no bias", false, []int{6, 5}, []int{7, 5}),
	rectifiedLinear("batch without bias", false, []int{2, 3, 5}, []int{7, 5}),
	rectifiedLinear("nothing", true, []int{0, 5}, []int{7, 5}, []int{7}),
	rectifiedLinear("of nothing", true, []int{3, 0}, []int{7, 0}, []int{7}),
	{"strided batch", [][]int{{5, 3, 2}, {7, 5}, {7}},
		func(x []*tensor.Tensor) *tensor.Tensor { return inner.LinearReLU(x[0].Transpose(0, 2), x[1], x[2]) },
		func(x []*tensor.Tensor) *tensor.Tensor { return x[0].Transpose(0, 2).Linear(x[1], x[2]).ReLU() }},
	rectifiedConv("conv2d", true, []tensor.ConvOption{tensor.Padding(1)}, []int{2, 3, 5, 6}, []int{4, 3, 3, 3}, []int{4}),
	rectifiedConv("conv2d without bias", false, []tensor.ConvOption{tensor.Stride(2, 1), tensor.Groups(2)}, []int{2, 4, 5, 6}, []int{6, 2, 3, 2}),
	rectifiedConv("conv2d of windows of one", true, nil, []int{2, 3, 5, 6}, []int{4, 3, 1, 1}, []int{4}),
	rectifiedConv("conv2d without a batch", true, nil, []int{3, 5, 6}, []int{4, 3, 3, 3}, []int{4}),
	rectifiedConv("conv2d of no images", true, nil, []int{0, 3, 5, 6}, []int{4, 3, 3, 3}, []int{4}),
}

// operands draws the operands, with a NaN among the elements of the first.
func (c rectifiedCase) operands(dev device.Device, dt dtype.DType) []*tensor.Tensor {
	tensor.ManualSeed(5)
	var in []*tensor.Tensor
	for i, shape := range c.shapes {
		x := tensor.Randn(shape...)
		if i == 0 && x.NumEl() > 0 {
			tensor.Data[float32](x)[x.NumEl()-1] = float32(math.NaN())
		}
		in = append(in, x.To(dev, dt).SetRequiresGrad(true))
	}
	return in
}

// TestRectifiedLayers compares values, gradients and the graph with those of the two ops, bit by bit.
func TestRectifiedLayers(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		for _, c := range rectifiedCases {
			for _, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16} {
				t.Run(c.name+" "+dt.String(), func(t *testing.T) {
					got, want := c.operands(dev, dt), c.operands(dev, dt)
					y, z := c.fused(got), c.both(want)
					wantSame(t, "y", y, z)
					if y.GradFn() != z.GradFn() || y.Version() != z.Version() {
						t.Errorf("%s of version %d, want %s of version %d", y.GradFn(), y.Version(), z.GradFn(), z.Version())
					}
					dy := tensor.RandnLike(y)
					y.Backward(tensor.Gradient(dy))
					z.Backward(tensor.Gradient(dy))
					for i := range got {
						wantSame(t, "gradient", got[i].Grad(), want[i].Grad())
					}
				})
			}
		}
	})
}

func wantSame(t *testing.T, name string, got, want *tensor.Tensor) {
	t.Helper()
	same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y }
	x, y := tensor.Values[float64](got.Detach()), tensor.Values[float64](want.Detach())
	if got.DType() != want.DType() || !slices.Equal(got.Shape(), want.Shape()) || !slices.EqualFunc(x, y, same) {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

// What a program may do with the result of ReLU it may do with that of both.
func TestRectifiedResultsAreReLUs(t *testing.T) {
	for _, c := range rectifiedCases[:3] {
		for _, f := range []func(x []*tensor.Tensor) *tensor.Tensor{c.fused, c.both} {
			x := c.operands(device.CPU, dtype.Float32)
			y := f(x)
			y.AddScalarInPlace(1)
			if err := tensor.Try(func() { y.Sum().Backward() }); !errors.Is(err, tensor.ErrAutograd) {
				t.Errorf("%s, changed in place: got %v", c.name, err)
			}
			x = c.operands(device.CPU, dtype.Float32)
			y = f(x)
			calls := 0
			y.RegisterHook(func(g *tensor.Tensor) *tensor.Tensor { calls++; return tensor.ZerosLike(g) })
			y.RetainGrad()
			y.Sum().Backward()
			if g := y.Grad(); calls != 1 || g == nil || g.Sum().Float64() != 0 || x[2].Grad().Sum().Float64() != 0 {
				t.Errorf("%s: %d calls of a hook, a gradient of %v, and %v for the bias", c.name, calls, g, x[2].Grad())
			}
		}
	}
}

// The value before ReLU takes no memory of its own.
func TestRectifiedLayersKeepOneResult(t *testing.T) {
	x, w, b := tensor.Ones(256, 64), tensor.Ones(128, 64), tensor.Ones(128)
	s := tensor.NewScope()
	defer s.Close()
	before := mem.ReadStats().Allocated
	y := inner.LinearReLU(s.Enter(x), w, b)
	if got, want := mem.ReadStats().Allocated-before, int64(4*y.NumEl()); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}
