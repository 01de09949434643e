package dist

import "time"

// Option is an option of Init and Spawn.
type Option func(*options)

type options struct {
	timeout   time.Duration
	debug     bool
	engine    string
	cudaAware bool
}

// Timeout is how long an operation takes at most before its Wait gives up, and how long Init waits for other ranks, DefaultTimeout unless given.
func Timeout(d time.Duration) Option { return func(o *options) { o.timeout = d } }

// Debug has ranks compare before each collective operation what they are about to do, so that a mismatch is an error that names ranks and places in the program instead of a wait
// that does not end. Groups of one program always do. It is on where TORCH_DISTRIBUTED_DEBUG is DETAIL.
func Debug(on bool) Option { return func(o *options) { o.debug = on } }

// Engine is what carries out the operations, instead of what the launcher has set up: "mpi" or "local", which tensors on GPUs pass through the host, or "nccl". NCCL, 2.18 or newer, joins
// elements as it does: it adds halves in their own precision, and its Min and Max may lose a NaN. Ranks that know each other otherwise, by MPI or as goroutines, have it for
// tensors on GPUs alone; ranks that a launcher like torchrun has started meet at NCCL_COMM_ID, or else at MASTER_ADDR, one port behind MASTER_PORT, and
// their tensors on the CPU pass through their GPUs, which are those of the number LOCAL_RANK.
func Engine(name string) Option { return func(o *options) { o.engine = name } }

// CUDAAwareMPI hands tensors on GPUs to MPI where they lie, once the GPU has computed them, instead of by NCCL or through pinned memory. Init fails where the library of
// some rank is not CUDA-aware. It is on where CRESSET_CUDA_AWARE_MPI is 1, and all ranks choose alike.
func CUDAAwareMPI(on bool) Option { return func(o *options) { o.cudaAware = on } }
