package tensor_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/tensor"
)

// attentionCase is attention with some setting.
type attentionCase struct {
	attends
	q, k, v, mask *tensor.Tensor // mask may be nil
	grouped       bool
}

func (c *attentionCase) options() []tensor.AttentionOption {
	opts := []tensor.AttentionOption{
		tensor.IsCausal(c.causal), tensor.QueryOffset(c.first), tensor.SlidingWindow(c.window), tensor.SoftCap(c.cap), tensor.EnableGQA(c.grouped),
	}
	if c.causal {
		opts = append(opts, tensor.AttnBias(c.mask))
	} else {
		opts = append(opts, tensor.AttnMask(c.mask))
	}
	if c.scale != 0 {
		opts = append(opts, tensor.Scale(c.scale))
	}
	return opts
}

func (c *attentionCase) inputs() []*tensor.Tensor {
	in := []*tensor.Tensor{c.q, c.k, c.v}
	if c.mask != nil && c.mask.RequiresGrad() {
		in = append(in, c.mask)
	}
	return in
}

// composed is the attention as ops that users have, with the scores in memory. dropped, where not nil, is what dropout leaves of each
// element of the softmax.
func (c *attentionCase) composed(dropped *tensor.Tensor) *tensor.Tensor {
	q, k, v, scale := c.q.Double(), c.k.Double(), c.v.Double(), c.scale
	if c.grouped {
		shared := q.Size(-3) / k.Size(-3)
		k, v = k.RepeatInterleave(shared, -3), v.RepeatInterleave(shared, -3)
	}
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(q.Size(-1)))
	}
	s := q.MatMul(k.Transpose(-2, -1)).MulScalar(scale)
	if c.cap > 0 {
		s = s.DivScalar(c.cap).Tanh().MulScalar(c.cap)
	}
	visible := make([][]bool, q.Size(-2))
	for i := range visible {
		for j := range k.Size(-2) {
			visible[i] = append(visible[i], c.sees(i, j))
		}
	}
	seen := tensor.Of(visible).To(c.q.Device())
	if c.mask != nil && c.mask.DType() == dtype.Bool {
		seen = seen.LogicalAnd(c.mask)
	} else if c.mask != nil {
		s = s.Add(c.mask.Double())
	}
	const none = -1e300 // whose exponential is 0 beside any score
	p := s.MaskedFill(seen.LogicalNot(), none).Softmax(-1).Mul(seen.Double())
	if dropped != nil {
		p = p.Mul(dropped)
	}
	return p.MatMul(v)
}

// check compares result and gradients with those of the composition.
func (c *attentionCase) check(t *testing.T, tolerance float64, dropped *tensor.Tensor, opts ...tensor.AttentionOption) {
	t.Helper()
	got := tensor.ScaledDotProductAttention(c.q, c.k, c.v, append(c.options(), opts...)...)
	want := c.composed(dropped)
	near := func(what string, got, want *tensor.Tensor) {
		t.Helper()
		off, size := got.Double().Sub(want.Double()).Abs().Sum().Float64(), want.Double().Abs().Sum().Float64()
		if !(off <= tolerance*(size+float64(got.NumEl()))) {
			t.Errorf("%s is off by %v in all, of a size of %v", what, off, size)
		}
	}
	near("the result", got, want)
	if got.NumEl() == 0 {
		return
	}
	dy := tensor.Like(got).Randn(got.Shape()...)
	in := c.inputs()
	grads := tensor.Grad(got, in, tensor.Gradient(dy))
	for i, g := range tensor.Grad(want, in, tensor.Gradient(dy.Double())) {
		near([]string{"the queries' gradient", "the keys' gradient", "the values' gradient", "the mask's gradient"}[i], grads[i], g)
	}
}

