package checkpoint

import (
	"fmt"
	"math/bits"

	"cresset/dtype"
)

// Entry is what a file says of a tensor.
type Entry struct {
	Name  string
	DType string      // as the format names it: "F8_E4M3", "complex64", "<f4"
	Type  dtype.DType // what it is to cresset, dtype.Undefined where it has no such type
	grad  gradient    // of PyTorch's formats
	Shape []int
	// Stride is the distance in elements between neighbours along each axis; nil for row-major order.
	Stride []int
	// Storage is the same number for tensors that share memory.
	Storage int
	// Offset is the index of the first element in the storage.
	Offset int
	// Bytes is the size of the elements alone.
	Bytes int64
}

// gradient is what a file of PyTorch's says of a tensor's gradient, which goes along when the file is converted to another.
type gradient struct {
	required  bool
	parameter bool // it is a torch.nn.Parameter
}

// numel returns the number of elements, which check has found to be sound.
func (e *Entry) numel() int {
	n := 1
	for _, d := range e.Shape {
		n *= d
	}
	return n
}

// strides returns the distance in elements between neighbours along each axis.
func (e *Entry) strides() []int {
	if e.Stride != nil {
		return e.Stride
	}
	return rowMajor(e.Shape)
}

// rowMajor returns the strides of elements in row-major order.
func rowMajor(shape []int) []int {
	stride, step := make([]int, len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		stride[i] = step
		step *= max(shape[i], 1)
	}
	return stride
}

// span returns how many elements of the storage lie between the first and the last, inclusive.
func (e *Entry) span() int {
	if e.numel() == 0 {
		return 0
	}
	n := 1
	for i, stride := range e.strides() {
		n += (e.Shape[i] - 1) * stride
	}
	return n
}

// contiguous reports whether the elements lie in row-major order without gaps.
func (e *Entry) contiguous() bool {
	if e.Stride == nil || e.numel() == 0 {
		return true
	}
	step := 1
	for i := len(e.Shape) - 1; i >= 0; i-- {
		if e.Shape[i] != 1 && e.Stride[i] != step {
			return false
		}
		step *= e.Shape[i]
	}
	return true
}

// numelOf returns the product of extents; false where one is negative or the product times size overflows.
func numelOf(shape []int, size int) (n int, ok bool) {
	product, empty := uint64(max(size, 1)), false
	for _, d := range shape {
		if d < 0 {
			return 0, false
		}
		if d == 0 {
			empty = true
			continue
		}
		high, low := bits.Mul64(product, uint64(d))
		if high != 0 || low > maxElements {
			return 0, false
		}
		product = low
	}
	if empty {
		return 0, true
	}
	return int(product) / max(size, 1), true
}

// maxElements bounds products of extents, so that sums of a few do not overflow.
const maxElements = 1 << 60

// fault returns what is wrong with where the entry lies in a storage of that many bytes, with elements of that size; "" for nothing.
func (e *Entry) fault(size int, bytes int64) string {
	n, ok := numelOf(e.Shape, size)
	switch {
	case !ok:
		return fmt.Sprintf("shape %v", e.Shape)
	case e.Offset < 0 || e.Offset > maxElements:
		return fmt.Sprintf("offset %d", e.Offset)
	case e.Stride != nil && len(e.Stride) != len(e.Shape):
		return fmt.Sprintf("%d strides for %d axes", len(e.Stride), len(e.Shape))
	case n == 0:
		return ""
	}
	last := uint64(e.Offset)
	for i, stride := range e.strides() {
		high, reach := bits.Mul64(uint64(e.Shape[i]-1), uint64(stride))
		if last += reach; stride < 0 || high != 0 || reach > maxElements || last > maxElements {
			return fmt.Sprintf("strides %v for shape %v", e.Stride, e.Shape)
		}
	}
	if high, end := bits.Mul64(last+1, uint64(size)); high != 0 || end > uint64(bytes) {
		return fmt.Sprintf("shape %v, strides %v and offset %d in a storage of %d bytes", e.Shape, e.strides(), e.Offset, bytes)
	}
	return ""
}
