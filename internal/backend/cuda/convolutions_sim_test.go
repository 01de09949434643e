package cuda

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// convolutionShapes are of every sort: groups, strides beyond the window, windows beyond x, padding beyond the window, dilations that share a
// factor with the stride or not, few channels and many, pixels that are products, long sums that are divided, and no images.
var convolutionShapes = []kern.ConvShape{
	{N: 2, C: 3, H: 7, W: 6, K: 5, R: 3, S: 3, StrideH: 1, StrideW: 1, PadH: 1, PadW: 1},
	{N: 1, C: 8, H: 9, W: 8, K: 12, R: 3, S: 2, StrideH: 3, StrideW: 2, PadH: 2, DilationH: 2, DilationW: 3, Groups: 2},
	{N: 1, C: 5, H: 7, W: 9, K: 34, R: 2, S: 3, StrideH: 4, StrideW: 4, PadH: 3, PadW: 4, DilationH: 2, DilationW: 2},
	{N: 2, C: 40, H: 5, W: 5, K: 70, R: 1, S: 1, StrideH: 2, StrideW: 2},
	{N: 2, C: 17, H: 3, W: 5, K: 9, R: 1, S: 1, StrideH: 1, StrideW: 1},
	{N: 3, C: 4, H: 3, W: 2, K: 6, R: 3, S: 2, StrideH: 1, StrideW: 1},
	{N: 1, C: 20, H: 1, W: 9, K: 34, R: 1, S: 5, StrideH: 1, StrideW: 2, PadW: 4},
	{N: 3, C: 3, H: 14, W: 13, K: 3, R: 2, S: 2, StrideH: 1, StrideW: 1, Groups: 3},
	{N: 2, C: 4, H: 9, W: 7, K: 8, R: 3, S: 3, StrideH: 2, StrideW: 2, PadH: 1, PadW: 1, Groups: 4},
	{N: 2, C: 16, H: 6, W: 9, K: 130, R: 3, S: 3, StrideH: 1, StrideW: 1, PadH: 1, PadW: 1},
	{N: 1, C: 2, H: 3, W: 3, K: 3, R: 1, S: 2, StrideH: 9, StrideW: 9},
	{N: 2, C: 6, H: 9, W: 7, K: 6, R: 3, S: 3, StrideH: 1, StrideW: 1, PadH: 1, PadW: 2, Groups: 6},
	{N: 1, C: 3, H: 11, W: 8, K: 6, R: 3, S: 3, StrideH: 2, StrideW: 2, PadH: 1, Groups: 3},
	{N: 1, C: 4, H: 7, W: 9, K: 4, R: 5, S: 5, StrideH: 1, StrideW: 1, PadH: 4, PadW: 2, Groups: 4},
	{N: 1, C: 4, H: 8, W: 9, K: 8, R: 5, S: 5, StrideH: 2, StrideW: 2, PadH: 2, PadW: 2, Groups: 4},
	{N: 0, C: 2, H: 5, W: 4, K: 3, R: 3, S: 3, StrideH: 1, StrideW: 1},
	{N: 3, C: 128, H: 7, W: 6, K: 140, R: 3, S: 2, StrideH: 2, StrideW: 1, PadH: 1, PadW: 1, Groups: 2},
}

var convolutionOps = []op.Op{op.Conv, op.ConvGradInput, op.ConvGradWeight}

