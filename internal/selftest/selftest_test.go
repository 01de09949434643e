package selftest

import (
	"context"
	"math"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestSimulatedGPUPasses runs every check, which reach every kernel but those that have a reason.
func TestSimulatedGPUPasses(t *testing.T) {
	if raceEnabled {
		t.Skip("takes minutes under the race detector")
	}
	devicetest.Use(t, "gtx1070")
	gpu := device.CUDA(0)
	err := Run(context.Background(), gpu, Checks(false), func(f Family) {
		t.Logf("%s: %d checks", f.Name, f.Checks)
		for _, x := range f.Failures {
			t.Errorf("%s: %s of %s: %s", f.Name, x.Check, x.DType, x.Found)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	used, rest, err := Used(gpu)
	if err != nil {
		t.Fatal(err)
	}
	for _, kernel := range rest {
		if unreached[kernel] == "" {
			t.Errorf("no check reaches %s", kernel)
		}
		delete(unreached, kernel)
	}
	for kernel := range unreached {
		t.Errorf("%s is reached", kernel)
	}
	t.Logf("%d kernels ran", used)
}

// unreached are kernels that no check reaches, with the reason.
var unreached = map[string]string{
	"copy_pieces_b8": betweenGPUs, "add_pieces_f32": betweenGPUs, "add_pieces_f64": betweenGPUs, "add_pieces_f16": betweenGPUs, "add_pieces_bf16": betweenGPUs,
	"cast_bool_bool": copies, "cast_u8_u8": copies, "cast_i8_i8": copies, "cast_i16_i16": copies, "cast_i32_i32": copies, "cast_i64_i64": copies,
	"cast_f16_f16": copies, "cast_bf16_bf16": copies, "cast_f32_f32": copies, "cast_f64_f64": copies,
	"pick_b8": oneHot, "pick_b16": oneHot, "pick_b32": oneHot,
}

const (
	betweenGPUs = "copies of a model on several GPUs"
	copies      = "a cast to the same dtype is a copy, which has kernels of its own"
	oneHot      = "OneHot is of int64"
)

// TestWrongKernelsAreFound has checks of functions that differ between devices, and wants all of them to fail.
func TestWrongKernelsAreFound(t *testing.T) {
	devicetest.Use(t, "gtx1070")
	off := func(by float64) func(x []*tensor.Tensor) []*tensor.Tensor {
		return one(func(x []*tensor.Tensor) *tensor.Tensor {
			if x[0].IsCUDA() {
				return x[0].MulScalar(1 + by)
			}
			return x[0].MulScalar(1)
		})
	}
	for _, c := range []struct {
		sample
		wrong bool
	}{
		{sample{name: "last bit", in: []operand{of(33)}, f: off(0x1p-23)}, true},
		{sample{name: "within its bound", in: []operand{of(33)}, f: off(0x1p-22), roundings: 4}, false},
		{sample{name: "beyond its bound", in: []operand{of(33)}, f: off(0x1p-20), roundings: 4}, true},
		{sample{name: "gradient", in: []operand{of(33)}, f: off(0x1p-16), roundings: 1 << 6, grad: true}, true},
		{sample{name: "NaN", in: []operand{of(33)}, f: off(math.NaN()), roundings: 1e9}, true},
		{sample{name: "shape", in: []operand{of(33)}, roundings: 1e9, f: one(func(x []*tensor.Tensor) *tensor.Tensor {
			if x[0].IsCUDA() {
				return x[0].Narrow(0, 0, 32)
			}
			return x[0]
		})}, true},
	} {
		if err := c.check(device.CUDA(0), dtype.Float32); (err != nil) != c.wrong {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
}
