package selftest

import (
	"context"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend/cuda"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/devicetest"
	"cresset/internal/race"
	"cresset/tensor"
)

// cards are simulated GPUs of each generation that has kernels of its own.
var cards = []string{"gtx1070", "t4", "a100", "h100", "b200", "rtx5090"}

// inVariants reports whether a check is of an op and a dtype that have kernels for a card's generation, other than those of older cards.
func inVariants(c Check, card string) bool {
	half := c.DType == dtype.Float16 || c.DType == dtype.BFloat16
	switch {
	case strings.HasPrefix(c.Name, "conv"):
		return card == "a100" && c.DType != dtype.Float64 || card == "h100" && half || card == "t4" && c.DType == dtype.Float16
	case strings.Contains(c.Name, "attention"):
		return (card == "a100" || card == "h100") && half
	case c.Family != "products":
		return false
	}
	switch card {
	case "a100":
		return half || c.DType == dtype.Float32 || c.DType == dtype.Float64
	case "h100":
		return half || c.DType == dtype.Float64 || strings.Contains(c.Name, "int8 by int8")
	case "b200":
		return half
	}
	return c.DType == dtype.Float16 // t4 has kernels of it alone, rtx5090 those of a100
}

// TestSimulatedGPUsPass runs every check on the oldest card, which reach every kernel that all GPUs take but those that have a reason; and on
// the others those of ops that have variants, until each variant has run on one of them.
func TestSimulatedGPUsPass(t *testing.T) {
	if race.Enabled {
		t.Skip("takes minutes under the race detector")
	}
	left := map[string]bool{}
	for _, kernel := range kernels.Names() {
		if target, _ := kernels.TargetOf(kernel); !target.Everywhere() {
			left[kernel] = true
		}
	}
	for i, card := range cards {
		t.Run(card, func(t *testing.T) {
			gpu := small(t, card)
			checks := Checks(false)
			if i > 0 {
				checks = only(checks, func(c Check) bool { return inVariants(c, card) })
			}
			pass(t, gpu, checks)
			if i == 0 {
				checkReached(t, gpu)
			}
			d, err := cuda.Find(0)
			if err != nil {
				t.Fatal(err)
			}
			for kernel, ran := range d.Kernels() {
				if ran {
					delete(left, kernel)
				}
			}
			if refused := d.Refused(); len(refused) > 0 {
				t.Errorf("the driver refused %v", refused)
			}
		})
	}
	for kernel := range left {
		if unreached[kernel] == "" {
			t.Errorf("no card has run %s: inVariants leaves out its op, or no sample has such operands", kernel)
		}
	}
}

// small returns a simulated GPU of a preset with two multiprocessors, for which large tiles pay off where matrices are small.
func small(t *testing.T, preset string) device.Device {
	t.Helper()
	path := filepath.Join(t.TempDir(), "card.json")
	text := fmt.Sprintf(`{"gpus": [{"preset": %q, "multiprocessors": 2}]}`, preset)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	devicetest.Use(t, path)
	return device.CUDA(0)
}

func only(checks iter.Seq[Check], keep func(Check) bool) iter.Seq[Check] {
	return func(yield func(Check) bool) {
		for c := range checks {
			if keep(c) && !yield(c) {
				return
			}
		}
	}
}