// TestConvolutionsOnEveryCard convolves on cards of several generations, each by the kernels that it takes: every shape in dtypes whose kernels no card
// before has taken, and a part of them in the others, which shows what is taken.
func TestConvolutionsOnEveryCard(t *testing.T) {
	slowUnderRace(t)
	dtypes := []dtype.DType{dtype.Float64, dtype.Float32, dtype.BFloat16, dtype.Float16}
	for _, c := range []struct {
		preset string
		fresh  []dtype.DType
		want   []string
	}{
		{"gtx1070", dtypes, []string{"conv_.*_tile(_few)?_f32", "conv_weight_.*_tile_f32"}},
		{"t4", dtypes[3:], []string{"conv_.*_tile(_few)?_f32", "conv_weight_.*_tile_f32", "conv_\\d.*_mma8_f16", "conv_weight_.*_mma8_f16"}},
		{"a100", dtypes[1:], []string{"conv_.*_async(_few)?_f32", "conv_.*_mma_f16", "conv_.*_mma_bf16", "conv_weight_.*_mma_f16"}},
		{"h100", dtypes[2:], []string{"conv_.*_async(_few)?_f32", "conv_\\d.*_mma_f16", "conv_.*_wgmma_f16", "conv_.*_wgmma_bf16", "conv_weight_.*_mma_f16"}},
		{"rtx4090", nil, []string{"conv_.*_async(_few)?_f32", "conv_.*_mma_f16", "conv_.*_mma_bf16", "conv_weight_.*_mma_f16"}},
	} {
		card := newCard(t, c.preset)
		dev := card.Device
		for _, dt := range dtypes {
			for i, s := range convolutionShapes {
				if i%4 > 0 && !slices.Contains(c.fresh, dt) {
					continue
				}
				for _, o := range convolutionOps {
					checkConvolution(t, dev, dt, s, o, dev.Run)
				}
			}
		}
		card.wants(t, append(c.want, "conv_direct_.*f32", "conv_weight_direct_.*f32")...)
	}
}

// TestConvolutionsOfRoundedOperands convolves float32 at the lower precision, where there are tensor cores for it.
func TestConvolutionsOfRoundedOperands(t *testing.T) {
	slowUnderRace(t)
	defer SetProductRounding(ProductRounding())
	SetProductRounding(true)
	for card, want := range map[string][]string{
		"t4":   {"conv_.*_tile(_few)?_f32", "conv_weight_.*_tile_f32"},
		"h100": {"conv_\\d.*_tf32_f32", "conv_weight_.*_tf32_f32"},
	} {
		c := newCard(t, card)
		for _, s := range convolutionShapes {
			for _, o := range convolutionOps {
				checkConvolution(t, c.Device, dtype.Float32, s, o, c.Run)
			}
		}
		c.wants(t, want...)
	}
}

// TestConvolutionsByEveryTile convolves by the tiles that are there for large shapes too.
func TestConvolutionsByEveryTile(t *testing.T) {
	slowUnderRace(t)
	defer SetProductRounding(ProductRounding())
	cards := map[bool]*card{false: newCard(t, "a100"), true: newCard(t, "h100")}
	turing := newCard(t, "t4")
	for i := range kernels.ConvolutionTiles {
		card, dt := cards[kernels.ConvolutionTiles[i].Mapped], dtype.Float32
		switch tile := &kernels.ConvolutionTiles[i]; {
		case tile.Of(dtype.BFloat16):
			dt = dtype.BFloat16
		case tile.Of(dtype.Float16):
			card, dt = turing, dtype.Float16
		}
		dev := card.Device
		SetProductRounding(kernels.ConvolutionTiles[i].TF32) // which bounds follow
		v := newConvolver(dt)
		run := described(dev, func(s *scratch, n *convolution) error {
			plan, ok := kernels.PlanConvolution(n.TiledConvolution, n.op == op.ConvGradWeight, 1<<i, dev.properties.Multiprocessors)
			switch {
			case ok && kernels.ConvolutionTiles[i].Mapped:
				done, err := v.convolveMapped(s, n, &plan, dt)
				if !done && err == nil {
					t.Errorf("not by the TMA: %+v", *n.TiledConvolution)
				}
				return err
			case !ok && kernels.ConvolutionTiles[i].Mapped: // groups, or strides, that boxes are not for
				plan, ok = kernels.PlanConvolution(n.TiledConvolution, n.op == op.ConvGradWeight, v.taken(dev)&^kernels.MappedConvolutions, dev.properties.Multiprocessors)
			}
			if !ok {
				t.Errorf("no plan for %+v", *n.TiledConvolution)
			}
			return v.convolve(s, n, &plan)
		})
		for _, s := range convolutionShapes {
			for _, o := range convolutionOps {
				tile := &kernels.ConvolutionTiles[i]
				if o == op.ConvGradWeight && (!tile.Has(kernels.Weights) || tile.Mapped && s.Groups > 2) { // each group takes blocks for 64 channels of each tap
					continue
				}
				checkConvolution(t, dev, dt, s, o, run)
			}
		}
		var want []string
		for k := range kernels.ConvolutionKinds {
			if tile := &kernels.ConvolutionTiles[i]; tile.Has(k) {
				want = append(want, tile.Kernel(k)+"_b?f(32|16)")
			}
		}
		card.wants(t, want...)
	}
}

