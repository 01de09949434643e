package nn

import (
	"fmt"
	"math"

	"cresset/nn/nninit"
	"cresset/tensor"
)

// MultiheadAttention is attention of several heads with layers before and behind it: queries, keys and values are cut into heads, each head of a query sees
// of the values what their keys have of it, and Out makes one vector of all heads. Sequences are [tokens, batch, width], or
// [batch, tokens, width] with BatchFirst, or [tokens, width] of a single one.
type MultiheadAttention struct {
	Mode
	Input     *tensor.Tensor `nn:"in_proj_weight"` // [3·Width, Width], of queries, keys and values; nil where those differ in width
	Query     *tensor.Tensor `nn:"q_proj_weight"`  // [Width, Width], where Input is nil
	Key       *tensor.Tensor `nn:"k_proj_weight"`  // [Width, KeyWidth]
	Value     *tensor.Tensor `nn:"v_proj_weight"`  // [Width, ValueWidth]
	InputBias *tensor.Tensor `nn:"in_proj_bias"`   // [3·Width]; nil with Bias(false)
	KeyBias   *tensor.Tensor `nn:"bias_k"`         // [1, 1, Width], one more key; nil unless AddBiasKV
	ValueBias *tensor.Tensor `nn:"bias_v"`
	Out       *OutProjection `nn:"out_proj"`

	Width, Heads, KeyWidth, ValueWidth int
	BatchFirst, AddZeroAttention       bool
	Dropout                            float64 // of the weights, in training
}

// OutProjection is the last layer of a MultiheadAttention, which PyTorch prints by another name than a Linear.
type OutProjection struct {
	*Linear `nn:",inline"`
}

// String prints the layer as PyTorch does.
func (o *OutProjection) String() string { return "NonDynamicallyQuantizable" + o.Linear.String() }

// MultiheadAttentionOption is an option of NewMultiheadAttention.
type MultiheadAttentionOption interface {
	setter
	multiheadAttention()
}

type attentionOptions struct {
	keyWidth, valueWidth int
	biasKV, zero         bool
	dropout              float64
}

// KeyWidth is the width of keys where it is not that of queries, PyTorch's kdim=.
func KeyWidth(n int) MultiheadAttentionOption {
	return option(func(o *options) { o.attention.keyWidth = n })
}

// ValueWidth is the width of values where it is not that of queries, PyTorch's vdim=.
func ValueWidth(n int) MultiheadAttentionOption {
	return option(func(o *options) { o.attention.valueWidth = n })
}

// AddBiasKV adds a key and a value that are parameters.
func AddBiasKV(on bool) MultiheadAttentionOption {
	return option(func(o *options) { o.attention.biasKV = on })
}

// AddZeroAttention adds a key and a value of zeros, PyTorch's add_zero_attn=.
func AddZeroAttention(on bool) MultiheadAttentionOption {
	return option(func(o *options) { o.attention.zero = on })
}

// AttentionDropout drops the weights of attention with probability p in training, PyTorch's dropout=.
func AttentionDropout(p float64) MultiheadAttentionOption {
	return option(func(o *options) { o.attention.dropout = probability(p) })
}

// NewMultiheadAttention returns the layer of queries of a width, drawn as PyTorch draws it. It takes KeyWidth, ValueWidth, Bias, AddBiasKV,
// AddZeroAttention, AttentionDropout, BatchFirst, On and As.
func NewMultiheadAttention(width, heads int, opts ...MultiheadAttentionOption) *MultiheadAttention {
	o := read(opts)
	switch {
	case width <= 0 || heads <= 0:
		panic(fault("multi_head_attention", fmt.Sprintf("embed_dim and num_heads must be greater than 0, got embed_dim=%d and num_heads=%d instead", width, heads)))
	case width%heads != 0:
		panic(fault("multi_head_attention", "embed_dim must be divisible by num_heads"))
	}
	m := &MultiheadAttention{Width: width, Heads: heads, KeyWidth: width, ValueWidth: width, BatchFirst: o.rnn.batchFirst,
		AddZeroAttention: o.attention.zero, Dropout: o.attention.dropout}
	if n := o.attention.keyWidth; n != 0 {
		m.KeyWidth = n
	}
	if n := o.attention.valueWidth; n != 0 {
		m.ValueWidth = n
	}
	m.draw(&o)
	return m
}