// drawAttention returns a setting, with sizes around those of tiles where they are to be large.
func drawAttention(r *rand.Rand, dev device.Device, dt dtype.DType, large bool) attentionCase {
	pick := func(n ...int) int { return n[r.IntN(len(n))] }
	batch, groups, shared, width, outputs := 1+r.IntN(2), 1+r.IntN(2), 1, 1+r.IntN(9), 1+r.IntN(9)
	queries, keys := 1+r.IntN(12), 1+r.IntN(12)
	if large {
		queries, keys = pick(1, 7, 8, 9, 111, 112, 113, 125, 126, 127, 253), pick(1, 31, 33, 223, 224, 225, 300, 449)
		width, outputs = pick(1, 8, 31, 64), pick(1, 16, 33, 64)
	}
	var c attentionCase
	if c.grouped = r.IntN(3) == 0; c.grouped {
		shared = 1 + r.IntN(3)
	}
	place := tensor.On(dev).As(dt)
	heads := func(n, rows, width int) *tensor.Tensor {
		if r.IntN(2) == 0 { // as transformers have them
			return place.Randn(batch, rows, n, width).SetRequiresGrad(true).Transpose(1, 2)
		}
		return place.Randn(batch, n, rows, width).SetRequiresGrad(true)
	}
	c.q, c.k, c.v = heads(groups*shared, queries, width), heads(groups, keys, width), heads(groups, keys, outputs)
	c.causal, c.first = r.IntN(3) == 0, pick(0, 0, r.IntN(keys+1))
	if r.IntN(4) == 0 {
		c.window = 1 + r.IntN(keys)
	}
	if r.IntN(4) == 0 {
		c.cap = 0.5 + 2*r.Float64()
	}
	if r.IntN(3) == 0 {
		c.scale = 2 * r.Float64()
	}
	extents := [][]int{{queries, keys}, {batch, 1, queries, keys}, {batch, groups * shared, queries, keys}, {groups * shared, 1, keys}, {queries, 1}, {batch, 1, 1, keys}}[r.IntN(6)]
	switch kind := r.IntN(3); {
	case c.causal && kind != 1:
	case kind == 0:
		c.mask = tensor.On(dev).Rand(extents...).GtScalar(0.4)
	case kind == 1:
		c.mask = place.Randn(extents...).SetRequiresGrad(r.IntN(2) == 0)
	}
	return c
}

// TestAttentionIsWhatItIsComposedOf judges attention by the ops that it fuses, in hundreds of settings.
func TestAttentionIsWhatItIsComposedOf(t *testing.T) {
	settings := 300
	if testing.Short() || race.Enabled {
		settings = 40
	}
	for seed := range uint64(settings) {
		r := rand.New(rand.NewPCG(seed, 14))
		tensor.ManualSeed(int64(seed))
		c := drawAttention(r, device.CPU, dtype.Float64, seed%2 == 0)
		if c.check(t, 1e-10, nil); t.Failed() {
			t.Fatalf("seed %d: %+v, q %v %v, k %v, v %v, mask %v", seed, c.attends, c.q.Shape(), c.q.Stride(), c.k.Shape(), c.v.Shape(), c.mask != nil)
		}
	}
}

func TestAttentionOfFloat32(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 32))
		c := drawAttention(r, device.CPU, dtype.Float32, true)
		if c.check(t, 2e-6, nil); t.Failed() {
			t.Fatalf("seed %d: %+v", seed, c)
		}
	}
}

// TestAttentionOfBFloat16 allows for what AMX rounds to it: weights, gradients of scores and results.
func TestAttentionOfBFloat16(t *testing.T) {
	for i, a := range []attends{{}, {causal: true, first: 41}, {window: 30, cap: 2, scale: 0.3}} {
		tensor.ManualSeed(int64(i))
		leaf := func(sizes ...int) *tensor.Tensor {
			return tensor.On(device.CPU).As(dtype.BFloat16).Randn(sizes...).SetRequiresGrad(true)
		}
		c := attentionCase{attends: a, q: leaf(1, 4, 70, 64), k: leaf(1, 111, 2, 64).Transpose(1, 2), v: leaf(1, 2, 111, 33), grouped: true}
		switch i {
		case 0:
			c.mask = tensor.Rand(70, 111).GtScalar(0.4)
		case 2:
			c.mask = tensor.Randn(4, 1, 111).SetRequiresGrad(true)
		}
		if c.check(t, 0x1p-8, nil); t.Failed() {
			t.Fatalf("setting %d", i)
		}
	}
}

