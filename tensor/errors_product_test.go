package tensor

import (
	"testing"

	"cresset/device"
)

func productErrors() []errorCase {
	m := func(sizes ...int) *Tensor { return Ones(sizes...) }
	f64 := func(sizes ...int) *Tensor { return Ones(sizes...).Double() }
	i64 := func(sizes ...int) *Tensor { return Ones(sizes...).Long() }
	w, bias := m(1, 3), m(1)
	return []errorCase{
		{golden: "mm", kind: ErrShape, do: func() { m(2, 3).MM(m(2, 3)) }},
		{golden: "matmul 2d", kind: ErrShape, do: func() { m(2, 3).MatMul(m(2, 3)) }},
		{golden: "matmul 1d1d", kind: ErrShape, do: func() { m(3).MatMul(m(4)) }},
		{golden: "matmul 2d1d", kind: ErrShape, do: func() { m(2, 3).MatMul(m(4)) }},
		{golden: "matmul 1d2d", kind: ErrShape, do: func() { m(3).MatMul(m(4, 2)) }},
		{golden: "bmm", kind: ErrShape, do: func() { m(2, 3, 4).BMM(m(3, 4, 5)) }},
		{golden: "bmm2", kind: ErrShape, do: func() { m(2, 3, 4).BMM(m(2, 5, 4)) }},
		{golden: "matmul 3d", kind: ErrShape, do: func() { m(2, 3, 4).MatMul(m(2, 5, 4)) }},
		{golden: "matmul batch", kind: ErrShape, do: func() { m(2, 3, 4).MatMul(m(3, 4, 5)) }},
		{golden: "matmul 0d", kind: ErrShape, do: func() { m().MatMul(m(3)) }},
		{golden: "mv", kind: ErrShape, do: func() { m(2, 3).MV(m(4)) }},
		{golden: "dot", kind: ErrShape, do: func() { m(3).Dot(m(4)) }},
		{golden: "mm 1d", kind: ErrShape, do: func() { m(3).MM(m(3, 2)) }},
		{golden: "Linear 2d", kind: ErrShape, do: func() { m(2, 4).Linear(w, bias) }},
		{golden: "Linear 1d", kind: ErrShape, do: func() { m(4).Linear(w, bias) }},
		{golden: "Linear 3d", kind: ErrShape, do: func() { m(2, 2, 4).Linear(w, bias) }},
		{golden: "Linear nobias", kind: ErrShape, do: func() { m(2, 4).Linear(w, nil) }},
		{golden: "Linear 0d", kind: ErrShape, do: func() { m().Linear(w, bias) }},
		{golden: "Linear int", kind: ErrDType, do: func() { i64(3).Linear(w, bias) }},
		{golden: "Linear int 2d", kind: ErrDType, do: func() { i64(2, 3).Linear(w, bias) }},
		{golden: "Linear double", kind: ErrDType, do: func() { f64(2, 3).Linear(w, bias) }},
		{golden: "Linear half", kind: ErrDType, do: func() { m(2, 3).Half().Linear(w, bias) }},
		{golden: "Linear 3d dbl", kind: ErrDType, do: func() { f64(2, 2, 3).Linear(w, bias) }},
		{golden: "nobias dbl", kind: ErrDType, do: func() { f64(2, 3).Linear(w, nil) }},
		{golden: "nobias int", kind: ErrDType, do: func() { i64(2, 3).Linear(w, nil) }},
		{golden: "nobias int1d", kind: ErrDType, do: func() { i64(3).Linear(w, nil) }},
		{golden: "mm f32 f64", kind: ErrDType, do: func() { m(2, 2).MM(f64(2, 2)) }},
		{golden: "mm int f32", kind: ErrDType, do: func() { i64(2, 2).MM(m(2, 2)) }},
		{golden: "dot dt", kind: ErrDType, do: func() { m(2).Dot(f64(2)) }},
		{golden: "mv dt", kind: ErrDType, do: func() { m(2, 2).MV(f64(2)) }},
		{golden: "bmm dt", kind: ErrDType, do: func() { m(1, 2, 2).BMM(f64(1, 2, 2)) }},
		{golden: "mm bool", kind: ErrKernel, do: func() { m(2, 2).Bool().MM(m(2, 2).Bool()) }},
		{golden: "addmm dt", kind: ErrDType, do: func() { m(2).AddMM(m(2, 2), f64(2, 2)) }},
		{text: "For integral input tensors, argument alpha must not be a floating point number.", kind: ErrDType,
			do: func() { i64(2).AddMMScaled(i64(2, 2), i64(2, 2), 1, 0.5) }},
		{text: "vector + matrix @ vector expected, got 1, 1, 1", kind: ErrShape, do: func() { m(2).MV(m(2)) }},
		{text: "1D tensors expected, but got 2D and 1D tensors", kind: ErrShape, do: func() { m(2, 2).Dot(m(2)) }},
		{text: "outer: Expected 1-D argument self, but got 2-D", kind: ErrShape, do: func() { m(2, 2).Outer(m(2)) }},
		{text: "batch1 must be a 3D tensor", kind: ErrShape, do: func() { m(2, 2).BMM(m(1, 2, 2)) }},
		{text: "mat1 must be a matrix, got 1-D tensor", kind: ErrShape, do: func() { m(2).AddMM(m(2), m(2, 2)) }},
	}
}

func TestProductsOnSeveralDevices(t *testing.T) {
	there := Ones(2, 2)
	there.storage.device = device.CUDA(0)
	here := Ones(2, 2)
	prefix := "Expected all tensors to be on the same device, but found at least two devices, "
	checkErrors(t, []errorCase{
		{text: prefix + "cpu and cuda:0! (when checking argument for argument mat2 in method wrapper_CUDA_mm)", kind: ErrDevice,
			do: func() { here.MM(there) }},
		{text: prefix + "cpu and cuda:0! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)", kind: ErrDevice,
			do: func() { here.AddMM(there, here) }},
		{text: prefix + "cuda:0 and cpu! (when checking argument for argument mat2 in method wrapper_CUDA_addmm)", kind: ErrDevice,
			do: func() { there.AddMM(there, here) }},
	})
}
