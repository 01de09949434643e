package tensor

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/golden"
)

// printOmitted says why an entry of testdata/print_torch26.txt is not asserted.
var printOmitted = map[string]string{
	"c64":       "complex dtypes are not there",
	"c128":      "complex dtypes are not there",
	"c scalar":  "complex dtypes are not there",
	"uint16":    "uint16 is not a dtype here",
	"gen":       "a Python generator object",
	"None grad": "Python's None; Grad returns nil",
}

func TestPrintGoldens(t *testing.T) {
	asserted := maps.Clone(printed)
	maps.Copy(asserted, printedGradFn)
	entries := golden.ReadSections(t, "testdata/print_torch26.txt")
	for _, e := range golden.Asserted(t, entries, "", golden.PrintAbove, asserted, printOmitted) {
		if got := fmt.Sprint(asserted[e.Key]()); got != e.Value {
			t.Errorf("%s:\ngot  %s\nwant %s", e.Key, got, e.Value)
		}
	}
}

// printed maps the name of a golden to the value that prints it.
var printed = map[string]func() any{
	"tensor([1,2,3])":        func() any { return Of([]int{1, 2, 3}) },
	"Tensor([1,2,3])":        func() any { return floats(1, 2, 3) },
	"ones(2,3)":              func() any { return Ones(2, 3) },
	"zeros(0)":               func() any { return Zeros(0) },
	"zeros(0,3)":             func() any { return Zeros(0, 3) },
	"zeros(2,0)":             func() any { return Zeros(2, 0) },
	"tensor([],dtype=int64)": func() any { return Of([]int{}) },
	"zeros(2,0,int)":         func() any { return Place{}.As(dtype.Int32).Zeros(2, 0) },
	"zeros(0,rg)":            func() any { return Zeros(0).SetRequiresGrad(true) },
	"scalar 3.0":             func() any { return Of(float32(3)) },
	"scalar 3":               func() any { return Of(3) },
	"scalar True":            func() any { return Of(true) },
	"scalar 1e-8":            func() any { return Of(float32(1e-8)) },
	"scalar 123456.789":      func() any { return Of(float32(123456.789)) },
	"1e9":                    func() any { return Of(float32(1e9)) },
	"1e8":                    func() any { return Of(float32(1e8)) },
	"100000001 f64":          func() any { return Of(100000001.0) },

	"mixed":          func() any { return floats(1, 2.5, 1000.123) },
	"ratio>1000":     func() any { return floats(.001, 2) },
	"ratio=1000":     func() any { return floats(.002, 2) },
	"1e-4":           func() any { return floats(1e-4, .05) },
	"9.9e-5":         func() any { return floats(9.9e-5, .05) },
	"int ratio":      func() any { return floats(1, 1000) },
	"int ratio>1000": func() any { return floats(1, 1001) },
	"int 1e5":        func() any { return floats(100000, 100001) },
	"zero & 1e5":     func() any { return floats(0, 1e5) },
	"nan inf":        func() any { return floats(nan, inf, -inf) },
	"nan inf 1":      func() any { return floats(nan, inf, -inf, 1) },
	"nan 1.5":        func() any { return floats(nan, inf, -inf, 1.5) },
	"nan 1e9":        func() any { return floats(nan, -inf, 1e9) },
	"zeros":          func() any { return Zeros(3) },
	"neg zeros":      func() any { return floats(math.Copysign(0, -1), 0, 1) },
	"-0.0 only":      func() any { return floats(math.Copysign(0, -1)) },
	"-0.0 1.5":       func() any { return floats(math.Copysign(0, -1), 1.5) },
	"-0. sci":        func() any { return floats(math.Copysign(0, -1), 1e-9) },
	"neg":            func() any { return floats(-1.5, 2.25, -1000) },
	"neg ints":       func() any { return Of([]int{-1, 10, -100}) },
	"bool":           func() any { return Of([]bool{true, false}) },
	"uint8":          func() any { return Of([]uint8{1, 255}) },
	"int32":          func() any { return Of([]int32{1, 2}) },
	"f16":            func() any { return floats(1.5, 2).Half() },
	"bf16":           func() any { return floats(1.1, 2).BFloat16() },
	"f64":            func() any { return floats(1.5, 2).Double() },
	"large int":      func() any { return Of([]int{1 << 62}) },
	"1e38":           func() any { return floats(1e38, 1) },
	"denorm":         func() any { return floats(math.SmallestNonzeroFloat32) },
	"half big":       func() any { return floats(65504, 1.5).Half() },
	"0.5 rounding":   func() any { return floats(.00005, .12345, .99995, 2.5) },
	"99999.99995":    func() any { return floats(99999.99995, .5) },
	"1000.5":         func() any { return floats(1000.5, 1.5) },

	"3d":           func() any { return Arange(0, 24, 1).View(2, 3, 4) },
	"4d":           func() any { return Zeros(1, 2, 2, 2) },
	"wide":         func() any { return Arange(0, 30, 1) },
	"wide float":   func() any { return Arange(0, 30, 1).MulScalar(1.0 / 7) },
	"arange(1000)": func() any { return Arange(0, 1000, 1) },
	"arange(1001)": func() any { return Arange(0, 1001, 1) },
	"rand 1001x2":  func() any { return Zeros(1001, 2) },
	"2x1001":       func() any { return Zeros(2, 1001) },
	"7x200":        func() any { return Zeros(7, 200) },
	"6x200":        func() any { return Arange(0, 1200, 1).View(6, 200) },
	"11x10x10":     func() any { return Arange(0, 1100, 1).View(11, 10, 10) },
	"5x7x40":       func() any { return Arange(0.0, 1400, 1).View(5, 7, 40) },

	"long 1d double rg": func() any { return Place{}.As(dtype.Float64).Linspace(0, 1, 20) },
	"suffix newline": func() any {
		o := DefaultPrint()
		o.LineWidth = 40
		defer SetPrintOptions(SetPrintOptions(o))
		return float64s.Ones(2, 3).SetRequiresGrad(true).MulScalar(1).String()
	},

	"size":          func() any { return Ones(2, 3).Shape() },
	"shape str":     func() any { return Ones(2, 3).Shape().String() },
	"dtype":         func() any { return Ones(2, 3).DType() },
	"device":        func() any { return fmt.Sprintf("%#v", Ones(2, 3).Device()) },
	"tuple of dev":  func() any { return fmt.Sprintf("(%#v, %#v, %#v)", device.CPU, device.CUDA(), device.CUDA(1)) },
	"fmt":           func() any { return fmt.Sprintf("%v %.2f", floats(1.5), Of(float32(2.345))) },
	"int list repr": func() any { return list("[]", Of(1), floats(2)) },
}

var (
	nan = math.NaN()
	inf = math.Inf(1)
)

// floats returns a float32 tensor.
func floats(v ...float64) *Tensor { return Of(v).Float() }

// list prints tensors as Python prints a list, or a tuple with other brackets.
func list(brackets string, ts ...*Tensor) string {
	var parts []string
	for _, t := range ts {
		parts = append(parts, t.String())
	}
	return brackets[:1] + strings.Join(parts, ", ") + brackets[1:]
}
