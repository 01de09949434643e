package tensor

import (
	"fmt"
	"runtime"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Target is what To accepts: a device.Device, a dtype.DType, a *Tensor for its dtype and device, NonBlocking or Copy. All of
// them can be printed; anything else that can is refused when To is called.
type Target interface{ String() string }

// NonBlocking lets a copy from pinned memory to a GPU, or from a GPU to the CPU, run in the background: call cuda.Synchronize
// before you read what comes from a GPU, or change what goes to one.
type NonBlocking bool

// Copy makes To copy even where nothing changes.
type Copy bool

// String prints the option as a keyword argument.
func (on NonBlocking) String() string { return fmt.Sprintf("non_blocking=%t", bool(on)) }

// String prints the option as a keyword argument.
func (on Copy) String() string { return fmt.Sprintf("copy=%t", bool(on)) }

// target is what To was asked for.
type target struct {
	device      device.Device
	dtype       dtype.DType
	moves       bool // a device was named
	nonBlocking bool
	copy        bool
}

// targetOf reads the targets of To; nil, two devices or two dtypes panic.
func targetOf(name string, targets []Target) target {
	var to target
	for _, t := range targets {
		switch t := t.(type) {
		case device.Device:
			to.setDevice(name, t)
		case dtype.DType:
			to.setDType(name, t)
		case NonBlocking:
			to.nonBlocking = bool(t)
		case Copy:
			to.copy = bool(t)
		case *Tensor:
			if t == nil {
				fail(name, ErrValue, name+"() received a nil tensor")
			}
			to.setDevice(name, t.storage.device)
			to.setDType(name, t.dtype)
		default:
			failHint(name, ErrValue, name+"() received an invalid combination of arguments",
				"name a device.Device, a dtype.DType, a *Tensor, tensor.NonBlocking or tensor.Copy")
		}
	}
	return to
}

func (to *target) setDevice(name string, d device.Device) {
	if to.moves {
		fail(name, ErrValue, name+"() received an invalid combination of arguments - got two devices, "+to.device.String()+" and "+d.String())
	}
	to.device, to.moves = d, true
}

func (to *target) setDType(name string, d dtype.DType) {
	if to.dtype != dtype.Undefined {
		fail(name, ErrValue, name+"() received an invalid combination of arguments - got two dtypes, "+to.dtype.String()+" and "+d.String())
	}
	if d == dtype.Undefined {
		fail(name, ErrValue, name+"() received an undefined dtype")
	}
	to.dtype = d
}

// To returns x on another device, in another dtype, or both. It returns x itself where nothing changes; note that cpu:0
// is not cpu, as in PyTorch. The copy keeps the order of the axes in memory, and gradients flow back through it.
func (x *Tensor) To(targets ...Target) *Tensor {
	to := targetOf("to", targets)
	if to.dtype == dtype.Undefined {
		to.dtype = x.dtype
	}
	if !to.moves {
		to.device = x.storage.device
	}
	if to.dtype == x.dtype && to.leaves(x.storage.device) && !to.copy {
		return x
	}
	x.alive()
	out := x.copied(to)
	if placement.on.Load() {
		placement.moved(x.storage, out.storage)
	}
	record(out, op.Copy, copyGrad, nil, x)
	return out
}

// copied returns a copy of x as it was asked for.
func (x *Tensor) copied(to target) *Tensor {
	dev := resolve(to.device)
	if x.storage.device.IsMeta() && !dev.IsMeta() {
		check("to", ErrMeta, backend.ErrNoData, x)
	}
	if out := x.transferInBackground(to); out != nil {
		return out
	}
	out := x.emptyLike("to", dev, to.dtype)
	if out.storage.device == x.storage.device {
		out.copyFrom(x)
	} else {
		out.transfer(x, to.nonBlocking)
	}
	return out
}

// leaves reports whether a tensor on dev is where it was asked for already. A cuda without an index is the current one.
func (to *target) leaves(dev device.Device) bool {
	return to.device == dev || !to.device.IsCPU() && resolve(to.device) == dev
}

// emptyLike returns an uninitialised tensor of x's shape that keeps the order of the axes in memory.
func (x *Tensor) emptyLike(name string, dev device.Device, dt dtype.DType) *Tensor {
	return newResult(name, dev, dt, x.preserved(), x)
}

// preserved returns the layout of a copy of x that keeps the order of the axes in memory.
func (x *Tensor) preserved() *layout.Layout {
	return new(layout.Of(x.layout.Shape(), x.layout.PreservedStrides(), 0))
}

// copyGrad needs nothing but give, which casts and moves a gradient to where the input is.
func copyGrad(b *backprop, dy *Tensor) { b.give(0, dy) }

// transfer fills x, whose elements leave no gaps, from a tensor of the same shape on another device.
func (x *Tensor) transfer(from *Tensor, nonBlocking bool) {
	from.noteMove("to")
	src := from.cast(x.dtype)
	if !sameOrder(src.layout, x.layout) {
		packed := new(layout.Of(x.layout.Shape(), x.layout.Strides(), 0))
		src = newResult("to", src.storage.device, x.dtype, packed, nil).copyFrom(src)
	}
	defer src.hold().leave()
	defer x.hold().leave()
	size := x.dtype.Size()
	w := watchCopy(from, x.storage.backend, backend.Transfer{To: x.storage.device, Bytes: x.layout.Size() * size,
		Pinned: src.IsPinned(), NonBlocking: nonBlocking})
	err := x.storage.backend.CopyFrom(x.storage.buf, x.layout.Offset*size, src.storage.buf, src.layout.Offset*size, x.layout.Size()*size, src.storage.backend)
	checkDone("to", err, x, from)
	w.done(x.storage)
	runtime.KeepAlive(src)
}

// copyFrom fills x from a tensor of its shape on its device, in any dtype and layout, and returns x. It is not recorded.
func (x *Tensor) copyFrom(t *Tensor) *Tensor {
	launch(op.Copy, x.dtype, nil, []*Tensor{x}, []*Tensor{t})
	return x
}

func sameOrder(a, b *layout.Layout) bool {
	for i := range a.Shape() {
		if a.Shape()[i] > 1 && a.Strides()[i] != b.Strides()[i] {
			return false
		}
	}
	return a.Size() == 0 || a.Span() == a.Size()
}

// CPU returns x on the CPU.
func (x *Tensor) CPU() *Tensor { return x.To(device.CPU) }

// CUDA returns x on a GPU: that of the given index, or the current one.
func (x *Tensor) CUDA(index ...int) *Tensor { return x.To(device.CUDA(index...)) }

// Float returns x as float32.
func (x *Tensor) Float() *Tensor { return x.To(dtype.Float32) }

// Double returns x as float64.
func (x *Tensor) Double() *Tensor { return x.To(dtype.Float64) }

// Half returns x as float16.
func (x *Tensor) Half() *Tensor { return x.To(dtype.Float16) }

// BFloat16 returns x as bfloat16.
func (x *Tensor) BFloat16() *Tensor { return x.To(dtype.BFloat16) }

// Int returns x as int32.
func (x *Tensor) Int() *Tensor { return x.To(dtype.Int32) }

// Long returns x as int64.
func (x *Tensor) Long() *Tensor { return x.To(dtype.Int64) }

// Bool returns x as bool: true where an element is not zero.
func (x *Tensor) Bool() *Tensor { return x.To(dtype.Bool) }

// Clone returns a copy of x through which gradients flow.
func (x *Tensor) Clone() *Tensor {
	out := x.emptyLike("clone", x.storage.device, x.dtype).copyFrom(x)
	record(out, op.Clone, copyGrad, nil, x)
	return out
}

// Contiguous returns x with its elements in row-major order: x itself where they are, else a copy.
func (x *Tensor) Contiguous() *Tensor {
	out := x.packedCopy()
	if out != x {
		record(out, op.Clone, copyGrad, nil, x)
	}
	return out
}
