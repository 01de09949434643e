package tensor

import (
	"fmt"
	"math"
	"slices"
)

// EmbeddingBagOption is an option of EmbeddingBag: a BagMode, PerSampleWeights, IncludeLastOffset, ScaleGradByFreq or a PaddingIndex, whose
// rows do not count.
type EmbeddingBagOption interface{ embeddingBag(b *bags) }

// BagMode is what EmbeddingBag makes of the rows of a bag.
type BagMode string

// The modes of EmbeddingBag: the sum of the rows, their mean, and the largest of each column.
const (
	SumBags  BagMode = "sum"
	MeanBags BagMode = "mean"
	MaxBags  BagMode = "max"
)

// IncludeLastOffset makes the last of EmbeddingBag's offsets the end of the last bag, rather than the beginning of one.
type IncludeLastOffset bool

// PerSampleWeights weighs the rows that EmbeddingBag sums: w has the shape of the indices.
func PerSampleWeights(w *Tensor) EmbeddingBagOption { return sampleWeights{w} }

type sampleWeights struct{ tensor *Tensor }

// bags is how indices are divided.
type bags struct {
	mode        BagMode
	weights     *Tensor
	includeLast bool
	padding     *PaddingIndex
	byFrequency ScaleGradByFreq
}

func (m BagMode) embeddingBag(b *bags)           { b.mode = m }
func (w sampleWeights) embeddingBag(b *bags)     { b.weights = w.tensor }
func (l IncludeLastOffset) embeddingBag(b *bags) { b.includeLast = bool(l) }
func (p PaddingIndex) embeddingBag(b *bags)      { b.padding = &p }
func (s ScaleGradByFreq) embeddingBag(b *bags)   { b.byFrequency = s }

// EmbeddingBag returns what a BagMode, MeanBags unless given, makes of the rows of weight, a matrix, that the indices of each bag name:
// [bags, width]. The rows of a matrix of indices are bags, and offsets is nil; those of a vector begin at offsets, the first at 0. A bag
// without indices gives zeros. It takes a BagMode, PerSampleWeights for SumBags, IncludeLastOffset, a PaddingIndex and, but for MaxBags, ScaleGradByFreq.
func EmbeddingBag(weight, indices, offsets *Tensor, opts ...EmbeddingBagOption) *Tensor {
	b := bags{mode: MeanBags}
	for _, o := range opts {
		o.embeddingBag(&b)
	}
	b.check(weight, indices, offsets)
	starts := b.starts(indices, offsets)
	places, bag, sizes := b.members(weight, indices, starts)
	flat := indices.Reshape(-1)
	rows := Embedding(weight, flat.IndexSelect(0, weight.indices(places)), b.byFrequency)
	if b.weights != nil {
		rows = rows.Mul(b.weights.Reshape(-1).IndexSelect(0, weight.indices(places)).Unsqueeze(1))
	}
	if b.mode == MaxBags {
		return rows.largestOfBags(bag, sizes)
	}
	sum := rows.zeros(Shape{len(sizes), weight.Size(1)}).IndexAdd(0, weight.indices(bag), rows)
	if b.mode == SumBags {
		return sum
	}
	counts := make([]float64, len(sizes))
	for i, n := range sizes {
		counts[i] = float64(max(n, 1))
	}
	return sum.Div(Of(counts).To(weight.dtype).To(weight.storage.device).Unsqueeze(1))
}

// starts returns where each bag begins, and where the last one ends.
func (b *bags) starts(indices, offsets *Tensor) []int64 {
	var starts []int64
	if indices.Dim() == 2 {
		for i := range indices.Size(0) + 1 {
			starts = append(starts, int64(i*indices.Size(1)))
		}
		return starts
	}
	n := int64(indices.NumEl())
	starts = Values[int64](offsets.Long())
	b.checkStarts(starts, n, indices, offsets)
	if b.includeLast {
		return starts
	}
	return append(starts, n)
}

// checkStarts panics where bags of n indices do not lie one behind the other.
func (b *bags) checkStarts(starts []int64, n int64, indices, offsets *Tensor) {
	const name = "embedding_bag"
	text := ""
	switch last := len(starts) - 1; {
	case last < 0 && b.includeLast:
		text = "include_last_offset: number of offset should be at least 1"
	case last < 0:
		return
	case starts[0] != 0:
		text = fmt.Sprintf("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got %d", starts[0])
	case starts[last] > n:
		text = fmt.Sprintf("offsets[-1] can not be greater than input's length %d but got offsets[-1] of %d", n, starts[last])
	case !slices.IsSorted(starts):
		text = "offsets have to be in ascending order"
	default:
		return
	}
	fail(name, ErrValue, text, indices, offsets)
}

