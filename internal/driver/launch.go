package driver

import (
	"runtime"
	"sync"
	"unsafe"
)

// Marks of the list that cuLaunchKernel takes as its last argument.
const (
	launchEnd        = 0
	launchParams     = 1
	launchParamBytes = 2
)

// Attributes of launches, with the numbers of CUlaunchAttributeID.
const (
	attributeCluster      = 4
	attributeProgrammatic = 6
)

// launchAttribute is CUlaunchAttribute.
type launchAttribute struct {
	id, _ uint32
	value [16]uint32
}

// launchConfig is CUlaunchConfig.
type launchConfig struct {
	grid, block Dim
	shared      uint32
	stream      uint64
	attributes  uintptr
	count       uint32
}

// launchFrame holds what a launch points to. It is pooled memory of the heap, which does not move, so its addresses hold
// while the frame is out of the pool.
type launchFrame struct {
	extra      [5]uintptr
	bytes      uintptr
	config     launchConfig
	attributes [2]launchAttribute
	pointers   [maxPlaces]uintptr
	params     [MaxParams]byte
}

var launchPool = sync.Pool{New: func() any {
	f := new(launchFrame)
	f.extra = [5]uintptr{
		// Sound as integers: they point into f, which is on the heap and holds them.
		launchParams, uintptr(unsafe.Pointer(&f.params)),
		launchParamBytes, uintptr(unsafe.Pointer(&f.bytes)),
		launchEnd,
	}
	f.config.attributes = uintptr(unsafe.Pointer(&f.attributes)) // sound: f is on the heap and holds it
	return f
}}

func (l *library) launch(fn uintptr) func(Context, Function, Dim, Dim, uint32, Stream, []byte) Result {
	return func(ctx Context, k Function, grid, block Dim, shared uint32, s Stream, params []byte) Result {
		if len(params) > MaxParams {
			return ErrInvalidValue
		}
		f := launchPool.Get().(*launchFrame)
		f.bytes = uintptr(copy(f.params[:], params))
		one, packed := f.arguments(l.places.of(k))
		r := l.within(ctx, fn, uintptr(k),
			uintptr(grid.X), uintptr(grid.Y), uintptr(grid.Z),
			uintptr(block.X), uintptr(block.Y), uintptr(block.Z),
			uintptr(shared), uintptr(s), one, packed)
		runtime.KeepAlive(f)
		launchPool.Put(f)
		return r
	}
}

func (l *library) launchEx(fn uintptr) func(Context, Function, *Launch, Stream, []byte) Result {
	return func(ctx Context, k Function, shape *Launch, s Stream, params []byte) Result {
		if len(params) > MaxParams {
			return ErrInvalidValue
		}
		f := launchPool.Get().(*launchFrame)
		f.bytes = uintptr(copy(f.params[:], params))
		f.configure(shape, s)
		one, packed := f.arguments(l.places.of(k))
		r := l.within(ctx, fn, uintptr(unsafe.Pointer(&f.config)), uintptr(k), one, packed) // sound: the pointers lead into f, see KeepAlive
		runtime.KeepAlive(f)
		launchPool.Put(f)
		return r
	}
}

// clusters asks how many clusters of a shape run at once.
func (l *library) clusters(fn uintptr) func(Context, Function, *Launch) (int32, Result) {
	return func(ctx Context, k Function, shape *Launch) (int32, Result) {
		f := launchPool.Get().(*launchFrame)
		f.configure(shape, 0)
		n, r := l.out(ctx, fn, uintptr(k), uintptr(unsafe.Pointer(&f.config))) // sound: the pointers lead into f, see KeepAlive
		runtime.KeepAlive(f)
		launchPool.Put(f)
		return int32(n), r
	}
}

// configure fills in a launch's shape.
func (f *launchFrame) configure(shape *Launch, s Stream) {
	c := &f.config
	c.grid, c.block, c.shared, c.stream, c.count = shape.Grid, shape.Block, shape.Shared, uint64(s), 0
	if n := shape.Cluster; n.Count() > 0 {
		f.attribute(attributeCluster, n.X, n.Y, n.Z)
	}
	if shape.Programmatic {
		f.attribute(attributeProgrammatic, 1)
	}
}

// attribute adds an attribute to the launch.
func (f *launchFrame) attribute(id uint32, value ...uint32) {
	a := &f.attributes[f.config.count]
	*a = launchAttribute{id: id}
	copy(a.value[:], value)
	f.config.count++
}