// TestAttentionThreadsKeepBits divides heads and rows among any number of threads: of so many that each has room for a block of keys only.
func TestAttentionThreadsKeepBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for seed := range uint64(8) {
		c := drawAttention(rand.New(rand.NewPCG(seed, 8)), device.CPU, dtype.Float32, true)
		var first []*tensor.Tensor
		for _, threads := range []int{1, 2, 3, 7, 2048} {
			runtime.GOMAXPROCS(threads)
			y := tensor.ScaledDotProductAttention(c.q, c.k, c.v, append(c.options(), tensor.DropoutP(0.2), tensor.NewGenerator(3))...)
			results := append(tensor.Grad(y, c.inputs(), tensor.Gradient(tensor.OnesLike(y))), y.Detach())
			if first == nil {
				first = results
			}
			for i, got := range results {
				if !got.Equal(first[i]) {
					t.Errorf("seed %d: result %d of %d threads has other bits than that of one", seed, i, threads)
				}
			}
		}
	}
}

// TestAttentionWithDropout finds out from values that are the identity which elements of the softmax dropout leaves: they are the same
// for other values.
func TestAttentionWithDropout(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		attentionWithDropout(t, dev, 40, 50)
		attentionWithDropout(t, dev, 3, 300)
	})
}

func attentionWithDropout(t *testing.T, dev device.Device, queries, keys int) {
	t.Helper()
	const keep = 0.75
	place := tensor.On(dev).As(dtype.Float64)
	leaf := func(sizes ...int) *tensor.Tensor { return place.Randn(sizes...).SetRequiresGrad(true) }
	c := attentionCase{q: leaf(2, 4, queries, 8), k: leaf(2, 2, keys, 8), v: leaf(2, 2, keys, 5), grouped: true}
	options := func() []tensor.AttentionOption {
		return []tensor.AttentionOption{tensor.DropoutP(1 - keep), tensor.NewGeneratorOn(dev, 5), tensor.EnableGQA(true)}
	}
	left := tensor.ScaledDotProductAttention(c.q, c.k, place.Eye(keys).Expand(2, 2, keys, keys), options()...).Detach().NeScalar(0).Double()
	if share := left.Mean().Float64(); math.Abs(share-keep) > 0.02 {
		t.Errorf("dropout leaves a share of %v, want %v", share, keep)
	}
	c.check(t, 1e-10, left.DivScalar(keep), options()...)
}

// TestAttentionOnDevices judges attention on each device, in few settings: GPUs have a way of their own for few queries, which cuts many
// keys into parts.
func TestAttentionOnDevices(t *testing.T) {
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		for seed := range uint64(12) {
			c := drawAttention(rand.New(rand.NewPCG(seed, 3)), dev, dtype.Float64, false)
			if c.check(t, 1e-10, nil); t.Failed() {
				t.Fatalf("seed %d: %+v, q %v, k %v, v %v", seed, c.attends, c.q.Shape(), c.k.Shape(), c.v.Shape())
			}
		}
		for i, a := range []attends{{}, {causal: true, first: 697}, {first: 650, window: 90, cap: 2}, {causal: true, first: 20, window: 9}} {
			leaf := func(sizes ...int) *tensor.Tensor {
				return tensor.On(dev).As(dtype.Float64).Randn(sizes...).SetRequiresGrad(true)
			}
			c := attentionCase{attends: a, q: leaf(1, 6, 3, 130), k: leaf(1, 700, 2, 130).Transpose(1, 2), v: leaf(1, 2, 700, 70), grouped: true}
			if c.check(t, 1e-10, nil); t.Failed() {
				t.Fatalf("setting %d", i)
			}
		}
	})
}

