package dtype_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"cresset/dtype"
)

func TestNames(t *testing.T) {
	tests := []struct {
		dtype                   dtype.DType
		name, scalar, cpp, full string
		size                    int
	}{
		{dtype.Bool, "bool", "Bool", "bool", "torch.BoolTensor", 1},
		{dtype.Uint8, "uint8", "Byte", "unsigned char", "torch.ByteTensor", 1},
		{dtype.Int8, "int8", "Char", "signed char", "torch.CharTensor", 1},
		{dtype.Int16, "int16", "Short", "short int", "torch.ShortTensor", 2},
		{dtype.Int32, "int32", "Int", "int", "torch.IntTensor", 4},
		{dtype.Int64, "int64", "Long", "long int", "torch.LongTensor", 8},
		{dtype.Float16, "float16", "Half", "c10::Half", "torch.HalfTensor", 2},
		{dtype.BFloat16, "bfloat16", "BFloat16", "c10::BFloat16", "torch.BFloat16Tensor", 2},
		{dtype.Float32, "float32", "Float", "float", "torch.FloatTensor", 4},
		{dtype.Float64, "float64", "Double", "double", "torch.DoubleTensor", 8},
	}
	if len(tests) != dtype.Count-1 {
		t.Errorf("%d types are tested, but there are %d", len(tests), dtype.Count-1)
	}
	for _, test := range tests {
		d := test.dtype
		if d.Name() != test.name || d.String() != "torch."+test.name || d.ScalarName() != test.scalar ||
			d.CppName() != test.cpp || d.TensorType() != test.full || d.Size() != test.size {
			t.Errorf("got %s %s %s %s %s %d, want %+v",
				d.Name(), d, d.ScalarName(), d.CppName(), d.TensorType(), d.Size(), test)
		}
	}
	if d := dtype.DType(200); d.Name() != "undefined" || d.Size() != 0 {
		t.Errorf("a value that is no type has name %s and size %d", d.Name(), d.Size())
	}
}

func TestKinds(t *testing.T) {
	for d := dtype.Undefined; d < dtype.Count; d++ {
		float := d >= dtype.Float16
		integer := d >= dtype.Uint8 && d <= dtype.Int64
		signed := d >= dtype.Int8
		if d.IsFloat() != float || d.IsInteger() != integer || d.IsSigned() != signed {
			t.Errorf("%v: float %v, integer %v, signed %v", d, d.IsFloat(), d.IsInteger(), d.IsSigned())
		}
	}
}

func checkOf[T dtype.Element](t *testing.T, want dtype.DType) {
	t.Helper()
	var zero T
	if got := dtype.Of[T](); got != want || got.Size() != int(unsafe.Sizeof(zero)) {
		t.Errorf("Of[%T]() = %v of %d bytes, want %v of %d", zero, got, got.Size(), want, unsafe.Sizeof(zero))
	}
}

func TestOf(t *testing.T) {
	checkOf[bool](t, dtype.Bool)
	checkOf[uint8](t, dtype.Uint8)
	checkOf[int8](t, dtype.Int8)
	checkOf[int16](t, dtype.Int16)
	checkOf[int32](t, dtype.Int32)
	checkOf[int64](t, dtype.Int64)
	checkOf[int](t, dtype.Int64)
	checkOf[dtype.F16](t, dtype.Float16)
	checkOf[dtype.BF16](t, dtype.BFloat16)
	checkOf[float32](t, dtype.Float32)
	checkOf[float64](t, dtype.Float64)
}

func TestParse(t *testing.T) {
	tests := map[string]dtype.DType{
		"half": dtype.Float16, "float": dtype.Float32, "double": dtype.Float64,
		"short": dtype.Int16, "int": dtype.Int32, "long": dtype.Int64, "torch.long": dtype.Int64,
	}
	for d := dtype.Bool; d < dtype.Count; d++ {
		tests[d.Name()] = d
		tests[d.String()] = d
	}
	for text, want := range tests {
		if got, err := dtype.Parse(text); got != want || err != nil {
			t.Errorf("Parse(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "torch.", "Float32", "float32 ", "undefined", "torch.torch.int", "complex64"} {
		var typed *dtype.Error
		if got, err := dtype.Parse(text); got != dtype.Undefined || !errors.As(err, &typed) || typed.Name != text {
			t.Errorf("Parse(%q) = %v, %v; want an *Error", text, got, err)
		}
	}
}

func TestMustParsePanics(t *testing.T) {
	if got := dtype.MustParse("int8"); got != dtype.Int8 {
		t.Errorf(`MustParse("int8") = %v`, got)
	}
	defer func() {
		if _, ok := recover().(*dtype.Error); !ok {
			t.Error("MustParse of no type does not panic with an *Error")
		}
	}()
	dtype.MustParse("int7")
}

func TestText(t *testing.T) {
	text, err := json.Marshal([]dtype.DType{dtype.Int64, dtype.BFloat16})
	if want := `["int64","bfloat16"]`; string(text) != want || err != nil {
		t.Errorf("Marshal = %s, %v; want %s", text, err, want)
	}
	var d dtype.DType
	if err := json.Unmarshal([]byte(`"torch.half"`), &d); d != dtype.Float16 || err != nil {
		t.Errorf("Unmarshal = %v, %v", d, err)
	}
	if err := json.Unmarshal([]byte(`"quarter"`), &d); d != dtype.Float16 || err == nil {
		t.Errorf("Unmarshal of no type = %v, %v; want an error and no change", d, err)
	}
	if _, err := dtype.Undefined.MarshalText(); err == nil {
		t.Error("Undefined has a text")
	}
}

func ExamplePromote() {
	fmt.Println(dtype.Promote(dtype.Uint8, dtype.Int8))
	fmt.Println(dtype.Promote(dtype.Float16, dtype.BFloat16))
	// Output:
	// torch.int16
	// torch.float32
}

func ExamplePromotion() {
	var p dtype.Promotion
	p.Add(dtype.Dimensioned, dtype.Int64)
	p.Add(dtype.Wrapped, dtype.Float64) // 1.5
	fmt.Println(p.Result())
	// Output: torch.float32
}

func BenchmarkOf(b *testing.B) {
	for b.Loop() {
		if dtype.Of[float32]() != dtype.Float32 {
			b.Fail()
		}
	}
}
