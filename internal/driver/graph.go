package driver

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// GraphCopy is a copy in memory of the device, or between it and the host: SrcHost or DstHost then has its bytes, which must stay where they
// are while a graph has the copy.
type GraphCopy struct {
	Dst, Src         Ptr
	DstHost, SrcHost []byte
	Bytes            uint64
}

// adaptGraph is adapt for calls about graphs.
func (l *library) adaptGraph(field any, fn uintptr) {
	switch f := field.(type) {
	case *func(Context, uint32) (Graph, Result):
		*f = func(ctx Context, flags uint32) (Graph, Result) {
			v, r := l.out(ctx, fn, uintptr(flags))
			return Graph(v), r
		}
	case *func(Context, Graph) Result:
		*f = func(ctx Context, g Graph) Result { return l.within(ctx, fn, uintptr(g)) }
	case *func(Context, Graph, uint64) (GraphExec, Result):
		*f = func(ctx Context, g Graph, flags uint64) (GraphExec, Result) {
			v, r := l.out(ctx, fn, uintptr(g), uintptr(flags))
			return GraphExec(v), r
		}
	case *func(Context, GraphExec, Stream) Result:
		*f = func(ctx Context, e GraphExec, s Stream) Result { return l.within(ctx, fn, uintptr(e), uintptr(s)) }
	case *func(Context, GraphExec) Result:
		*f = func(ctx Context, e GraphExec) Result { return l.within(ctx, fn, uintptr(e)) }
	case *func(Context, Graph, GraphNode, Function, *Launch, []byte) (GraphNode, Result):
		*f = l.addKernel(fn)
	case *func(Context, Graph, GraphNode, *GraphCopy) (GraphNode, Result):
		*f = l.addCopy(fn)
	case *func(Context, Graph, GraphNode, Ptr, uint8, uint64) (GraphNode, Result):
		*f = l.addMemset(fn)
	case *func(Context, GraphNode, Dim) Result:
		*f = l.setCluster(fn)
	case *func(Context, GraphExec, GraphNode, Function, *Launch, []byte) Result:
		*f = l.setKernel(fn)
	default:
		panic(fmt.Sprintf("driver: no adapter for %T", field))
	}
}

// kernelNode is CUDA_KERNEL_NODE_PARAMS_v2, whose last two fields the function before CUDA 12 does not read: 0 stands for the current
// context.
type kernelNode struct {
	function      uintptr
	grid, block   Dim
	shared        uint32
	params, extra uintptr
	kernel, ctx   uintptr
}

// copyNode is CUDA_MEMCPY3D.
type copyNode struct {
	src, dst             copySide
	width, height, depth uint64
}

// copySide is where a CUDA_MEMCPY3D copies from or to.
type copySide struct {
	x, y, z, lod  uint64
	kind          uint32
	host          uintptr
	device        uint64
	array, _      uintptr
	pitch, height uint64
}

// Kinds of memory, with the numbers of CUmemorytype.
const (
	hostMemory   = 1
	deviceMemory = 2
)

// memsetNode is CUDA_MEMSET_NODE_PARAMS.
type memsetNode struct {
	dst, pitch    uint64
	value, size   uint32 // of an element, in bytes
	width, height uint64
}

// nodeFrame holds what a call about a node points to. It is pooled memory of the heap, which does not move.
type nodeFrame struct {
	kernel    kernelNode
	copies    copyNode
	memset    memsetNode
	attribute launchAttribute
	after     uintptr
}

var nodePool = sync.Pool{New: func() any { return new(nodeFrame) }}

func takeNode() *nodeFrame {
	f := nodePool.Get().(*nodeFrame)
	*f = nodeFrame{}
	return f
}

// release ends the use of the frame by C.
func (f *nodeFrame) release() {
	runtime.KeepAlive(f)
	nodePool.Put(f)
}

// add calls a function that adds a node behind another; node is the address of its description in f.
func (l *library) add(ctx Context, fn uintptr, g Graph, after GraphNode, f *nodeFrame, node uintptr, rest ...uintptr) (GraphNode, Result) {
	var list, count uintptr
	if after != 0 {
		f.after = uintptr(after)
		list, count = uintptr(unsafe.Pointer(&f.after)), 1 // sound: f is on the heap and reachable until its release
	}
	v, r := l.out(ctx, fn, append([]uintptr{uintptr(g), list, count, node}, rest...)...)
	return GraphNode(v), r
}

func (l *library) addKernel(fn uintptr) func(Context, Graph, GraphNode, Function, *Launch, []byte) (GraphNode, Result) {
	return func(ctx Context, g Graph, after GraphNode, k Function, shape *Launch, params []byte) (n GraphNode, r Result) {
		r = l.describeKernel(k, shape, params, func(f *nodeFrame, node uintptr) Result {
			n, r = l.add(ctx, fn, g, after, f, node)
			return r
		})
		return n, r
	}
}

