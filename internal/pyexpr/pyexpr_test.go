package pyexpr

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

// environment knows a class "N" of numbers that only its functions compute with.
func environment() *Env {
	type number = float64
	return &Env{
		Vars: map[string]any{"x0": 2.0, "m": map[string]any{"a": []any{7, 8}}, "torch.int64": "int64"},
		Class: func(v any) string {
			if _, ok := v.(number); ok {
				return "N"
			}
			return "?"
		},
		Funcs: map[string]Func{
			"float": func(a *Args) any {
				if Arg[string](a, "x") == "-inf" {
					return math.Inf(-1)
				}
				return math.NaN()
			},
			"torch.add": func(a *Args) any {
				x, y, alpha := Arg[float64](a, "x"), Arg[float64](a, "y"), Arg(a, "alpha", 1.0)
				return x + alpha*y
			},
			"torch.sizes":      func(a *Args) any { return Arg(a, "sizes", []int{3}) },
			"torch.two":        func(a *Args) any { return []any{Arg[float64](a, "x"), 5.0} },
			"N.double":         func(a *Args) any { return 2 * Arg[float64](a, "x") },
			"N.dtype":          func(a *Args) any { Arg[float64](a, "x"); return "float64" },
			"N.repeat":         func(a *Args) any { Arg[float64](a, "x"); return Rest[int](a, "repeats") },
			"operator.mul":     func(a *Args) any { return Arg[float64](a, "a") * Arg[float64](a, "b") },
			"operator.add":     func(a *Args) any { return Arg[float64](a, "a") + Arg[float64](a, "b") },
			"operator.pow":     func(a *Args) any { return math.Pow(Arg[float64](a, "a"), Arg[float64](a, "b")) },
			"operator.getitem": func(a *Args) any { Arg[float64](a, "x"); return Arg[any](a, "index") },
		},
	}
}

func TestEval(t *testing.T) {
	for _, tc := range []struct {
		text string
		want any
	}{
		{"x0", 2.0},
		{"-1", -1},
		{"1e-05", 1e-5},
		{"'a b'", "a b"},
		{"None", nil},
		{"(1,)", []any{1}},
		{"()", []any{}},
		{"[1, (2.5, True)]", []any{1, []any{2.5, true}}},
		{"{'a': 1, 'b': [2]}", map[string]any{"a": 1, "b": []any{2}}},
		{"m['a'][1]", 8},
		{"torch.int64", "int64"},
		{"float('-inf')", math.Inf(-1)},
		{"torch.add(x0, 3)", 5.0},
		{"torch.add(x0, y=3, alpha=-2)", -4.0},
		{"torch.sizes()", []int{3}},
		{"torch.sizes(4)", []int{4}},
		{"torch.sizes(sizes=[4, 5])", []int{4, 5}},
		{"torch.sizes(None)", []int(nil)},
		{"x0.double().double()", 8.0},
		{"x0.dtype", "float64"},
		{"x0.repeat(2, 3)", []int{2, 3}},
		{"x0.repeat((2, 3))", []int{2, 3}},
		{"x0.repeat(repeats=(2, 3))", []int{2, 3}},
		{"x0 + 2.0 * x0 ** 2.0", 10.0},
		{"(x0 + 2.0) * x0", 8.0},
		{"-2.0 ** 2.0", -4.0},
		{"x0[1]", 1},
		{"x0[:, 1:, ::2, ..., None]", []any{Slice{}, Slice{Start: 1}, Slice{Step: 2}, Ellipsis{}, nil}},
		{"x0[1,]", []any{1}},
		{"(lambda y, z: y * z)(x0, 4.0)", 8.0},
		{"(lambda a, b: (b, a))(*torch.two(x0))", []any{5.0, 2.0}},
	} {
		got, err := environment().Eval(tc.text)
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s is %v (%T), %v, want %v", tc.text, got, got, err, tc.want)
		}
	}
}

func TestEvalErrors(t *testing.T) {
	for text, want := range map[string]string{
		"torch.add(x0)":               "torch.add lacks y",
		"torch.add(x0, 1, 2, 3)":      "torch.add does not look at 3",
		"torch.add(x0, 1, beta=3)":    "torch.add does not look at beta",
		"torch.add(x0, 'a')":          "torch.add takes float64 for y, not a (string)",
		"torch.add(x0, 1":             "the expression ends too early",
		"torch.add(x0, 1))":           `")" is left after the expression`,
		"'a":                          "a string does not end",
		"x0 +":                        "the expression ends too early",
		"x0 + ]":                      `"]" stands where a value belongs`,
		"torch.sizes(sizes=['a'])":    "takes []int for sizes",
		"(lambda y: y)(x0, 1)":        "lambda does not look at 1",
		"x0.repeat(repeats=('a', 1))": "takes []int for repeats",
	} {
		if _, err := environment().Eval(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	for text, want := range map[string]string{
		"torch.tan(x0)": "torch.tan",
		"x0.tan_()":     "N.tan_",
		"x0 @ x0":       "operator.matmul",
		"x7":            "x7",
		"torch.float64": "torch.float64",
	} {
		_, err := environment().Eval(text)
		if unknown, ok := errors.AsType[*UnknownError](err); !ok || unknown.Name != want {
			t.Errorf("%s: got %v, want %s to be unknown", text, err, want)
		}
	}
}

// TestPanicsGoOn: what a function panics with is the caller's to see.
func TestPanicsGoOn(t *testing.T) {
	e := environment()
	e.Funcs["torch.panic"] = func(*Args) any { panic("mine") }
	defer func() {
		if p := recover(); p != "mine" {
			t.Errorf("got %v", p)
		}
	}()
	e.Eval("torch.panic()")
}
