package mpi

import (
	"encoding/binary"
	"fmt"

	"cresset/internal/dl"
)

// ofCUDA is MPIX_GPU_SUPPORT_CUDA.
const ofCUDA = 0

// CUDAAware returns nil where the library takes addresses of CUDA's memory, and else the reason why not.
func (w *World) CUDAAware() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.lib
	asked, says := "MPIX_Query_cuda_support", false
	switch {
	case l.GPUQuerySupport != 0: // of MPICH's family
		asked = "MPIX_GPU_query_support"
		answer := dl.NewMemory(4)
		defer answer.Free()
		binary.NativeEndian.PutUint32(answer.Bytes, 0)
		says = l.GPUQuerySupport.call(ofCUDA, answer.Address(0)) == success && binary.NativeEndian.Uint32(answer.Bytes) != 0
	case l.QueryCUDASupport != 0:
		says = l.QueryCUDASupport.call() == 1
	default:
		return fmt.Errorf("%s (%s) does not say whether it is CUDA-aware: it has neither MPIX_Query_cuda_support nor MPIX_GPU_query_support", l.path, l.version)
	}
	if !says {
		return fmt.Errorf("%s (%s) is not CUDA-aware, as its %s says: Open MPI and MPICH are where they were built --with-cuda, and MPICH unless MPIR_CVAR_ENABLE_GPU is 0", l.path, l.version, asked)
	}
	return nil
}
