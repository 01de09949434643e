package tensor

// AttentionOption is an option of ScaledDotProductAttention: AttnMask, AttnBias, DropoutP, IsCausal, Scale, EnableGQA, SlidingWindow, SoftCap,
// QueryOffset, or a *Generator to draw from.
type AttentionOption interface{ attentionOption() }

// DropoutP is the probability with which attention leaves out an element of its softmax; the others are divided by 1 - p. It is 0 unless
// given.
type DropoutP float64

// IsCausal lets query i see the keys up to place i, and no key behind it.
type IsCausal bool

// Scale is what attention multiplies the products of queries and keys by, 1/√E unless given, E being their width.
type Scale float64

// EnableGQA lets heads of queries that follow each other share a head of keys and values, of which there are fewer.
type EnableGQA bool

// SlidingWindow lets query i see the keys j with |i - j| less than this number; there is no limit unless it is given, or 0.
type SlidingWindow int

// SoftCap bends the scores of attention to c·tanh(score / c), before the mask is added. Unless it is given, or 0, they stay as they are.
type SoftCap float64

// QueryOffset is the place among the keys at which the first query stands, for IsCausal and SlidingWindow; 0 unless given. Where keys of
// earlier steps are kept, it is their number.
type QueryOffset int

// QueryOffsets is QueryOffset for each sequence: int64 numbers [batch], or [1] for all, on the device of the queries, which attention reads when it runs
// and adds to QueryOffset. A graph's replays so attend to the keys that there are by then. Such attention has no gradients.
func QueryOffsets(places *Tensor) AttentionOption { return queryOffsets{places} }

// AttnMask masks the scores of attention, of shape (…, L, S), to which m is broadcast: where it is of bools, a query sees the keys for
// which it is true; else m is added. A nil m is none.
func AttnMask(m *Tensor) AttentionOption { return attnMask{m} }

// AttnBias adds b to the scores of attention, of shape (…, L, S), to which it is broadcast. Unlike AttnMask, which PyTorch refuses beside
// IsCausal, it is for what keys are worth among those that are seen. A nil b is none.
func AttnBias(b *Tensor) AttentionOption { return attnBias{b} }

type queryOffsets struct{ places *Tensor }

type attnMask struct{ mask *Tensor }

type attnBias struct{ bias *Tensor }

func (queryOffsets) attentionOption()  {}
func (attnMask) attentionOption()      {}
func (attnBias) attentionOption()      {}
func (DropoutP) attentionOption()      {}
func (IsCausal) attentionOption()      {}
func (Scale) attentionOption()         {}
func (EnableGQA) attentionOption()     {}
func (SlidingWindow) attentionOption() {}
func (SoftCap) attentionOption()       {}
func (QueryOffset) attentionOption()   {}
func (*Generator) attentionOption()    {}

// attentionOptions are what the options of attention say.
type attentionOptions struct {
	mask      *Tensor
	bias      *Tensor // instead of a mask
	p         float64
	causal    bool
	scale     *Scale
	grouped   bool
	window    int
	cap       float64
	offset    int
	places    *Tensor
	generator *Generator
}

func readAttention(opts []AttentionOption) (o attentionOptions) {
	for _, opt := range opts {
		switch v := opt.(type) {
		case attnMask:
			o.mask = v.mask
		case attnBias:
			o.bias = v.bias
		case DropoutP:
			o.p = float64(v)
		case IsCausal:
			o.causal = bool(v)
		case Scale:
			o.scale = &v
		case EnableGQA:
			o.grouped = bool(v)
		case SlidingWindow:
			o.window = int(v)
		case SoftCap:
			o.cap = float64(v)
		case QueryOffset:
			o.offset = int(v)
		case queryOffsets:
			o.places = v.places
		case *Generator:
			o.generator = v
		}
	}
	return o
}
