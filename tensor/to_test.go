package tensor

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/golden"
)

// tensorRows are the entries of testdata/to_and_module_torch26.txt about tensors, as Go says them.
var tensorRows = map[string]func() string{
	"to(cpu) is":                 func() string { return same(func(x *Tensor) *Tensor { return x.To(device.CPU) }) },
	"to(device('cpu')) is":       func() string { return same(func(x *Tensor) *Tensor { return x.To(device.MustParse("cpu")) }) },
	"to(f32) is":                 func() string { return same(func(x *Tensor) *Tensor { return x.To(dtype.Float32) }) },
	"to() is":                    func() string { return same(func(x *Tensor) *Tensor { return x.To() }) },
	"None":                       func() string { return same(func(x *Tensor) *Tensor { return x.To() }) },
	"to(device=None,dtype=None)": func() string { return same(func(x *Tensor) *Tensor { return x.To() }) },
	"cpu() is":                   func() string { return same((*Tensor).CPU) },
	"float() is":                 func() string { return same((*Tensor).Float) },
	"type is":                    func() string { return same(func(x *Tensor) *Tensor { return x.To(x.DType()) }) },
	"copy=True":                  func() string { return same(func(x *Tensor) *Tensor { return x.To(Copy(true)) }) },
	"to(other)":                  func() string { return same(func(x *Tensor) *Tensor { return x.To(Ones(1)) }) },
	"to(f64)":                    func() string { return same((*Tensor).Double) },
	"contig":                     func() string { return same((*Tensor).Contiguous) },
	"to(cpu,f64)":                func() string { return Ones(2).To(device.CPU, dtype.Float64).DType().String() },
	"to(f64,True)":               func() string { return Ones(2).To(dtype.Float64, NonBlocking(true)).DType().String() },
	"to('cpu:0') is": func() string {
		x := Ones(2)
		y := x.To(device.MustParse("cpu:0"))
		return fmt.Sprintf("(%s, %s, %q)", python(y == x), python(y.SharesStorage(x)), fmt.Sprintf("%#v", y.Device()))
	},
	"detach": func() string {
		x := Ones(2)
		y := x.Detach()
		return fmt.Sprintf("(%s, %s)", python(y == x), python(y.SharesStorage(x)))
	},
	"y": func() string {
		x := Ones(2).SetRequiresGrad(true)
		y := x.Double()
		return fmt.Sprintf("(%v, %s, %s)", y, python(y.RequiresGrad()), python(y.IsLeaf()))
	},
	"x.grad": func() string {
		x := Ones(2).SetRequiresGrad(true)
		x.Double().Sum().Backward()
		return x.Grad().String()
	},
	"to same keeps": func() string {
		x := Ones(2).SetRequiresGrad(true)
		y := x.To(dtype.Float32)
		return fmt.Sprintf("(%s, %s)", python(y == x), python(y.IsLeaf()))
	},
	"int": func() string { return Ones(2).SetRequiresGrad(true).To(dtype.Int64).String() },
	"share": func() string {
		x := Ones(5)
		s := Data[float32](x)
		x.fill(scalarOf("fill_", 3))
		return fmt.Sprintf("(%v, %s)", x, array(s))
	},
	"share2": func() string {
		x := Ones(5)
		s := Data[float32](x)
		for i := range s {
			s[i] += 4
		}
		return fmt.Sprintf("(%v, %s)", x, array(s))
	},
	"copy=True #2": func() string { return Ones(2).SetRequiresGrad(true).To(Copy(true)).String() },
	"tensor copies": func() string {
		s := []float64{1, 1, 1}
		x := FromSlice(s)
		y := Of(s)
		s[0] = 5
		return fmt.Sprintf("(%v, %s)", x, python(y.At(0).Item() == 1.0))
	},
	"fn": func() string {
		s := []float64{1, 1, 1}
		x := FromSlice(s)
		s[0] = 5
		return x.String()
	},
	"detach.cpu.numpy": func() string { return array(Data[float32](rg().At(0).Slice(0, 0, 2).Detach().CPU())) },
}

// toOmitted says why an entry is not asserted.
var toOmitted = map[string]string{
	"mem fmt":          "channels_last is not there",
	"stride kept":      "TestToKeepsStrides asserts strides of layouts that there are",
	"complex->real":    "complex dtypes are not there",
	"complex":          "complex dtypes are not there",
	"from_numpy":       "a Python module's attribute",
	"as_tensor dtype":  "FromSlice never converts",
	"strided":          "Data shares contiguous memory only",
	"0d numpy":         "a slice has one axis",
	"force":            "Detach and CPU say it",
	"u4":               "uint32 is not a dtype here",
	"bf16 numpy":       "NumPy's limits",
	"neg stride":       "NumPy's limits",
	"resize":           "NumPy's limits",
	"np str":           "NumPy's limits",
	"np float":         "NumPy's limits",
	"named dup":        "nn.Parameters yields each parameter once",
	"overwrite False":  "nn.To never replaces a parameter",
	"dtype default":    "a list of Python values; TestOf asserts the dtype of each Go type",
	"  warnings.warn(": "Python's warning of the line that follows",

	"['The given NumPy array is not writable, and PyTorch does not support non-writable tensors. ']": "NumPy's limits",
}

