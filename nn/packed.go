package nn

import (
	"fmt"
	"slices"

	"cresset/tensor"
)

// PackedSequence is sequences of several lengths without what pads them: the rows of Data are the first elements of all sequences, the
// longest first, then the second ones, and so on.
type PackedSequence struct {
	Data       *tensor.Tensor // [Σ lengths, …]
	BatchSizes []int          // how many sequences have a step
	Sorted     []int          // the sequences in the order of their lengths; nil where they were given in it
}

// PackOption is an option of PackPadded.
type PackOption interface {
	setter
	pack()
}

// PadOption is an option of PadSequence and of a PackedSequence's Pad.
type PadOption interface {
	setter
	pad()
}

// BatchFirstOption is what BatchFirst returns.
type BatchFirstOption interface {
	RNNOption
	PackOption
	PadOption
	MultiheadAttentionOption
	TransformerOption
}

// BatchFirst makes sequences [N, L, …] in place of [L, N, …].
func BatchFirst(on bool) BatchFirstOption {
	return option(func(o *options) { o.rnn.batchFirst = on })
}

// EnforceSorted says whether sequences have to be given in the order of their lengths, the longest first, as they have unless told
// otherwise.
func EnforceSorted(on bool) PackOption { return option(func(o *options) { o.anyOrder = !on }) }

// PaddingValue is what stands behind sequences that are shorter than others, 0 unless given.
func PaddingValue(v float64) PadOption { return option(func(o *options) { o.paddingValue = v }) }

// PackPadded packs the sequences of x [L, N, …], of which each has so many elements, PyTorch's pack_padded_sequence. It takes BatchFirst
// and EnforceSorted.
func PackPadded(x *tensor.Tensor, lengths []int, opts ...PackOption) PackedSequence {
	o := read(opts)
	if o.rnn.batchFirst {
		x = x.Transpose(0, 1)
	}
	if len(lengths) != x.Size(1) {
		panic(fault("pack", fmt.Sprintf("Expected `len(lengths)` to be equal to batch_size, but got %d (batch_size=%d)", len(lengths), x.Size(1))))
	}
	p := PackedSequence{Sorted: sortedByLength(lengths, !o.anyOrder)}
	if p.Sorted != nil {
		sorted := make([]int, len(lengths))
		for i, k := range p.Sorted {
			sorted[i] = lengths[k]
		}
		x, lengths = x.IndexSelect(1, indexOf(x, p.Sorted)), sorted
	}
	if len(lengths) == 0 || lengths[len(lengths)-1] < 1 {
		panic(fault("pack", "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"))
	}
	var rows []int
	for t := range lengths[0] {
		n := 0
		for n < len(lengths) && lengths[n] > t {
			rows = append(rows, t*len(lengths)+n)
			n++
		}
		p.BatchSizes = append(p.BatchSizes, n)
	}
	if lengths[0] > x.Size(0) {
		panic(fault("pack", fmt.Sprintf("Expected sequences of at most %d elements, but got a length of %d", x.Size(0), lengths[0])))
	}
	p.Data = x.Flatten(0, 1).IndexSelect(0, indexOf(x, rows))
	return p
}

// PackSequence packs sequences [L, …] of several lengths, PyTorch's pack_sequence. It takes EnforceSorted.
func PackSequence(sequences []*tensor.Tensor, opts ...PackOption) PackedSequence {
	lengths := make([]int, len(sequences))
	for i, s := range sequences {
		lengths[i] = s.Size(0)
	}
	return PackPadded(PadSequence(sequences), lengths, opts...)
}