func (l *library) setKernel(fn uintptr) func(Context, GraphExec, GraphNode, Function, *Launch, []byte) Result {
	return func(ctx Context, e GraphExec, n GraphNode, k Function, shape *Launch, params []byte) Result {
		return l.describeKernel(k, shape, params, func(_ *nodeFrame, node uintptr) Result {
			return l.within(ctx, fn, uintptr(e), uintptr(n), node)
		})
	}
}

// describeKernel calls use with a kernel node's description.
func (l *library) describeKernel(k Function, shape *Launch, params []byte, use func(f *nodeFrame, node uintptr) Result) Result {
	if len(params) > MaxParams {
		return ErrInvalidValue
	}
	p := launchPool.Get().(*launchFrame)
	defer launchPool.Put(p)
	p.bytes = uintptr(copy(p.params[:], params))
	f := takeNode()
	defer f.release()
	f.kernel = kernelNode{function: uintptr(k), grid: shape.Grid, block: shape.Block, shared: shape.Shared}
	f.kernel.params, f.kernel.extra = p.arguments(l.places.of(k))
	r := use(f, uintptr(unsafe.Pointer(&f.kernel))) // sound: f and p are on the heap, and reachable until they go back
	runtime.KeepAlive(p)
	return r
}

func (l *library) addCopy(fn uintptr) func(Context, Graph, GraphNode, *GraphCopy) (GraphNode, Result) {
	return func(ctx Context, g Graph, after GraphNode, c *GraphCopy) (GraphNode, Result) {
		f := takeNode()
		defer f.release()
		f.copies = copyNode{src: sideOf(c.Src, c.SrcHost, c.Bytes), dst: sideOf(c.Dst, c.DstHost, c.Bytes), width: c.Bytes, height: 1, depth: 1}
		n, r := l.add(ctx, fn, g, after, f, uintptr(unsafe.Pointer(&f.copies)), uintptr(ctx)) // sound: see add
		runtime.KeepAlive(c)
		return n, r
	}
}

func sideOf(at Ptr, host []byte, bytes uint64) copySide {
	if host != nil {
		return copySide{kind: hostMemory, host: address(host), pitch: bytes, height: 1}
	}
	return copySide{kind: deviceMemory, device: uint64(at), pitch: bytes, height: 1}
}

func (l *library) addMemset(fn uintptr) func(Context, Graph, GraphNode, Ptr, uint8, uint64) (GraphNode, Result) {
	return func(ctx Context, g Graph, after GraphNode, dst Ptr, value uint8, bytes uint64) (GraphNode, Result) {
		f := takeNode()
		defer f.release()
		f.memset = memsetNode{dst: uint64(dst), pitch: bytes, value: uint32(value), size: 1, width: bytes, height: 1}
		return l.add(ctx, fn, g, after, f, uintptr(unsafe.Pointer(&f.memset)), uintptr(ctx)) // sound: see add
	}
}

func (l *library) setCluster(fn uintptr) func(Context, GraphNode, Dim) Result {
	return func(ctx Context, n GraphNode, c Dim) Result {
		f := takeNode()
		defer f.release()
		f.attribute.value = [16]uint32{c.X, c.Y, c.Z}
		return l.within(ctx, fn, uintptr(n), attributeCluster, uintptr(unsafe.Pointer(&f.attribute.value))) // sound: see add
	}
}

// Graphs returns nil where the driver has all that graphs need, else the first function that it lacks.
func (a *API) Graphs() error {
	for _, f := range []struct {
		lacks  bool
		symbol string
	}{
		{a.GraphCreate == nil, "cuGraphCreate"}, {a.GraphDestroy == nil, "cuGraphDestroy"}, {a.GraphInstantiate == nil, "cuGraphInstantiateWithFlags"},
		{a.GraphUpload == nil, "cuGraphUpload"}, {a.GraphLaunch == nil, "cuGraphLaunch"}, {a.GraphExecDestroy == nil, "cuGraphExecDestroy"},
		{a.GraphAddKernelNode == nil, "cuGraphAddKernelNode"}, {a.GraphAddCopyNode == nil, "cuGraphAddMemcpyNode"},
		{a.GraphAddMemsetNode == nil, "cuGraphAddMemsetNode"}, {a.GraphExecKernelNodeSetParams == nil, "cuGraphExecKernelNodeSetParams"},
	} {
		if f.lacks {
			return &SymbolError{Library: a.Library, Symbol: f.symbol}
		}
	}
	return nil
}