// TestConvolutionsWithoutTiles convolves by the kernels that need none.
func TestConvolutionsWithoutTiles(t *testing.T) {
	slowUnderRace(t)
	dev := newCard(t, "t4").Device
	used := map[int]bool{}
	for _, dt := range []dtype.DType{dtype.Float32, dtype.BFloat16, dtype.Float16} {
		v := newConvolver(dt)
		for _, s := range convolutionShapes {
			for _, o := range convolutionOps {
				checkConvolution(t, dev, dt, s, o, described(dev, func(s *scratch, n *convolution) error {
					plan, ok := kernels.PlanDirect(n.TiledConvolution, n.op == op.ConvGradWeight, dev.properties.Multiprocessors)
					if !ok {
						t.Errorf("no plan for %+v", *n.TiledConvolution)
					}
					used[plan.Kernel] = true
					return v.slide(s, n, &plan)
				}))
			}
		}
	}
	if len(used) != len(kernels.DirectKernels) {
		t.Errorf("only the kernels %v were used", used)
	}
}

// described runs calls by a function that is given their description.
func described(dev *Device, f func(s *scratch, n *convolution) error) func(c *backend.Call) error {
	return func(c *backend.Call) error {
		if c.Out()[0].Layout.Size() == 0 {
			return nil
		}
		s, p := tiledParams.begin(dev)
		defer s.free()
		n := convolution{TiledConvolution: p, op: c.Op, out: &c.Out()[0]}
		if err := n.describe(c); err != nil {
			return err
		}
		if c.Has(2) {
			p.Bias = s.packed(&c.In()[2])
		}
		return f(&s, &n)
	}
}

// completed is a shape with what its table leaves out.
func completed(s kern.ConvShape) kern.ConvShape {
	s.DilationH, s.DilationW, s.Groups = max(s.DilationH, 1), max(s.DilationW, 1), max(s.Groups, 1)
	s.OH = (s.H+2*s.PadH-s.DilationH*(s.R-1)-1)/s.StrideH + 1
	s.OW = (s.W+2*s.PadW-s.DilationW*(s.S-1)-1)/s.StrideW + 1
	return s
}

// checkConvolution wants an op's result from the device, of operands whose axes lie as they like.
func checkConvolution(t *testing.T, dev *Device, dt dtype.DType, s kern.ConvShape, o op.Op, run func(*backend.Call) error) {
	t.Helper()
	if err := convolutionError(t, dev, dt, s, o, run); err != nil {
		t.Fatalf("%s in %s of %+v on %s: %v", o, dt, s, dev.properties.Name, err)
	}
}