// members returns the places of the indices that count, the bag of each, and how many each bag has.
func (b *bags) members(weight, indices *Tensor, starts []int64) (places, bag []int64, sizes []int) {
	var skip []int64
	padding := -1
	if b.padding != nil {
		skip, padding = Values[int64](indices.Long()), b.padding.paddingRow(weight)
	}
	for i := range len(starts) - 1 {
		n := 0
		for p := starts[i]; p < starts[i+1]; p++ {
			if skip == nil || skip[p] != int64(padding) {
				places, bag = append(places, p), append(bag, int64(i))
				n++
			}
		}
		sizes = append(sizes, n)
	}
	return places, bag, sizes
}

// largestOfBags returns the largest element of each column of the rows of each bag.
func (x *Tensor) largestOfBags(bag []int64, sizes []int) *Tensor {
	if len(sizes) == 0 {
		return x.Narrow(0, 0, 0)
	}
	longest := 1
	for _, n := range sizes {
		longest = max(longest, n)
	}
	table := make([]int64, len(sizes)*longest)
	for i := range table {
		table[i] = int64(len(bag)) // a row of -∞
	}
	filled := make([]int, len(sizes))
	for row, i := range bag {
		table[int(i)*longest+filled[i]] = int64(row)
		filled[i]++
	}
	y := x.Pad([]int{0, 0, 0, 1}, math.Inf(-1)).IndexSelect(0, x.indices(table)).Unflatten(0, len(sizes), longest)
	values, _ := y.MaxAxis(1)
	empty := make([]bool, len(sizes))
	for i, n := range sizes {
		empty[i] = n == 0
	}
	return values.MaskedFill(Of(empty).To(x.storage.device).Unsqueeze(1), 0)
}

func (b *bags) check(weight, indices, offsets *Tensor) {
	const name = "embedding_bag"
	refuseNil(name, "weight", 1, weight)
	refuseNil(name, "input", 2, indices)
	switch {
	case weight.IsCUDA() && !weight.dtype.IsFloat():
		refuseIntegers(name, "embedding_bag_cuda", weight, indices, offsets)
	case !weight.dtype.IsFloat():
		fail(name, ErrDType, fmt.Sprintf("Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, Float, Double; "+
			"but got %s instead (while checking arguments for embedding_bag)", weight.legacyType()), weight, indices)
	case b.weights != nil && !b.weights.Shape().Equal(indices.Shape()):
		fail(name, ErrShape, fmt.Sprintf("embedding_bag: If per_sample_weights (%s) is not None, then it must have the same shape as the input (%s)",
			b.weights.Shape().List(), indices.Shape().List()), weight, indices)
	case weight.Dim() != 2:
		fail(name, ErrShape, "weight has to be a 2D Tensor", weight, indices)
	case indices.Dim() == 2 && offsets != nil:
		fail(name, ErrValue, "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. However, found offsets of type "+
			offsets.legacyType(), weight, indices)
	case indices.Dim() == 1 && offsets == nil:
		fail(name, ErrValue, "offsets has to be a 1D Tensor but got None", weight, indices)
	case indices.Dim() == 1 && offsets.Dim() != 1:
		fail(name, ErrShape, "offsets has to be a 1D Tensor", weight, indices)
	case indices.Dim() != 1 && indices.Dim() != 2:
		fail(name, ErrShape, fmt.Sprintf("input has to be 1D or 2D Tensor, but got Tensor of dimension %d", indices.Dim()), weight, indices)
	case b.mode != SumBags && b.mode != MeanBags && b.mode != MaxBags:
		fail(name, ErrValue, "mode has to be one of sum, mean or max", weight, indices)
	case b.mode == MaxBags && bool(b.byFrequency):
		fail(name, ErrValue, "max mode does not support scaling the gradient by the frequency", weight, indices)
	case b.weights != nil && b.mode != SumBags:
		fail(name, ErrValue, fmt.Sprintf("embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got mode='%s'). "+
			"Please open a feature request on GitHub.", b.mode), weight, indices)
	case !indices.isIndex():
		fail(name, ErrDType, fmt.Sprintf("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "+
			"but got %s instead (while checking arguments for embedding_bag)", indices.legacyType()), weight, indices)
	case offsets != nil && !offsets.isIndex():
		fail(name, ErrDType, fmt.Sprintf("Expected tensor for argument #1 'offsets' to have one of the following scalar types: Long, Int; "+
			"but got %s instead (while checking arguments for embedding_bag)", offsets.legacyType()), weight, indices)
	}
}
