package driver

// API is the driver. Each field is tagged with the C symbol behind it; "a|b" takes the first that the library has, and a field is nil
// where that has none and it is optional. C's
// out-parameters are results, arrays are slices.
//
// Host memory given to a copy must stay alive and unchanged until the copy has run. The parameters of LaunchKernel are free
// again when it returns.
type API struct {
	Library   string // where the functions come from: a path, or the simulated machine
	Release   string // the driver's own version, such as "470.256.02"; empty where it does not tell
	Simulated bool

	// Explain returns what is known beyond the code about the last failure in ctx: a simulated driver names kernel, block,
	// thread and address. It is nil where the driver keeps no such record, and returns nil where there is none.
	Explain func(ctx Context) error

	// JITCompiler opens the library with which the driver compiles PTX, as the first module does, and returns where it was found: "" where
	// the system's loader finds it. It is nil where the driver needs none.
	JITCompiler func() (path string, err error)

	// Within calls f on a thread on which ctx is current, for libraries that compute in the current context.
	Within func(ctx Context, f func()) Result

	Init             func(flags uint32) Result        `cu:"cuInit"`
	DriverGetVersion func() (version int32, r Result) `cu:"cuDriverGetVersion"`
	GetErrorName     func(Result) (string, Result)    `cu:"cuGetErrorName,optional"`
	GetErrorString   func(Result) (string, Result)    `cu:"cuGetErrorString,optional"`

	DeviceGetCount          func() (n int32, r Result)                      `cu:"cuDeviceGetCount"`
	DeviceGet               func(ordinal int32) (Device, Result)            `cu:"cuDeviceGet"`
	DeviceGetName           func(Device) (string, Result)                   `cu:"cuDeviceGetName"`
	DeviceGetUUID           func(Device) (UUID, Result)                     `cu:"cuDeviceGetUuid_v2|cuDeviceGetUuid"`
	DeviceTotalMem          func(Device) (bytes uint64, r Result)           `cu:"cuDeviceTotalMem_v2"`
	DeviceGetAttribute      func(Attribute, Device) (value int32, r Result) `cu:"cuDeviceGetAttribute"`
	DeviceGetPCIBusID       func(Device) (string, Result)                   `cu:"cuDeviceGetPCIBusId"`
	DeviceCanAccessPeer     func(dev, peer Device) (can int32, r Result)    `cu:"cuDeviceCanAccessPeer"`
	DevicePrimaryCtxRetain  func(Device) (Context, Result)                  `cu:"cuDevicePrimaryCtxRetain"`
	DevicePrimaryCtxRelease func(Device) Result                             `cu:"cuDevicePrimaryCtxRelease_v2"`

	CtxSynchronize      func(Context) Result                         `cu:"cuCtxSynchronize"`
	CtxEnablePeerAccess func(ctx, peer Context, flags uint32) Result `cu:"cuCtxEnablePeerAccess"`

	StreamCreate      func(ctx Context, flags uint32, priority int32) (Stream, Result) `cu:"cuStreamCreateWithPriority"`
	StreamSynchronize func(Context, Stream) Result                                     `cu:"cuStreamSynchronize"`
	StreamQuery       func(Context, Stream) Result                                     `cu:"cuStreamQuery"`
	StreamWaitEvent   func(ctx Context, s Stream, e Event, flags uint32) Result        `cu:"cuStreamWaitEvent"`

	EventCreate      func(ctx Context, flags uint32) (Event, Result)                      `cu:"cuEventCreate"`
	EventRecord      func(Context, Event, Stream) Result                                  `cu:"cuEventRecord"`
	EventQuery       func(Context, Event) Result                                          `cu:"cuEventQuery"`
	EventSynchronize func(Context, Event) Result                                          `cu:"cuEventSynchronize"`
	EventElapsedTime func(ctx Context, start, end Event) (milliseconds float32, r Result) `cu:"cuEventElapsedTime"`

	MemGetInfo              func(Context) (free, total uint64, r Result)                   `cu:"cuMemGetInfo_v2"`
	MemAlloc                func(ctx Context, bytes uint64) (Ptr, Result)                  `cu:"cuMemAlloc_v2"`
	MemFree                 func(Context, Ptr) Result                                      `cu:"cuMemFree_v2"`
	MemHostAlloc            func(ctx Context, bytes uint64, flags uint32) ([]byte, Result) `cu:"cuMemHostAlloc"`
	MemHostGetDevicePointer func(ctx Context, p []byte, flags uint32) (Ptr, Result)        `cu:"cuMemHostGetDevicePointer_v2"`

	MemcpyHtoDAsync func(ctx Context, dst Ptr, src []byte, s Stream) Result                                            `cu:"cuMemcpyHtoDAsync_v2"`
	MemcpyDtoHAsync func(ctx Context, dst []byte, src Ptr, s Stream) Result                                            `cu:"cuMemcpyDtoHAsync_v2"`
	MemcpyDtoDAsync func(ctx Context, dst, src Ptr, bytes uint64, s Stream) Result                                     `cu:"cuMemcpyDtoDAsync_v2"`
	MemcpyPeerAsync func(ctx Context, dst Ptr, dstCtx Context, src Ptr, srcCtx Context, bytes uint64, s Stream) Result `cu:"cuMemcpyPeerAsync"`
	MemsetD8Async   func(ctx Context, dst Ptr, value uint8, n uint64, s Stream) Result                                 `cu:"cuMemsetD8Async"`

	ModuleLoadData    func(ctx Context, image []byte, jit *JIT) (Module, Result)  `cu:"cuModuleLoadDataEx"`
	ModuleGetFunction func(ctx Context, m Module, name string) (Function, Result) `cu:"cuModuleGetFunction"`

	FuncSetAttribute func(ctx Context, f Function, a FuncAttribute, value int32) Result `cu:"cuFuncSetAttribute"`

	// OccupancyMaxActiveBlocks returns how many blocks of so many threads and bytes of dynamic shared memory a multiprocessor runs at once,
	// OccupancyMaxActiveClusters how many clusters of a shape the device does; that is nil before CUDA 11.8.
	OccupancyMaxActiveBlocks   func(ctx Context, f Function, threads int32, shared uint64) (blocks int32, r Result) `cu:"cuOccupancyMaxActiveBlocksPerMultiprocessor"`
	OccupancyMaxActiveClusters func(ctx Context, f Function, l *Launch) (clusters int32, r Result)                  `cu:"cuOccupancyMaxActiveClusters,optional"`

	// LaunchKernel takes the kernel's parameters packed as C lays them out in a struct, at most MaxParams bytes, and the bytes of
	// dynamic shared memory.
	LaunchKernel func(ctx Context, f Function, grid, block Dim, shared uint32, s Stream, params []byte) Result `cu:"cuLaunchKernel"`
	// LaunchKernelEx is LaunchKernel for more than a grid; nil before CUDA 11.8.
	LaunchKernelEx func(ctx Context, f Function, l *Launch, s Stream, params []byte) Result `cu:"cuLaunchKernelEx,optional"`

	// Graphs are work that is described node by node and issued as a whole. GraphInstantiate and GraphUpload are nil before CUDA 11.4 and
	// 11.1, and so are graphs of no use there; of no use without each other are all but GraphKernelNodeSetCluster.
	GraphCreate      func(ctx Context, flags uint32) (Graph, Result)              `cu:"cuGraphCreate,optional"`
	GraphDestroy     func(Context, Graph) Result                                  `cu:"cuGraphDestroy,optional"`
	GraphInstantiate func(ctx Context, g Graph, flags uint64) (GraphExec, Result) `cu:"cuGraphInstantiateWithFlags,optional"`
	GraphUpload      func(Context, GraphExec, Stream) Result                      `cu:"cuGraphUpload,optional"`
	GraphLaunch      func(Context, GraphExec, Stream) Result                      `cu:"cuGraphLaunch,optional"`
	GraphExecDestroy func(Context, GraphExec) Result                              `cu:"cuGraphExecDestroy,optional"`
	// The nodes run after another, where that is not 0. What they are given is copied, but for host memory. Launch.Programmatic has no meaning,
	// and clusters are set afterwards.
	GraphAddKernelNode func(ctx Context, g Graph, after GraphNode, f Function, l *Launch, params []byte) (GraphNode, Result) `cu:"cuGraphAddKernelNode_v2|cuGraphAddKernelNode,optional"`
	GraphAddCopyNode   func(ctx Context, g Graph, after GraphNode, c *GraphCopy) (GraphNode, Result)                         `cu:"cuGraphAddMemcpyNode,optional"`
	GraphAddMemsetNode func(ctx Context, g Graph, after GraphNode, dst Ptr, value uint8, bytes uint64) (GraphNode, Result)   `cu:"cuGraphAddMemsetNode,optional"`
	// GraphKernelNodeSetCluster makes a kernel node's blocks run in clusters of a shape.
	GraphKernelNodeSetCluster func(ctx Context, n GraphNode, cluster Dim) Result `cu:"cuGraphKernelNodeSetAttribute,optional"`
	// GraphExecKernelNodeSetParams changes a kernel node of an instantiated graph for the launches that follow.
	GraphExecKernelNodeSetParams func(ctx Context, e GraphExec, n GraphNode, f Function, l *Launch, params []byte) Result `cu:"cuGraphExecKernelNodeSetParams_v2|cuGraphExecKernelNodeSetParams,optional"`

	// TensorMapEncodeTiled describes a tensor in memory for the TMA of GPUs since 9.0; nil before CUDA 12.4, where
	// kernels cannot be given one.
	TensorMapEncodeTiled func(t *TiledTensor) (TensorMap, Result) `cu:"cuTensorMapEncodeTiled,optional"`
}

// Launch is the shape of a launch.
type Launch struct {
	Grid, Block Dim
	Shared      uint32 // bytes of dynamic shared memory
	Cluster     Dim    // blocks that run together; zeros for none
	// Programmatic lets the kernel start before the one ahead of it in the stream has ended: it waits for that itself
	// (griddepcontrol.wait).
	Programmatic bool
}

// MaxParams is how many bytes of parameters a kernel can have: 4096, what CUDA allows before 12.1.
const MaxParams = 4096