func TestToGoldens(t *testing.T) {
	entries := golden.Read(t, "testdata/to_and_module_torch26.txt")
	asserted := maps.Clone(tensorRows)
	for _, e := range entries {
		if strings.Contains(e.Key, "->torch.") {
			asserted[e.Key] = nil
		}
	}
	for _, e := range golden.Asserted(t, entries, "", golden.ToAbove, asserted, toOmitted) {
		if row := asserted[e.Key]; row == nil {
			testCast(t, e)
		} else if got := row(); got != e.Value {
			t.Errorf("%s: got %s, want %s", e.Key, got, e.Value)
		}
	}
}

// same reports, as Python prints it, whether f returns its argument.
func same(f func(x *Tensor) *Tensor) string {
	x := Ones(2)
	return python(f(x) == x)
}

func python(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

// array prints a slice as NumPy prints a float32 array.
func array(s []float32) string {
	var parts []string
	for _, v := range s {
		parts = append(parts, fmt.Sprintf("%g.", v))
	}
	return "array([" + strings.Join(parts, ", ") + "], dtype=float32)"
}

// The inputs of the rows "f32->..." and "i64->...".
var (
	castFloats = []float32{1.9, -1.9, 0.5, -0.5, 2.5, 255.9, 256, -1, 300.7, 1e10, -1e10, 3e38,
		float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
	castInts = []int64{0, 1, -1, 127, 128, 255, 256, 300, 65535, 65536, 1<<31 - 1, 1 << 31, 1<<53 + 1, 1 << 62}
)

// testCast compares a row of casts, for a contiguous tensor and for one with gaps.
func testCast(t *testing.T, e golden.Entry) {
	from, name, _ := strings.Cut(e.Key, "->torch.")
	x := Of(castFloats)
	if from == "i64" {
		x = Of(castInts)
	}
	dt := dtype.MustParse(name)
	gappy := x.Unsqueeze(1).Expand(x.NumEl(), 2).Contiguous().Select(1, 1)
	values := strings.NewReplacer("True", "1", "False", "0").Replace(e.Value)
	for layout, x := range map[string]*Tensor{"contiguous": x, "strided": gappy} {
		y := x.To(dt)
		for i, want := range strings.Split(strings.Trim(values, "[]"), ", ") {
			if got := pythonNumber(y.At(i).Item()); got != pythonNumber(parseNumber(t, dt, want)) {
				t.Errorf("%s, %s: element %d is %s, want %s", e.Key, layout, i, got, want)
			}
		}
	}
}

func parseNumber(t *testing.T, dt dtype.DType, s string) any {
	t.Helper()
	if dt.IsFloat() {
		var v float64
		if _, err := fmt.Sscan(s, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	var v int64
	if _, err := fmt.Sscan(s, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func pythonNumber(v any) string {
	if b, ok := v.(bool); ok {
		v = int64(map[bool]int{true: 1}[b])
	}
	return fmt.Sprint(v)
}

func TestToKeepsStrides(t *testing.T) {
	x := Zeros(2, 3)
	tests := []struct {
		name string
		got  *Tensor
		want []int
	}{
		{"transposed, to float64", x.T().To(dtype.Float64), []int{1, 3}},
		{"transposed, copied", x.T().To(Copy(true)), []int{1, 3}},
		{"transposed, cloned", x.T().Clone(), []int{1, 3}},
		{"transposed, contiguous", x.T().Contiguous(), []int{2, 1}},
		{"gaps", Zeros(2, 4).Slice(1, 0, 4, 2).To(dtype.Float64), []int{2, 1}},
		{"expanded", Zeros(2, 1).Expand(2, 3).To(dtype.Float64), []int{3, 1}},
	}
	for _, tt := range tests {
		if got := tt.got.Stride(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: strides %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestDataIsCapped(t *testing.T) {
	x := Arange(0, 4, 1)
	s := Data[int64](x.Slice(0, 0, 2))
	if len(s) != 2 || cap(s) != 2 {
		t.Fatalf("length %d, capacity %d, want 2 and 2", len(s), cap(s))
	}
	_ = append(s, 9)
	if got, want := x.String(), "tensor([0, 1, 2, 3])"; got != want {
		t.Errorf("after an append: %s, want %s", got, want)
	}
}

func TestDataOutlivesItsTensor(t *testing.T) {
	x := Arange(0, 1<<16, 1)
	s := Data[int64](x)
	x.Release()
	y := Full([]int{1 << 16}, 7) // would take the block if it had gone back
	if s[5] != 5 {
		t.Errorf("the slice holds %d, want 5", s[5])
	}
	_ = y.NumEl()
}

func TestDataFromSeveralGoroutines(t *testing.T) {
	x := Ones(1000)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { _ = Data[float32](x)[0] })
	}
	wg.Wait()
}

// An empty part may begin behind the end of its storage.
func TestEmptyPartsBehindTheStorage(t *testing.T) {
	x := Zeros(2, 0).Slice(0, 1, 2)
	if got := len(Data[float32](x)) + len(Values[float64](x)); got != 0 {
		t.Errorf("got %d elements", got)
	}
	for name, y := range map[string]*Tensor{
		"draw": Zeros(2, 0).Slice(0, 1, 2).UniformInPlace(0, 1), "cast": x.Double(), "add": x.AddScalar(1), "print": x,
	} {
		if got := y.String(); !strings.HasPrefix(got, "tensor([], size=(1, 0)") {
			t.Errorf("%s: got %s", name, got)
		}
	}
	if got := x.Sum().Item(); got != 0.0 {
		t.Errorf("sum %v, want 0", got)
	}
}
