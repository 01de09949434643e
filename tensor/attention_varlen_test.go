package tensor_test

import (
	"errors"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// packedCase is sequences that lie behind each other, some of them empty, and how they are attended to.
type packedCase struct {
	name           string
	queries, keys  []int // lengths
	heads, groups  int
	width, outputs int
	opts           []tensor.AttentionOption
}

var packedCases = []packedCase{
	{"plain", []int{5, 1, 12}, []int{5, 7, 12}, 2, 2, 8, 8, nil},
	{"causal, with empty ones", []int{0, 9, 3, 0, 4}, []int{0, 9, 0, 6, 11}, 4, 2, 8, 8, []tensor.AttentionOption{tensor.IsCausal(true), tensor.EnableGQA(true)}},
	{"causal, fewer keys than queries", []int{10, 3}, []int{4, 3}, 2, 1, 8, 16, []tensor.AttentionOption{tensor.IsCausal(true), tensor.EnableGQA(true)}},
	{"window", []int{20, 0, 11}, []int{20, 2, 15}, 2, 2, 16, 16, []tensor.AttentionOption{tensor.IsCausal(true), tensor.SlidingWindow(4), tensor.Scale(0.5)}},
	{"soft cap", []int{9, 2}, []int{9, 2}, 1, 1, 8, 8, []tensor.AttentionOption{tensor.SoftCap(2)}},
}

// cumulated returns where sequences begin and end, and the longest.
func cumulated(lengths []int, dev device.Device) (at *tensor.Tensor, most int) {
	sums := make([]int32, 1, len(lengths)+1)
	for _, n := range lengths {
		sums = append(sums, sums[len(sums)-1]+int32(n))
		most = max(most, n)
	}
	return tensor.Of(sums).To(dev), most
}

// operands returns queries, keys, values and the gradient of the result; queries, keys and values are parts of one tensor where they have as many.
func (c *packedCase) operands(dev device.Device, dt dtype.DType) (in []*tensor.Tensor) {
	tensor.ManualSeed(21)
	total := func(lengths []int) (n int) {
		for _, l := range lengths {
			n += l
		}
		return n
	}
	of := func(rows, heads, width int) {
		in = append(in, tensor.Randn(rows, heads, width).To(dev, dt).SetRequiresGrad(true))
	}
	of(total(c.queries), c.heads, c.width)
	of(total(c.keys), c.groups, c.width)
	of(total(c.keys), c.groups, c.outputs)
	of(total(c.queries), c.heads, c.outputs)
	return in
}

// apart attends to each sequence by itself.
func (c *packedCase) apart(in []*tensor.Tensor) *tensor.Tensor {
	var all []*tensor.Tensor
	q, k := 0, 0
	for i, n := range c.queries {
		m := c.keys[i]
		part := func(x *tensor.Tensor, from, rows int) *tensor.Tensor { return x.Narrow(0, from, rows).Transpose(0, 1) }
		opts := append([]tensor.AttentionOption{tensor.QueryOffset(m - n)}, c.opts...)
		all = append(all, tensor.ScaledDotProductAttention(part(in[0], q, n), part(in[1], k, m), part(in[2], k, m), opts...).Transpose(0, 1))
		q, k = q+n, k+m
	}
	return tensor.Cat(all, 0)
}

// TestPackedSequencesAreAttendedToApart compares results and gradients with those of each sequence by itself, bit by bit, on the CPU and on GPUs of four generations.
func TestPackedSequencesAreAttendedToApart(t *testing.T) {
	check := func(dev device.Device, dts ...dtype.DType) {
		for _, c := range packedCases {
			for _, dt := range dts {
				in := c.operands(dev, dt)
				atQ, maxQ := cumulated(c.queries, dev)
				atK, maxK := cumulated(c.keys, dev)
				got := inner.VarlenAttention(in[0], in[1], in[2], atQ, atK, maxQ, maxK, optionsOf(c.opts)...)
				want := c.apart(in)
				dy := in[3].Detach()
				gots := append(tensor.Grad(got, in[:3], tensor.Gradient(dy)), got.Detach())
				wants := append(tensor.Grad(want, in[:3], tensor.Gradient(dy)), want.Detach())
				for i, name := range []string{"the gradient of queries", "the gradient of keys", "the gradient of values", "the result"} {
					if !sameBits(arrayOf(gots[i]), arrayOf(wants[i])) {
						t.Errorf("%s, %s, %s: %s is %v, want %v", dev, dt, c.name, name, gots[i], wants[i])
					}
				}
			}
		}
	}
	check(device.CPU, dtype.Float32, dtype.Float64, dtype.BFloat16)
	for card, dts := range map[string][]dtype.DType{
		"t4": {dtype.Float16}, "a100": {dtype.Float32, dtype.BFloat16}, "h100": {dtype.BFloat16},
	} {
		t.Run(card, func(t *testing.T) {
			countingLaunches(t, card)
			check(device.CUDA(0), dts...)
		})
	}
}

func optionsOf(opts []tensor.AttentionOption) (all []any) {
	for _, o := range opts {
		all = append(all, o)
	}
	return all
}

// TestPackedSequencesWithoutTokens attends to nothing.
func TestPackedSequencesWithoutTokens(t *testing.T) {
	q := tensor.Ones(0, 2, 4).SetRequiresGrad(true)
	at := tensor.Of([]int64{0, 0, 0})
	y := inner.VarlenAttention(q, q, q, at, at, 0, 0)
	y.Sum().Backward()
	if y.NumEl() != 0 || q.Grad().NumEl() != 0 {
		t.Errorf("got %v, gradient %v", y, q.Grad())
	}
}

// TestPackedSequencesRefuse names what does not fit.
func TestPackedSequencesRefuse(t *testing.T) {
	x, at := tensor.Ones(6, 2, 4), tensor.Of([]int32{0, 2, 6})
	half := tensor.Ones(6, 1, 4)
	for _, c := range []struct {
		kind error
		want string
		do   func()
	}{
		{tensor.ErrValue, "argument 'key' (position 2) must be Tensor", func() { inner.VarlenAttention(x, nil, x, at, at, 4, 4) }},
		{tensor.ErrValue, "argument 'cu_seq_q' (position 4) must be Tensor", func() { inner.VarlenAttention(x, x, x, nil, at, 4, 4) }},
		{tensor.ErrValue, "argument 'cu_seq_k' (position 5) must be Tensor", func() { inner.VarlenAttention(x, x, x, at, nil, 4, 4) }},
		{tensor.ErrShape, "Expected query of the shape (tokens, heads, width), but got 2 axes", func() { inner.VarlenAttention(tensor.Ones(6, 4), x, x, at, at, 4, 4) }},
		{tensor.ErrDType, "the same floating dtype, but got float, double and float", func() { inner.VarlenAttention(x, x.Double(), x, at, at, 4, 4) }},
		{tensor.ErrShape, "as many tokens and heads of values as of keys", func() { inner.VarlenAttention(x, x, half, at, at, 4, 4) }},
		{tensor.ErrShape, "queries and keys of the same width", func() { inner.VarlenAttention(x, tensor.Ones(6, 2, 3), x, at, at, 4, 4) }},
		{tensor.ErrValue, "Hq=2 and Hkv=1. Try setting enable_gqa=True", func() { inner.VarlenAttention(x, half, half, at, at, 4, 4) }},
		{tensor.ErrValue, "multiple of kv heads for GQA but got Hq=2 and Hkv=3", func() {
			inner.VarlenAttention(x, tensor.Ones(6, 3, 4), tensor.Ones(6, 3, 4), at, at, 4, 4, tensor.EnableGQA(true))
		}},
		{tensor.ErrValue, "scale must be greater than 0, got 0", func() { inner.VarlenAttention(x, x, x, at, at, 4, 4, tensor.Scale(0)) }},
		{tensor.ErrValue, "without masks, biases, dropout", func() { inner.VarlenAttention(x, x, x, at, at, 4, 4, tensor.DropoutP(0.5)) }},
		{tensor.ErrValue, "cu_seq_q must begin with 0, but got 1", func() { inner.VarlenAttention(x, x, x, tensor.Of([]int32{1, 6}), at, 5, 4) }},
		{tensor.ErrValue, "cu_seq_k must not fall, but goes from 7 to 6", func() { inner.VarlenAttention(x, x, x, at, tensor.Of([]int32{0, 7, 6}), 7, 7) }},
		{tensor.ErrValue, "max_q is 3, but cu_seq_q tells of a sequence of 4", func() { inner.VarlenAttention(x, x, x, at, at, 3, 4) }},
		{tensor.ErrValue, "cu_seq_q ends at 5, but there are 6 tokens", func() { inner.VarlenAttention(x, x, x, tensor.Of([]int32{0, 2, 5}), at, 4, 4) }},
		{tensor.ErrShape, "as many sequences, but got 1 and 2", func() { inner.VarlenAttention(x, x, x, tensor.Of([]int32{0, 6}), at, 6, 4) }},
		{tensor.ErrDType, "cu_seq_q must have one axis of at least one int32 or int64", func() { inner.VarlenAttention(x, x, x, tensor.Of([]float32{0, 6}), at, 6, 4) }},
	} {
		if err := tensor.Try(c.do); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %v: %s", err, c.kind, c.want)
		}
	}
}

// TestPackedSequencesHaveNoSecondDerivatives: a gradient of the gradient is refused, as attention's is, not taken for zero.
func TestPackedSequencesHaveNoSecondDerivatives(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		x, at := tensor.On(dev).Randn(6, 2, 4).SetRequiresGrad(true), tensor.Of([]int32{0, 2, 2, 6})
		y := inner.VarlenAttention(x, x, x, at, at, 4, 4, nil)
		g := tensor.Grad(y.Sum(), []*tensor.Tensor{x}, tensor.CreateGraph(true))[0]
		err := tensor.Try(func() { g.Square().Sum().Add(x.Sum()).Backward() })
		if !errors.Is(err, tensor.ErrAutograd) || !strings.Contains(err.Error(), "is not implemented") {
			t.Errorf("got %v", err)
		}
	})
}
