package recipe

import (
	"bytes"
	"go/format"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestAllAreValid(t *testing.T) {
	names := map[string]bool{}
	for _, r := range All(F32) {
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
		if names[r.Name] {
			t.Errorf("two recipes are called %s", r.Name)
		}
		names[r.Name] = true
		if r.ULP > 2 || r.Doc == "" {
			t.Errorf("%s: %v ulp, doc %q", r.Name, r.ULP, r.Doc)
		}
		t.Logf("%-8s %3d steps", r.Name, len(r.Steps))
	}
}

func TestValidateRefuses(t *testing.T) {
	x := Step{Op: Param}
	for _, c := range []struct {
		name   string
		params []string
		steps  []Step
		want   string
	}{
		{"no steps", []string{"x"}, nil, "no steps"},
		{"no parameters", nil, []Step{x}, "0 parameters"},
		{"unknown operation", []string{"x"}, []Step{x, {Op: numOps}}, "does not exist"},
		{"too few arguments", []string{"x"}, []Step{x, {Op: Add, Args: []Ref{0}}}, "add has 1 arguments, want 2"},
		{"later argument", []string{"x"}, []Step{x, {Op: Neg, Args: []Ref{1}}}, "does not come earlier"},
		{"wrong type", []string{"x"}, []Step{x, {Op: FromInt, Args: []Ref{0}}}, "has type f, want i"},
		{"no such parameter", []string{"x"}, []Step{{Op: Param, Bits: 1}}, "parameter 1 of 1"},
		{"no table", []string{"x"}, []Step{x, {Op: ToBits, Args: []Ref{0}}, {Op: Lookup, Args: []Ref{1}}}, "table"},
		{"integer result", []string{"x"}, []Step{x, {Op: ToBits, Args: []Ref{0}}}, "not a float"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := (&Recipe{Name: "F", Params: c.params, Steps: c.steps}).Validate()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestEvalRoundsFMAOnce(t *testing.T) {
	b := newBuilder(F32, "F", "x", "y")
	r := b.Return(b.FMA(b.Param(0), b.Param(0), b.Param(1)), 0, "x*x + y")
	x := float32(1 + 0x1p-12) // x*x is 1 + 2**-11 + 2**-24, a tie that a tiny y decides
	for y, want := range map[float32]float32{
		0: 1 + 0x1p-11, 0x1p-80: 1 + 0x1p-11 + 0x1p-23, -0x1p-80: 1 + 0x1p-11,
	} {
		if got := Eval(r, x, y); got != want {
			t.Errorf("x*x + %g: got %x, want %x", y, got, want)
		}
	}
}

func TestBuilderRefusesRoundedConstants(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("0.1 is no float32, want a panic")
		}
	}()
	newBuilder(F32, "F", "x").Const(0.1)
}

func TestReturnDropsStepsWithoutUse(t *testing.T) {
	b := newBuilder(F32, "F", "x")
	x := b.Param(0)
	b.Sqrt(x)
	r := b.Return(b.Add(b.Mul(x, x), b.Mul(x, x)), 0, "2*x*x")
	if got, want := len(r.Steps), 3; got != want {
		t.Errorf("got %d steps, want %d: param, mul, add", got, want)
	}
	if got := Eval(r, float32(3)); got != 18 {
		t.Errorf("got %v, want 18", got)
	}
}

// What stands for the operations that not every target has gives the same bits, where numbers end too.
func TestExpandedRecipesAreTheSame(t *testing.T) {
	var singles []float32
	for _, x := range []uint32{0, 1, 0x7fffff, 0x800000, 0x3f3fffff, 0x3f400000, 0x3fbfffff, 0x3fc00000, 0x42b0c0a5, 0x42b17218, 0x42cff1b5,
		0x42d00000, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7fc12345} {
		singles = append(singles, math.Float32frombits(x), math.Float32frombits(x|1<<31))
	}
	expandedAreTheSame(t, F32, singles)
	var doubles []float64
	for _, x := range []uint64{0, 1, 1<<52 - 1, 1 << 52, rootHalf64 - 1, rootHalf64, rootHalf64 - 1 + 1<<52, rootHalf64 + 1<<52,
		0x40862e42fefa39ef, 0x4087500000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000, 0x7ff8000000012345} {
		doubles = append(doubles, math.Float64frombits(x), math.Float64frombits(x|1<<63))
	}
	expandedAreTheSame(t, F64, doubles)
}

func expandedAreTheSame[T float32 | float64](t *testing.T, elem Elem, xs []T) {
	for _, r := range slices.Concat(All(elem), Alone(elem)) {
		if len(r.Params) > 1 {
			continue
		}
		expanded := r.expanded()
		for _, x := range xs {
			if got, want := Eval(expanded, x), Eval(r, x); bitsOf(got) != bitsOf(want) {
				t.Errorf("%s of %v (%v): got %x, want %x", r.Name, x, elem, bitsOf(got), bitsOf(want))
			}
		}
	}
}

// A select's own steps go into its branch; what both need stays before it.
func TestGoPutsStepsWhereTheyAreNeeded(t *testing.T) {
	b := newBuilder(F32, "F", "x")
	x := b.Param(0)
	shared := b.Mul(x, x)
	r := b.Return(b.If(b.Less(x, b.Const(0)), b.Sqrt(shared), b.Add(shared, x)), 0, "nothing useful")
	source := goFunction(r)
	const want = `func ff(x float32) float32 {
	t0 := float32(x * x)
	if x < 0 {
		return float32(math.Sqrt(float64(t0)))
	}
	return t0 + x
}
`
	if !strings.HasSuffix(source, want) {
		t.Errorf("got\n%s\nwant\n%s", source, want)
	}
}

// goFunction is a recipe as a function of Go.
func goFunction(r *Recipe) string {
	var out bytes.Buffer
	g := &goWriter{planner: newPlanner(&out, r), bits: 8 * r.Elem.Size()}
	g.function()
	source, err := format.Source(out.Bytes())
	if err != nil {
		panic(err)
	}
	return string(source)
}

func TestGoFloatIsExact(t *testing.T) {
	single := goWriter{bits: 32}
	for v, want := range map[float32]string{
		0.5: "0.5", magic: "0x1.8p23", 0x1.62e43p-1: "0x1.62e43p-1", 0: "0", -18: "-18",
		float32(math.Inf(1)): "math.Float32frombits(0x7f800000)",
	} {
		if got := single.float(float64(v)); got != want {
			t.Errorf("%x: got %s, want %s", v, got, want)
		}
	}
	if got, want := single.float(math.Copysign(0, -1)), "math.Float32frombits(0x80000000)"; got != want {
		t.Errorf("-0: got %s, want %s", got, want)
	}
}

func TestValidateRefusesInDouble(t *testing.T) {
	b := newBuilder(F64, "F", "x")
	x := b.FromInt(b.Shl(b.ToBits(b.Param(0)), b.Int(1)))
	steps, _ := keep(b.recipe.Steps, Ref(x))
	err := (&Recipe{Name: "F", Elem: F64, Params: []string{"x"}, Steps: steps}).Validate()
	if err == nil || !strings.Contains(err.Error(), "float32 alone") {
		t.Errorf("got %v, want that AVX2 lacks the conversion", err)
	}
}

func TestDoubleConstantsAreExact(t *testing.T) {
	b := newBuilder(F64, "F", "x")
	r := b.Return(b.WithSign(b.FMA(b.Param(0), b.Const(0.1), b.Const(0x1p-60)), b.Param(0)), 0, "x/10")
	if got, want := Eval(r, -1.0), math.FMA(-1, 0.1, 0x1p-60); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	source := goFunction(r)
	for _, want := range []string{"func f64(x float64) float64 {", "math.FMA(x, 0.1, 0x1p-60)", "& 0x8000000000000000"} {
		if !strings.Contains(source, want) {
			t.Errorf("got\n%s\nwithout %s", source, want)
		}
	}
}