// convolutionError says why an op fails on the device, or in which element it is not the CPU's.
func convolutionError(t *testing.T, dev *Device, dt dtype.DType, s kern.ConvShape, o op.Op, run func(*backend.Call) error) error {
	t.Helper()
	s = completed(s)
	x, w := []int{s.N, s.C, s.H, s.W}, []int{s.K, s.C / s.Groups, s.R, s.S}
	y := []int{s.N, s.K, s.OH, s.OW}
	c := backend.NewCall(o, dt)
	defer c.Release()
	c.Params = op.Window{
		Stride: [2]int{s.StrideH, s.StrideW}, Padding: [2]int{s.PadH, s.PadW}, Dilation: [2]int{s.DilationH, s.DilationW}, Groups: s.Groups,
	}
	var values [3][]float64
	shapes, out := [][]int{x, w, {s.K}}, y
	depth := s.C / s.Groups * s.R * s.S
	switch o {
	case op.ConvGradInput:
		shapes, out, depth = [][]int{y, w, {s.C}}, x, s.K/s.Groups*s.R*s.S
	case op.ConvGradWeight:
		shapes, out, depth = [][]int{y, x}, w, s.N*s.OH*s.OW
	}
	for i, shape := range shapes {
		values[i] = operand(t, dev, c.AddIn(), shape, dt, i)
	}
	operand(t, dev, c.AddOut(), out, dt, 0)
	if err := run(c); err != nil {
		return err
	}
	size, _ := layout.Shape(out).NumEl()
	raw, got := make([]byte, size*dt.Size()), make([]float64, size)
	if err := dev.CopyOut(raw, c.Out()[0].Buf, 0); err != nil || size == 0 {
		return err
	}
	kern.Cast(dtype.Float64, dt)(unsafe.Pointer(&got[0]), unsafe.Pointer(&raw[0]), size)
	want, sizes := convolved(t, &s, o, values), [3][]float64{}
	for i := range values {
		for _, v := range values[i] {
			sizes[i] = append(sizes[i], math.Abs(v))
		}
	}
	added := convolved(t, &s, o, sizes)
	rounding := map[dtype.DType]float64{dtype.Float64: 0, dtype.Float32: 0, dtype.Float16: 0x1p-11, dtype.BFloat16: 0x1p-8}[dt]
	step, rounded := 0x1p-23, 0.0 // of a sum, and of operands
	if dt == dtype.Float64 {
		step = 0x1p-52
	}
	if ProductRounding() && dt == dtype.Float32 {
		rounded = 0x1p-10
	}
	for i := range got {
		if bound := (float64(2*depth+2)*step+rounded)*added[i] + rounding*math.Abs(want[i]); !(math.Abs(got[i]-want[i]) <= bound) {
			return fmt.Errorf("element %d is %v, want %v ± %v", i, got[i], want[i], bound)
		}
	}
	return nil
}

// convolved is the CPU's result in float64.
func convolved(t *testing.T, s *kern.ConvShape, o op.Op, in [3][]float64) []float64 {
	t.Helper()
	out, failed := []float64(nil), error(nil)
	switch o {
	case op.Conv:
		out = make([]float64, s.N*s.K*s.OH*s.OW)
		failed = kern.Conv2D(s, in[0], in[1], in[2], op.Invalid, out)
	case op.ConvGradInput:
		out = make([]float64, s.N*s.C*s.H*s.W)
		failed = kern.Conv2DGradInput(s, in[0], in[1], in[2], out)
	default:
		out = make([]float64, s.K*s.C/s.Groups*s.R*s.S)
		failed = kern.Conv2DGradWeight(s, in[1], in[0], out)
	}
	if failed != nil {
		t.Fatal(fmt.Errorf("the CPU refuses: %w", failed))
	}
	return out
}

// operand makes a view of numbers on the device, contiguous or with the first axis inside, and returns what they are in row-major order.
func operand(t *testing.T, dev *Device, v *backend.View, shape []int, dt dtype.DType, seed int) []float64 {
	t.Helper()
	size, _ := layout.Shape(shape).NumEl()
	values, raw := make([]float64, max(size, 1)), make([]byte, max(size, 1)*dt.Size())
	for i := range values {
		values[i] = math.Sin(float64(i*i + seed + size))
	}
	kern.Cast(dt, dtype.Float64)(unsafe.Pointer(&raw[0]), unsafe.Pointer(&values[0]), len(values))
	kern.Cast(dtype.Float64, dt)(unsafe.Pointer(&values[0]), unsafe.Pointer(&raw[0]), len(values))
	buf, err := dev.Alloc(len(raw))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Free(buf) })
	if err := dev.CopyIn(buf, 0, raw); err != nil {
		t.Fatal(err)
	}
	l := layout.Contiguous(shape)
	*v = backend.View{Buf: buf, Layout: &l, DType: dt}
	return values[:size]
}