// PadSequence returns sequences [L, …] as one tensor [L, N, …], with a value behind the shorter ones, PyTorch's pad_sequence. It takes
// BatchFirst and PaddingValue.
func PadSequence(sequences []*tensor.Tensor, opts ...PadOption) *tensor.Tensor {
	o, longest := read(opts), 0
	for _, s := range sequences {
		longest = max(longest, s.Size(0))
	}
	padded := make([]*tensor.Tensor, len(sequences))
	for i, s := range sequences {
		pads := make([]int, 2*s.Dim())
		pads[len(pads)-1] = longest - s.Size(0)
		padded[i] = s.Pad(pads, o.paddingValue)
	}
	if o.rnn.batchFirst {
		return tensor.Stack(padded, 0)
	}
	return tensor.Stack(padded, 1)
}

// sortedByLength returns the order of the lengths, nil where they are in it.
func sortedByLength(lengths []int, enforce bool) []int {
	falls := func(a, b int) int { return lengths[b] - lengths[a] }
	order := make([]int, len(lengths))
	for i := range order {
		order[i] = i
	}
	switch sorted := slices.IsSortedFunc(order, falls); {
	case sorted:
		return nil
	case enforce:
		panic(fault("pack", "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass `enforce_sorted=False` "+
			"to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not need ONNX exportability."))
	}
	slices.SortStableFunc(order, falls)
	return order
}

// indexOf returns numbers as a tensor on x's device.
func indexOf(x *tensor.Tensor, n []int) *tensor.Tensor {
	return tensor.Of(n).To(x.Device())
}

// Lengths returns how long each sequence is.
func (p PackedSequence) Lengths() []int {
	n := 0
	if len(p.BatchSizes) > 0 {
		n = p.BatchSizes[0]
	}
	lengths := make([]int, n)
	for _, size := range p.BatchSizes {
		for i := range size {
			lengths[p.original(i)]++
		}
	}
	return lengths
}

// original returns where the sequence that is sorted to place i was given.
func (p PackedSequence) original(i int) int {
	if p.Sorted == nil {
		return i
	}
	return p.Sorted[i]
}

// Pad returns the sequences as one tensor [L, N, …], with a value behind the shorter ones, PyTorch's pad_packed_sequence. It takes
// BatchFirst and PaddingValue.
func (p PackedSequence) Pad(opts ...PadOption) *tensor.Tensor {
	o := read(opts)
	longest, n := len(p.BatchSizes), p.BatchSizes[0]
	rows := make([]int, longest*n)
	at, end := 0, p.Data.Size(0)
	for t, size := range p.BatchSizes {
		for i := range n {
			k := t*n + p.original(i)
			if o.rnn.batchFirst {
				k = p.original(i)*longest + t
			}
			rows[k] = end // the row of what pads
			if i < size {
				rows[k] = at + i
			}
		}
		at += size
	}
	pads := make([]int, 2*p.Data.Dim())
	pads[len(pads)-1] = 1
	y := p.Data.Pad(pads, o.paddingValue).IndexSelect(0, indexOf(p.Data, rows))
	if o.rnn.batchFirst {
		return y.Unflatten(0, n, longest)
	}
	return y.Unflatten(0, longest, n)
}

// packed computes all layers of packed sequences; states are in the order in which sequences were given.
func (r *RNNBase) packed(x PackedSequence, first []*tensor.Tensor, f direction) (y PackedSequence, last []*tensor.Tensor) {
	r.checkDType(x.Data)
	if x.Data.Size(1) != r.InputSize {
		r.checkInput(x.Data)
	}
	states := r.states(first, x.Data, x.BatchSizes[0]) // checked before they are sorted: a GPU would not survive an index outside
	for i, t := range first {
		if t != nil && x.Sorted != nil {
			states[i] = t.IndexSelect(1, indexOf(t, x.Sorted))
		}
	}
	data, last := r.run(x.Data, x.BatchSizes, states, f)
	if x.Sorted != nil {
		back := make([]int, len(x.Sorted))
		for i, k := range x.Sorted {
			back[k] = i
		}
		for i, t := range last {
			last[i] = t.IndexSelect(1, indexOf(t, back))
		}
	}
	return PackedSequence{data, x.BatchSizes, x.Sorted}, last
}
