package cli

import (
	"math"
	"slices"

	"cresset/dtype"
	"cresset/tensor"
)

// moments are what is known of some elements, from which that of more is made.
type moments struct {
	finite, zeros, nan, inf int
	least, most, mean       float64 // of the finite ones
	squares                 float64 // Σ (v - mean)² of these
}

func newMoments() moments { return moments{least: math.Inf(1), most: math.Inf(-1)} }

// addTensor adds the elements of a contiguous tensor on the CPU. Those whose numbers Go has no type for are converted without loss.
func (m *moments) addTensor(x *tensor.Tensor) {
	switch x.DType() {
	case dtype.Float64:
		addAll(m, tensor.Data[float64](x))
	case dtype.Float32:
		addAll(m, tensor.Data[float32](x))
	case dtype.Int64:
		addAll(m, tensor.Data[int64](x))
	case dtype.Int32:
		addAll(m, tensor.Data[int32](x))
	case dtype.Int16:
		addAll(m, tensor.Data[int16](x))
	case dtype.Int8:
		addAll(m, tensor.Data[int8](x))
	case dtype.Uint8:
		addAll(m, tensor.Data[uint8](x))
	default:
		addAll(m, tensor.Values[float32](x))
	}
}

// blockElements is how many elements are read twice, for their mean and for the distance from it, while they are in the cache.
const blockElements = 1 << 11

func addAll[T dtype.Number](m *moments, values []T) {
	for block := range slices.Chunk(values, blockElements) {
		m.join(momentsOf(block))
	}
}

// momentsOf takes the mean as it comes, and corrects it and the squares by the distances from it, whose sum is small.
func momentsOf[T dtype.Number](values []T) moments {
	m, sum := newMoments(), 0.0
	for _, v := range values {
		f := float64(v)
		if f-f != 0 {
			if f != f {
				m.nan++
			} else {
				m.inf++
			}
			continue
		}
		zero := 0 // and no branch, which integers would mispredict
		if v == 0 {
			zero = 1
		}
		m.zeros += zero
		if f < m.least {
			m.least = f
		}
		if f > m.most {
			m.most = f
		}
		sum += f
	}
	if m.finite = len(values) - m.nan - m.inf; m.finite == 0 {
		return m
	}
	n, apart := float64(m.finite), 0.0
	mean := sum / n
	for _, v := range values {
		if f := float64(v); f-f == 0 {
			apart += f - mean
			m.squares += (f - mean) * (f - mean)
		}
	}
	m.mean = mean + apart/n
	m.squares -= apart * apart / n
	return m
}

// join makes m what is known of its elements and of the others.
func (m *moments) join(other moments) {
	if other.finite > 0 {
		share := float64(other.finite) / float64(m.finite+other.finite)
		apart := other.mean - m.mean
		m.squares += other.squares + apart*apart*float64(m.finite)*share
		m.mean += apart * share
	}
	m.least, m.most = min(m.least, other.least), max(m.most, other.most)
	m.finite, m.zeros, m.nan, m.inf = m.finite+other.finite, m.zeros+other.zeros, m.nan+other.nan, m.inf+other.inf
}