// TestAttentionOfHiddenRows wants zeros, and gradients of zero, of queries that see no key, as in PyTorch.
func TestAttentionOfHiddenRows(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		q, k := tensor.On(dev).Randn(1, 1, 3, 4).SetRequiresGrad(true), tensor.On(dev).Randn(1, 1, 2, 4).SetRequiresGrad(true)
		none := tensor.On(dev).Full([]int{3, 2}, math.Inf(-1))
		for name, mask := range map[string]*tensor.Tensor{"bools": tensor.On(dev).As(dtype.Bool).Zeros(3, 2), "numbers": none} {
			y := tensor.ScaledDotProductAttention(q, k, k, tensor.AttnMask(mask))
			for i, x := range append(tensor.Grad(y.Sum(), []*tensor.Tensor{q, k}), y) {
				if x.Abs().Sum().Float64() != 0 {
					t.Errorf("a mask of %s that hides all: result %d is %v", name, i, x)
				}
			}
		}
	})
}

// TestAttentionKeepsTheOrderOfAxes wants the memory of the result in the order of the queries', which saves a copy where heads are
// joined.
func TestAttentionKeepsTheOrderOfAxes(t *testing.T) {
	x := tensor.Randn(2, 5, 3, 4).SetRequiresGrad(true)
	heads := x.Transpose(1, 2)
	y := tensor.ScaledDotProductAttention(heads, heads, heads)
	if !y.Transpose(1, 2).IsContiguous() {
		t.Errorf("strides %v", y.Stride())
	}
	if got := y.GradFn(); got != "ScaledDotProductFlashAttentionForCpuBackward0" {
		t.Errorf("GradFn is %s", got)
	}
}

func TestAttentionRefuses(t *testing.T) {
	q := tensor.Randn(1, 2, 3, 4)
	for _, c := range []struct {
		kind error
		text string
		f    func()
	}{
		{tensor.ErrValue, "dropout probability has to be between 0 and 1, but got 1.5", func() { tensor.ScaledDotProductAttention(q, q, q, tensor.DropoutP(1.5)) }},
		{tensor.ErrValue, "Explicit attn_mask should not be set when is_causal=True", func() {
			tensor.ScaledDotProductAttention(q, q, q, tensor.IsCausal(true), tensor.AttnMask(tensor.Zeros(3, 3)))
		}},
		{tensor.ErrValue, "Expected an attn_mask or a bias of the scores, but got both", func() {
			tensor.ScaledDotProductAttention(q, q, q, tensor.AttnBias(tensor.Zeros(3)), tensor.AttnMask(tensor.Zeros(3, 3)))
		}},
		{tensor.ErrDType, "Expected the bias of the scores to be of floats, but got Bool", func() {
			tensor.ScaledDotProductAttention(q, q, q, tensor.AttnBias(tensor.Zeros(1, 3).Bool()))
		}},
		{tensor.ErrValue, "sliding window of at least 0 keys, but got -1", func() { tensor.ScaledDotProductAttention(q, q, q, tensor.SlidingWindow(-1)) }},
		{tensor.ErrValue, "soft cap of at least 0, but got -1", func() { tensor.ScaledDotProductAttention(q, q, q, tensor.SoftCap(-1)) }},
		{tensor.ErrDType, "expected scalar type Float but found Long", func() { tensor.ScaledDotProductAttention(q.Long(), q.Long(), q.Long()) }},
		{tensor.ErrDType, "Expected query, key, and value to have the same dtype, but got query.dtype: float key.dtype: double and value.dtype: float instead.", func() {
			tensor.ScaledDotProductAttention(q, q.Double(), q)
		}},
		{tensor.ErrDType, "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: double and  query.dtype: float instead.", func() {
			tensor.ScaledDotProductAttention(q, q, q, tensor.AttnMask(tensor.Zeros(3, 3).Double()))
		}},
		{tensor.ErrValue, "argument 'key' (position 2) must be Tensor", func() { tensor.ScaledDotProductAttention(q, nil, q) }},
	} {
		if err := tensor.Try(c.f); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("got %v, want %s", err, c.text)
		}
	}
}