// pass wants the checks passed.
func pass(t *testing.T, gpu device.Device, checks iter.Seq[Check]) {
	t.Helper()
	err := Run(context.Background(), gpu, checks, func(f Family) {
		t.Logf("%s: %d checks", f.Name, f.Checks)
		for _, x := range f.Failures {
			t.Errorf("%s: %s of %s: %s", f.Name, x.Check, x.DType, x.Found)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkReached wants every kernel that the GPU takes to have run, but those of unreached.
func checkReached(t *testing.T, gpu device.Device) {
	t.Helper()
	used, rest, err := Used(gpu)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d kernels ran", used)
	for _, kernel := range rest {
		if unreached[kernel] == "" {
			t.Errorf("no check reaches %s", kernel)
		}
	}
	for kernel := range unreached {
		if target, ok := kernels.TargetOf(kernel); !ok || target.Everywhere() && !slices.Contains(rest, kernel) {
			t.Errorf("%s is reached, or is no kernel", kernel)
		}
	}
}

// unreached are kernels that no check reaches, with the reason.
var unreached = map[string]string{
	"copy_pieces_b8": betweenGPUs, "add_pieces_f32": betweenGPUs, "add_pieces_f64": betweenGPUs, "add_pieces_f16": betweenGPUs, "add_pieces_bf16": betweenGPUs,
	"cast_bool_bool": copies, "cast_u8_u8": copies, "cast_i8_i8": copies, "cast_i16_i16": copies, "cast_i32_i32": copies, "cast_i64_i64": copies,
	"cast_f16_f16": copies, "cast_bf16_bf16": copies, "cast_f32_f32": copies, "cast_f64_f64": copies,
	"attention_join_f16": onTensorCores, "attention_join_bf16": onTensorCores,
	"product_quantized_bytes_1_f32": before61, "product_quantized_bytes_1_f16": before61, "product_quantized_bytes_1_bf16": before61,
	"product_quantized_bytes_4_f32": before61, "product_quantized_bytes_4_f16": before61, "product_quantized_bytes_4_bf16": before61,
	"pick_b8": oneHot, "pick_b16": oneHot, "pick_b32": oneHot,
	"product_128x256_wgmma_kk_f16": long, "product_128x256_wgmma_kn_f16": long, "product_128x256_wgmma_mk_f16": long, "product_128x256_wgmma_mn_f16": long,
	"product_128x256_wgmma_kk_bf16": long, "product_128x256_wgmma_kn_bf16": long, "product_128x256_wgmma_mk_bf16": long, "product_128x256_wgmma_mn_bf16": long,
}

const (
	betweenGPUs   = "copies of a model on several GPUs"
	copies        = "a cast to the same dtype is a copy, which has kernels of its own"
	onTensorCores = "follows kernels that run on tensor cores"
	before61      = "for capability 6.0: TestQuantizedLayersOnEveryCard of nn/quant runs it"
	oneHot        = "OneHot is of int64"
	long          = "pays off where thousands of products are added, which takes the interpreter seconds: TestMappedProducts of package kernels runs it"
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
	short := sample{name: "product without its last step", in: []operand{of(33, 72), of(72, 33)}, roundings: 64, f: one(func(x []*tensor.Tensor) *tensor.Tensor {
		if x[0].IsCUDA() {
			return x[0].Narrow(1, 0, 64).MM(x[1].Narrow(0, 0, 64))
		}
		return x[0].MM(x[1])
	})}
	for _, dt := range floats {
		if short.check(device.CUDA(0), dt) == nil {
			t.Errorf("%s, in %s: passes", short.name, dt)
		}
	}
}

// TestLostGPUEndsTheChecks: what a GPU that a fault has ended does not compute is no finding of its own.
func TestLostGPUEndsTheChecks(t *testing.T) {
	devicetest.Use(t, "gtx1070")
	ran := 0
	check := func(family string, index int) Check {
		return Check{family, "index_select", dtype.Float32, func(dev device.Device) error {
			ran++
			tensor.On(dev).Zeros(3).IndexSelect(0, tensor.FromSlice([]int64{int64(index)}, 1).To(dev)).CPU()
			return nil
		}}
	}
	var families []Family
	err := Run(context.Background(), device.CUDA(0), slices.Values([]Check{check("first", 2), check("second", 3), check("second", 2), check("third", 2)}), func(f Family) { families = append(families, f) })
	if err != nil || ran != 2 || len(families) != 2 || len(families[1].Failures) != 1 || !strings.HasPrefix(families[1].Failures[0].Found, "the GPU is lost, and no other check runs: CUDA error") {
		t.Errorf("%d checks ran: %+v, %v", ran, families, err)
	}
}

// TestDeadlineLeavesChecks: what a deadline leaves is counted, family by family; who interrupts the checks is told that alone.
func TestDeadlineLeavesChecks(t *testing.T) {
	for _, c := range []struct {
		cause error
		want  []Family
		err   error
	}{
		{context.DeadlineExceeded, []Family{{Name: "first", Checks: 1, NotReached: 1}, {Name: "second", NotReached: 1}}, nil},
		{context.Canceled, []Family{{Name: "first", Checks: 1}}, context.Canceled},
	} {
		ctx := &ended{Context: context.Background()}
		check := func(family string) Check {
			return Check{Family: family, Name: "ends", run: func(device.Device) error {
				ctx.err = c.cause
				return nil
			}}
		}
		var families []Family
		err := Run(ctx, device.CPU, slices.Values([]Check{check("first"), check("first"), check("second")}), func(f Family) { families = append(families, f) })
		if err != c.err || !reflect.DeepEqual(families, c.want) {
			t.Errorf("%v: got %+v, %v, want %+v", c.cause, families, err, c.want)
		}
	}
}

// ended is a context that ends when it is told to.
type ended struct {
	context.Context
	err error
}

func (e *ended) Err() error { return e.err }
