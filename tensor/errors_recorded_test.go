package tensor

import (
	"fmt"
	"strings"
	"testing"

	"cresset/internal/golden"
)

// errorValues compute the entries of errorsFile that are values, as Python prints them.
var errorValues = map[string]func() string{
	"mm int int": func() string { x := Ones(2, 2).Long(); return x.MM(x).String() },
	"fdiv0":      func() string { return floats(1, -1, 0).DivScalar(0).String() },
	"to nothing": func() string { return Ones(2).To().String() },
	"set data":   func() string { Ones(2).SetData(Ones(3)); return "None" },
	"chunk":      func() string { return sizes(Ones(5).Chunk(3, 0)) },
}

// errorsOmitted says why an entry of errorsFile is not asserted.
var errorsOmitted = map[string]string{
	"t 3d":             "x.T reverses any number of axes, as PyTorch's x.T does; x.t() has no method of its own",
	"bool":             "Go's if takes a bool: Item().(bool), which says what item says",
	"bool empty":       "as bool",
	"float":            "Float64 says what item says",
	"0d iter":          "Go does not range over a tensor; Unbind refuses one without axes",
	"len0d":            "there is no len; Size refuses a tensor without axes",
	"tensor str":       "the type is string in Go: TestOf's mistakes assert the text with that name",
	"to two":           "device and dtype are types of their own, so that the text cannot list signatures; toErrors asserts what two devices say",
	"to kw":            "Go's compiler refuses a keyword of another type",
	"module attr":      "Go's compiler refuses an unknown field",
	"assign param":     "Go's compiler knows one type of tensor, and Parameter makes the parameter",
	"forward not impl": "Go's compiler asks a Module for Forward",
	"call noarg":       "Go's compiler counts the arguments",
	"dp cpu":           "there is no DataParallel",
	"dp device_ids":    "there is no DataParallel",
	"pin":              "memory is not pinned by hand",
}

func TestRecordedErrors(t *testing.T) {
	asserted := make(map[string]func() string)
	for _, family := range errorFamilies {
		for _, c := range family() {
			if c.golden != "" {
				asserted[c.golden] = nil // TestErrors asserts it
			}
		}
	}
	for key, value := range errorValues {
		asserted[key] = value
	}
	for _, e := range golden.Asserted(t, golden.Read(t, errorsFile), "", golden.ErrorsAbove, asserted, errorsOmitted) {
		if value := asserted[e.Key]; value != nil {
			if got := value(); got != e.Value {
				t.Errorf("%s: got %s, want %s", e.Key, got, e.Value)
			}
		}
	}
}

// sizes prints the shapes of vectors as Python prints a list of tuples.
func sizes(ts []*Tensor) string {
	var parts []string
	for _, x := range ts {
		parts = append(parts, fmt.Sprintf("(%d,)", x.Size(0)))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
