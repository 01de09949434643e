// Package backend is the seam between tensors and the devices that compute. A backend owns memory and a table from
// (op, dtype) to a kernel; it knows nothing of gradients.
package backend

import (
	"fmt"
	"strings"

	"cresset/dtype"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// Buffer is memory on a device, made by that device's Backend.
type Buffer interface {
	// Size returns the buffer's size in bytes.
	Size() int
}

// Backend is one device: the CPU, or one GPU.
type Backend interface {
	// Alloc returns a buffer of uninitialised memory, or an error that says how much was asked for.
	Alloc(bytes int) (Buffer, error)
	// Free gives a buffer back for reuse; work that was issued before is not disturbed.
	Free(b Buffer)
	// CopyIn writes host bytes into dst from byte offset on; src may be reused when it returns.
	CopyIn(dst Buffer, offset int, src []byte) error
	// CopyOut reads host bytes from src at byte offset, after all work that was issued before.
	CopyOut(dst []byte, src Buffer, offset int) error
	// CopyFrom copies bytes of a buffer of another backend, after all work that was issued before on both.
	CopyFrom(dst Buffer, dstOffset int, src Buffer, srcOffset, bytes int, from Backend) error
	// Run issues a kernel; errors are those that are known at once.
	Run(c *Call) error
	// Has reports whether Run has a kernel for the op on that dtype.
	Has(o op.Op, dt dtype.DType) bool
	// Sync waits for all issued work and returns its error.
	Sync() error
	// Memory returns what is allocated on the device.
	Memory() MemoryStats
}

// MemoryStats counts bytes on a device.
type MemoryStats struct {
	Allocated int64 // handed out now
	Peak      int64 // the most that was handed out at once
	Reserved  int64 // held from the system, handed out or kept for reuse
}

// View is an operand of a kernel: elements of a buffer, or one constant.
type View struct {
	Buf    Buffer         // nil for a constant
	Layout *layout.Layout // of a tensor, so not to be changed; nil for a constant
	DType  dtype.DType
	Const  Scalar
}

// IsConst reports whether the operand is a constant that stands for every element.
func (v *View) IsConst() bool { return v.Buf == nil }

// Scalar is a number from the host, kept exactly in whichever field its kind names.
type Scalar struct {
	F    float64
	I    int64
	Kind ScalarKind
}

// ScalarKind tells a number's kind, on which type promotion depends.
type ScalarKind uint8

// The kinds of scalars.
const (
	BoolScalar ScalarKind = iota
	IntScalar
	FloatScalar
)

// Float returns the scalar as a float64.
func (s Scalar) Float() float64 {
	if s.Kind == FloatScalar {
		return s.F
	}
	return float64(s.I)
}

// Int returns the scalar as an int64; a float is truncated toward zero.
func (s Scalar) Int() int64 {
	if s.Kind == FloatScalar {
		return int64(s.F)
	}
	return s.I
}

// DType returns the dtype that the scalar stands for in type promotion: bool, int64 or the default float32.
func (s Scalar) DType() dtype.DType {
	switch s.Kind {
	case BoolScalar:
		return dtype.Bool
	case IntScalar:
		return dtype.Int64
	default:
		return dtype.Float32
	}
}

// MissingKernelError says that a device has no kernel for an op on a dtype.
type MissingKernelError struct {
	Op    op.Op
	DType dtype.DType
	GPU   bool // others may have it
}

// Hint says where the op may be computed.
func (e *MissingKernelError) Hint() string {
	if !e.GPU {
		return ""
	}
	return "GPUs have no kernel for " + e.Op.String() + " on this dtype: cresset doctor --ops lists what runs where; CPU and To move a tensor"
}

func (e *MissingKernelError) Error() string {
	return fmt.Sprintf("\"%s\" not implemented for '%s'", KernelName(e.Op.Kernel(), e.GPU), e.DType.ScalarName())
}

// KernelName is PyTorch's name of a kernel on a GPU or the CPU, from that on the CPU.
func KernelName(kernel string, gpu bool) string {
	if !gpu {
		return kernel
	}
	if name, ok := gpuKernels[kernel]; ok {
		return name
	}
	return strings.Replace(kernel, "_cpu", "_cuda", 1)
}

// gpuKernels are the kernels whose names differ by more than the device.
var gpuKernels = map[string]string{
	"GeluKernelImpl":                  "GeluCUDAKernelImpl",
	"adaptive_avg_pool2d":             "adaptive_avg_pool2d_cuda",
	"adaptive_max_pool2d":             "adaptive_max_pool2d_cuda",
	"addcdiv_cpu_out":                 "addcdiv_cuda",
	"addcmul_cpu_out":                 "addcmul_cuda",
	"addmm":                           "addmm_cuda",
	"addmm_impl_cpu_":                 "addmm_cuda",
	"avg_pool2d":                      "avg_pool2d_out_cuda_frame",
	"avg_pool3d_out_frame":            "avg_pool3d_out_cuda",
	"baddbmm":                         "baddbmm_cuda",
	"batch_norm":                      "batch_norm_stats_cuda",
	"binary_cross_entropy":            "binary_cross_entropy_out_cuda",
	"bmm":                             "baddbmm_cuda",
	"ceil_vml_cpu":                    "ceil_cuda",
	"floor_vml_cpu":                   "floor_cuda",
	"grid_sampler3d_cpu":              "grid_sampler_3d_cuda",
	"grid_sampler_2d_cpu_kernel_impl": "grid_sampler_2d_cuda",
	"histogram_cpu":                   "histc",
	"lerp_kernel_scalar":              "lerp_cuda",
	"lerp_kernel_tensor":              "lerp_cuda",
	"log_sigmoid_cpu":                 "log_sigmoid_forward_cuda",
	"log_softmax_kernel_impl":         "host_softmax",
	"log_softmax_lastdim_kernel_impl": "host_softmax",
	"logcumsumexp_out_cpu":            "logcumsumexp_cuda",
	"max_pool1d_impl":                 "max_pool2d_with_indices_out_cuda_frame",
	"max_pool2d":                      "max_pool2d_with_indices_out_cuda_frame",
	"max_pool3d":                      "max_pool3d_with_indices_out_frame",
	"max_unpool2d":                    "max_unpooling2d_forward_kernel",
	"max_unpool3d":                    "max_unpooling3d_forward_kernel",
	"mm":                              "addmm_cuda",
	"multi_margin_loss_cpu_kernel":    "multi_margin_loss_cuda",
	"multilabel_margin_loss_forward_out_frame": "multilabel_margin_loss_forward_kernel",
	"mv":                                    "addmv_impl_cuda",
	"nll_loss_out_frame":                    "nll_loss_forward_reduce_cuda_kernel_2d",
	"pow":                                   "pow_cuda",
	"randperm":                              "arange_cuda",
	"reflection_pad1d":                      "reflection_pad1d_out",
	"reflection_pad2d":                      "reflection_pad2d_out_template",
	"reflection_pad3d":                      "reflection_pad3d_out_cuda",
	"replication_pad1d":                     "replication_pad1d_cuda",
	"replication_pad2d":                     "replication_pad2d_cuda",
	"replication_pad3d":                     "replication_pad3d_cuda",
	"round_vml_cpu":                         "round_cuda",
	"scatter_gather_tensor_cpu_reduce_mean": "cuda_scatter_gather_base_kernel_func",
	"scatter_reduce":                        "cuda_scatter_gather_base_kernel_func",
	"softmax_kernel_impl":                   "host_softmax",
	"softmax_lastdim_kernel_impl":           "host_softmax",
	"trunc_vml_cpu":                         "trunc_cuda",
}

// IndexError says that the data hold an index outside of its range.
type IndexError struct{ Text string }

func (e *IndexError) Error() string { return e.Text }
