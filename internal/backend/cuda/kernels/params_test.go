package kernels

import (
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestParamsAgree compares the structs with those of the headers: fields, and the offsets and sizes that the compiler checks.
func TestParamsAgree(t *testing.T) {
	header := ""
	for _, file := range []string{"params.cuh", "params_layer.cuh"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		header += string(text)
	}
	types := []any{
		Report{}, Fault{}, Elementwise{}, Reduction{}, Softmax{}, Runs{}, Product{}, Convolution{}, Pool{}, BatchNorm{}, LayerNorm{},
		Draw{}, NLL{}, Rows{}, Lines{}, Triangle{}, Sort{}, NonZero{}, Range{}, SGD{}, Adam{}, Piece{}, Pieces{},
	}
	if got := strings.Count(header, "\nstruct "); got != len(types) {
		t.Errorf("the headers have %d structs, %d are compared", got, len(types))
	}
	for _, v := range types {
		typ := reflect.TypeOf(v)
		_, rest, found := strings.Cut(header, "\nstruct "+typ.Name()+" {\n")
		if !found {
			t.Errorf("the headers have no struct %s", typ.Name())
			continue
		}
		body, checks, _ := strings.Cut(rest, "};\n")
		compareFields(t, typ, body)
		compareOffsets(t, typ, checks)
	}
}

// compareFields wants a struct's fields by the names in its body, in order.
func compareFields(t *testing.T, typ reflect.Type, body string) {
	t.Helper()
	var names []string
	for line := range strings.Lines(body) {
		declaration, _, _ := strings.Cut(line, ";")
		fields := regexp.MustCompile(`^\t\w+ `).ReplaceAllString(declaration, "")
		for name := range strings.SplitSeq(fields, ", ") {
			name, _, _ = strings.Cut(name, "[")
			names = append(names, name)
		}
	}
	for i := range typ.NumField() {
		if i >= len(names) || !strings.EqualFold(typ.Field(i).Name, names[i]) {
			t.Errorf("%s: field %d is %s, the headers have %v", typ.Name(), i, typ.Field(i).Name, names)
			return
		}
	}
	if len(names) != typ.NumField() {
		t.Errorf("%s has %d fields, the headers have %v", typ.Name(), typ.NumField(), names)
	}
}

func compareOffsets(t *testing.T, typ reflect.Type, checks string) {
	t.Helper()
	offset := regexp.MustCompile(`OFFSET\(` + typ.Name() + `, (\w+), (\d+)\);`)
	for _, m := range offset.FindAllStringSubmatch(checks, -1) {
		field, ok := typ.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, m[1]) })
		if !ok {
			t.Errorf("%s has no field %s", typ.Name(), m[1])
		} else if got := strconv.Itoa(int(field.Offset)); got != m[2] {
			t.Errorf("%s.%s is at %s, the headers have %s", typ.Name(), field.Name, got, m[2])
		}
	}
	size := regexp.MustCompile(`SIZE\(` + typ.Name() + `, (\d+)\);`).FindStringSubmatch(checks)
	if got := strconv.Itoa(int(typ.Size())); size == nil || got != size[1] {
		t.Errorf("%s has %s bytes, the headers have %v", typ.Name(), got, size)
	}
}

func TestFaultCodesAgree(t *testing.T) {
	text, err := os.ReadFile("params.cuh")
	if err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]FaultCode{
		"INDEX": IndexFault, "DIVISOR": DivisorFault, "TARGET": TargetFault, "PROBABILITY": ProbabilityFault,
	} {
		if want := "#define FAULT_" + name + " " + strconv.Itoa(int(code)) + " "; !strings.Contains(string(text), want) {
			t.Errorf("params.cuh has no %q", want)
		}
	}
}