// draw makes the parameters: Xavier's uniform numbers for weights of inputs, a Linear's for the output, biases of zero, and Xavier's normal numbers for a further
// key and value, in PyTorch's order.
func (m *MultiheadAttention) draw(o *options) {
	matrix := func(sizes ...int) *tensor.Tensor { return tensor.Parameter(o.place.Empty(sizes...)) }
	m.Out = &OutProjection{&Linear{Weight: tensor.Parameter(kaimingUniform(o.place.Empty(m.Width, m.Width)))}}
	if o.bias {
		m.Out.Bias = tensor.Parameter(biasUniform(o.place.Empty(m.Width), m.Width))
	}
	if m.KeyWidth == m.Width && m.ValueWidth == m.Width {
		m.Input = nninit.XavierUniform(matrix(3*m.Width, m.Width))
	} else {
		m.Query = nninit.XavierUniform(matrix(m.Width, m.Width))
		m.Key = nninit.XavierUniform(matrix(m.Width, m.KeyWidth))
		m.Value = nninit.XavierUniform(matrix(m.Width, m.ValueWidth))
	}
	if o.bias {
		m.InputBias = tensor.Parameter(o.place.Zeros(3 * m.Width))
		m.Out.Bias.Detach().ZeroInPlace()
	}
	if o.attention.biasKV {
		m.KeyBias = nninit.XavierNormal(matrix(1, 1, m.Width))
		m.ValueBias = nninit.XavierNormal(matrix(1, 1, m.Width))
	}
}

// Forward returns what queries [tokens, batch, Width] see of values [keys, batch, ValueWidth] by keys [keys, batch, KeyWidth], like the queries. It takes
// AttentionMask, KeyPadding and Causal. The weights are never in memory as a whole.
func (m *MultiheadAttention) Forward(query, key, value *tensor.Tensor, opts ...AttendOption) *tensor.Tensor {
	a := m.attending(query, key, value, opts, false)
	causal := tensor.IsCausal(a.causal && a.mask == nil)
	seen := tensor.ScaledDotProductAttention(a.q, a.k, a.v, tensor.AttnMask(a.mask), causal, tensor.DropoutP(m.dropout()))
	return a.joined(seen)
}

// Weights is Forward that also returns how much of each value each query gets: [batch, tokens, keys], the mean of all heads, or
// [batch, Heads, tokens, keys] with EachHead. It takes AttentionMask, KeyPadding, Causal and EachHead.
func (m *MultiheadAttention) Weights(query, key, value *tensor.Tensor, opts ...AttendOption) (out, weights *tensor.Tensor) {
	a := m.attending(query, key, value, opts, true)
	scores := a.q.MulScalar(1 / math.Sqrt(float64(m.Width/m.Heads))).MatMul(a.k.Transpose(2, 3))
	switch {
	case a.mask == nil:
	case a.mask.DType().IsFloat():
		scores = scores.Add(a.mask)
	default:
		scores = tensor.Where(a.mask, scores, math.Inf(-1))
	}
	weights = scores.Softmax(-1).Dropout(m.dropout())
	out = a.joined(weights.MatMul(a.v))
	if !a.eachHead {
		weights = weights.MeanAxes([]int{1})
	}
	if a.single {
		weights = weights.SqueezeAxis(0)
	}
	return out, weights
}

// dropout returns the probability with which weights are dropped now.
func (m *MultiheadAttention) dropout() float64 {
	if m.Training() {
		return m.Dropout
	}
	return 0
}
