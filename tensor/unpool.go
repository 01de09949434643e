package tensor

import (
	"fmt"
	"slices"
	"strings"

	"cresset/dtype"
)

// MaxUnpoolOption is an option of MaxUnpool1D, MaxUnpool2D and MaxUnpool3D: KernelSize, Stride, Padding or OutputSize.
type MaxUnpoolOption interface {
	slide(*sliding)
	maxUnpool()
}

func (windowOption) maxUnpool() {}

// OutputSize gives the result of MaxUnpool its last extents, where a pool makes one extent of several.
func OutputSize(n ...int) MaxUnpoolOption { return windowOption(func(o *sliding) { o.outputSize = n }) }

// MaxUnpool1D puts the elements of x [N, C, L] or [C, L] where indices, of MaxPool1DWithIndices, say, and zeros elsewhere. It takes
// Stride, the kernel's extent unless given, Padding and OutputSize.
func (x *Tensor) MaxUnpool1D(indices *Tensor, kernel int, opts ...MaxUnpoolOption) *Tensor {
	return x.maxUnpool("max_unpool1d", indices, 1, kernel, opts)
}

// MaxUnpool2D is MaxUnpool1D over the last two axes of x [N, C, H, W] or [C, H, W]. It takes KernelSize too.
func (x *Tensor) MaxUnpool2D(indices *Tensor, kernel int, opts ...MaxUnpoolOption) *Tensor {
	return x.maxUnpool("max_unpool2d", indices, 2, kernel, opts)
}

// MaxUnpool3D is MaxUnpool1D over the last three axes of x [N, C, D, H, W] or [C, D, H, W]. It takes KernelSize too.
func (x *Tensor) MaxUnpool3D(indices *Tensor, kernel int, opts ...MaxUnpoolOption) *Tensor {
	return x.maxUnpool("max_unpool3d", indices, 3, kernel, opts)
}

func (x *Tensor) maxUnpool(name string, indices *Tensor, axes, kernel int, opts []MaxUnpoolOption) *Tensor {
	if a := autocastOf(x, nil); a != nil {
		x = a.one(name, x)
	}
	refuseNil(name, "indices", 2, indices)
	w := readWindow(name, axes, kernel, opts)
	rank := x.Dim()
	switch {
	case rank != axes+1 && rank != axes+2:
		fail(name, ErrShape, fmt.Sprintf("Input to %s should be a %dd or %dd Tensor, but got a tensor with %d dimensions", name, axes+1, axes+2, rank), x, indices)
	case indices.dtype != dtype.Int64:
		fail(name, ErrDType, fmt.Sprintf("elements in indices should be type int64 but got: %s", indices.dtype.ScalarName()), x, indices)
	case !indices.Shape().Equal(x.Shape()):
		fail(name, ErrShape, fmt.Sprintf("Expected shape of indices to be same as that of the input tensor (%s) but got indices tensor with shape: %s",
			x.Shape().List(), indices.Shape().List()), x, indices)
	}
	lead := x.Shape()[:rank-axes]
	refuseIntegers(name, fmt.Sprintf("max_unpool%dd", max(axes, 2)), x)
	to := w.unpooled(name, x, rank)
	places, _ := Shape(to).NumEl()
	elements, _ := x.Shape()[rank-axes:].NumEl()
	flat := append(append(Shape{}, lead...), elements)
	y := x.zeros(append(append(Shape{}, lead...), places))
	if err := Try(func() { y = y.Scatter(-1, indices.Reshape(flat...), x.Reshape(flat...)) }); err != nil {
		indices.refusePlaces(name, places, to)
		panic(err)
	}
	return y.View(append(append(Shape{}, lead...), to...)...)
}

// unpooled returns the last extents of what x was pooled from: as the window has them, or others that are less than a stride away.
func (w *window) unpooled(name string, x *Tensor, rank int) []int {
	to := make([]int, w.axes)
	for i := range to {
		at := 3 - w.axes + i
		to[i] = (x.Size(rank-w.axes+i)-1)*w.stride[at] - 2*w.padding[at] + w.kernel[at]
	}
	if w.outputSize == nil {
		return to
	}
	if len(w.outputSize) != w.axes {
		fail(name, ErrValue, fmt.Sprintf("output_size should be a sequence containing %d or %d elements, but it has a length of '%d'", w.axes, w.axes+2, len(w.outputSize)), x)
	}
	for i, n := range w.outputSize {
		if stride := w.stride[3-w.axes+i]; n <= to[i]-stride || n >= to[i]+stride {
			fail(name, ErrValue, fmt.Sprintf("invalid output_size \"%s\" (dim %d must be between %d and %d)", Shape(w.outputSize).List(), i, to[i]-stride, to[i]+stride), x)
		}
	}
	return w.outputSize
}

// refusePlaces panics on the CPU with PyTorch's text where x names places outside volumes of an extent.
func (x *Tensor) refusePlaces(name string, places int, volume []int) {
	if !x.storage.device.IsCPU() {
		return
	}
	all := Values[int64](x)
	slices.Reverse(all)
	last := slices.IndexFunc(all, func(place int64) bool { return place < 0 || place >= int64(places) })
	if last < 0 {
		return
	}
	size := strings.ReplaceAll(strings.Trim(Shape(volume).List(), "[]"), ", ", "x")
	if len(volume) == 1 {
		size += "x1"
	}
	fail(name, ErrIndex, fmt.Sprintf("Found an invalid max index: %d (output volumes are of size %s)", all[last], size), x)
}
