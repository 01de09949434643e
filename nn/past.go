package nn

import (
	"math"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// Attention says how a layer of a decoder attends to the tokens before each one.
type Attention struct {
	Scale   float64 // of the products of queries and keys; 0: 1/√size of a head
	Window  int     // how many tokens each one sees, itself among them; 0: all
	SoftCap float64 // scores become SoftCap·tanh(score/SoftCap); 0: they stay
	Dropout float64 // of the weights
	ALiBi   *ALiBi  // makes scores lower with the distance; nil: not
}

// Past is what a decoder remembers of the tokens that it has read: a *KVCache, or NoPast.
type Past interface {
	// Positions returns the positions of the next n tokens of all sequences: one list that holds for all of them, or one for each.
	Positions(n int) [][]int
	// Attend returns what a layer's queries [batch, heads, n, size] for the next n tokens see of their keys and values [batch, heads or fewer, n, size] and
	// of those before, and remembers these. Every layer has to attend to as many tokens.
	Attend(layer int, q, k, v *tensor.Tensor, how Attention) *tensor.Tensor
	// Wanted returns of what the last layer makes of the tokens, x [batch, n, width], those rows whose scores are asked for.
	Wanted(x *tensor.Tensor) *tensor.Tensor
}

// DevicePast is a Past that keeps positions on the device alone, where a graph's replays change them: a *StaticKVCache.
type DevicePast interface {
	Past
	// PositionIDs returns the positions of the next n tokens, int64 [1, n] for all sequences or [sequences, n].
	PositionIDs(n int) *tensor.Tensor
	// Room is above all positions.
	Room() int
}

// PositionIDs returns the positions of the next n tokens of a past on a device, int64 [1, n] for all sequences or [sequences, n].
func PositionIDs(past Past, n int, dev device.Device) *tensor.Tensor {
	if there, ok := past.(DevicePast); ok {
		return there.PositionIDs(n)
	}
	return inner.ConstantOn(tensor.Of(past.Positions(n)), dev, dtype.Int64)
}

// NoPast is the Past of whole sequences that are read once, in training above all.
var NoPast Past = noPast{}

type noPast struct{}

func (noPast) Positions(n int) [][]int { return [][]int{count(0, n)} }

func (noPast) Wanted(x *tensor.Tensor) *tensor.Tensor { return x }

func (noPast) Attend(_ int, q, k, v *tensor.Tensor, how Attention) *tensor.Tensor {
	return how.Attend(q, k, v, nil, 0)
}

// count returns n numbers from first on.
func count(first, n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = first + i
	}
	return s
}

// Attend returns attention of queries for the tokens from past on: to what a mask lets through, or, where it is nil, to all keys of the window up to
// each one's place. It is for a Past that keeps keys and values in its own way.
func (a Attention) Attend(q, k, v, mask *tensor.Tensor, past int) *tensor.Tensor {
	opts, bias := a.options(q, k), a.bias(k)
	switch {
	case mask == nil:
		opts = append(opts, tensor.IsCausal(true), tensor.QueryOffset(past), tensor.SlidingWindow(a.Window), tensor.AttnBias(bias))
	case bias == nil:
		opts = append(opts, tensor.AttnMask(mask))
	default:
		opts = append(opts, tensor.AttnMask(bias.MaskedFill(mask.LogicalNot(), math.Inf(-1))))
	}
	return tensor.ScaledDotProductAttention(q, k, v, opts...)
}

// options are those that do not depend on which keys are seen.
func (a Attention) options(q, k *tensor.Tensor) []tensor.AttentionOption {
	opts := []tensor.AttentionOption{tensor.EnableGQA(q.Size(1) != k.Size(1)), tensor.SoftCap(a.SoftCap), tensor.DropoutP(a.Dropout)}
	if a.Scale != 0 {
		opts = append(opts, tensor.Scale(a.Scale))
	}
	return opts
}

// bias is what ALiBi adds to the scores of keys; nil: nothing.
func (a Attention) bias(k *tensor.Tensor) *tensor.Tensor {
	if a.ALiBi == nil {
		return nil
	}
	return a.ALiBi.Bias(k.Size(2), k)
}
