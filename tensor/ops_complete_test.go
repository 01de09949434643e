package tensor_test

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda"
	"cresset/internal/op"
	"cresset/tensor"
)

// TestEveryOpIsComplete runs all rows and finds ops that lack a kernel on the CPU, a row that runs it, or a row with its
// gradient.
func TestEveryOpIsComplete(t *testing.T) {
	ran, recorded := make(map[op.Op]bool), make(map[string]bool)
	tensor.SpyOnCPU(t, func(c *backend.Call) { ran[c.Op] = true })
	names := make(map[string]bool)
	for _, r := range allRows() {
		if names[r.name] {
			t.Errorf("two rows are named %s", r.name)
		}
		names[r.name] = true
		for _, dt := range r.allowed() {
			x := r.tensors(device.CPU, dt, !r.noGrad)
			y := r.f(x)
			recorded[y.GradFn()] = true
			if y.RequiresGrad() {
				y.Backward(tensor.Gradient(tensor.OnesLike(y)))
			}
			if r.inPlace != nil && r.resultType(dt) == dt {
				recorded[r.inPlace(r.unleaf(x)).GradFn()] = true
			}
		}
	}
	for _, name := range raced {
		if !names[name] {
			t.Errorf("the race detector wants a row %s, which there is not", name)
		}
	}
	for _, m := range makers {
		m.f(tensor.On(device.CPU))
	}
	for _, o := range op.All() {
		switch plain := !o.IsView() && !o.IsComposed(); {
		case plain && !hasKernel(o):
			t.Errorf("%s (%d) has no kernel on the CPU: make generate writes those of elementwise ops, internal/backend/cpu has the others", o, o)
		case plain && !ran[o]:
			t.Errorf("%s (%d) is run by no row: add one to tensor/ops_activation_test.go, or another of the tables in opTables", o, o)
		case !plain && hasKernel(o):
			t.Errorf("%s (%d) has a kernel, although it is called a view or composed", o, o)
		}
		if o.Grad() != "" && o != op.Dropout && !recorded[o.Grad()] {
			t.Errorf("%s (%d) has no row that gives %s: its row in tensor/ops_*_test.go records no gradient", o, o, o.Grad())
		}
	}
}

func hasKernel(o op.Op) bool {
	for dt := range dtype.DType(dtype.Count) {
		if tensor.HasKernel(o, dt) {
			return true
		}
	}
	return false
}

// missingOnGPUs are the kernels that the CPU has and GPUs lack, by the reason.
var missingOnGPUs = map[string]struct {
	ops    []op.Op
	dtypes []dtype.DType
}{
	"an item's states follow each other": {
		[]op.Op{op.CTCLoss, op.CTCLossGrad}, floatTypes,
	},
	noFactorsOnGPUs: {
		[]op.Op{op.Cholesky, op.SolveTriangular, op.LUFactor, op.LUSolve, op.QR, op.Eigh, op.SVD}, floatTypes,
	},
	"PyTorch's GPUs neither multiply matrices of integers nor convolve with them": {
		[]op.Op{op.MM, op.BMM, op.MV, op.Dot, op.AddMM, op.Conv},
		integerTypes,
	},
	"PyTorch's GPUs pool no integers": {[]op.Op{op.MaxPool2D}, integerTypes},
	"PyTorch's GPUs slide no windows over integers": {
		[]op.Op{op.AvgPool2D, op.ConvGradInput}, []dtype.DType{dtype.Int64},
	},
}

// TestEveryOpIsCompleteOnGPUs finds kernels that GPUs lack without a reason, and reasons for kernels that they have.
func TestEveryOpIsCompleteOnGPUs(t *testing.T) {
	type kernel struct {
		op op.Op
		dt dtype.DType
	}
	reasons := make(map[kernel]string)
	for reason, m := range missingOnGPUs {
		for _, o := range m.ops {
			for _, dt := range m.dtypes {
				reasons[kernel{o, dt}] = reason
			}
		}
	}
	for _, o := range op.All() {
		for dt := range dtype.DType(dtype.Count) {
			reason, listed := reasons[kernel{o, dt}]
			switch missing := tensor.HasKernel(o, dt) && !cuda.Has(o, dt); {
			case missing && !listed:
				t.Errorf("%s (%d) has no kernel for %s on GPUs, and missingOnGPUs no reason", o, o, dt)
			case !missing && listed:
				t.Errorf("%s (%d) lacks no kernel for %s on GPUs, although missingOnGPUs says that %s", o, o, dt, reason)
			}
		}
	}
}
