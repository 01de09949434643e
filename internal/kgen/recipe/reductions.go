package recipe

import (
	"fmt"
	"reflect"
	"strings"
)

// A Reduction is a row of the table of reductions: each element of a run counts as a term, terms are combined in an accumulator that
// starts as the identity, and the result is made of the accumulator at the end. Floats accumulate in float64, integers in int64,
// which wraps. Everything that the program has of the op is generated from its row, but for the tensor's method.
type Reduction struct {
	Op     string // the op's constant in package op: "CountNonZero"
	Name   string // what messages call it, as PyTorch does: "count_nonzero"
	GradFn string // what grad_fn prints; empty for an op without a gradient
	Doc    string // the formula of a result

	// OverAxes is the op over some axes, and AxesGradFn what grad_fn prints of it, where PyTorch has another gradient for those
	// than for all elements.
	OverAxes, AxesGradFn string

	// The formulas below are computed in any type of numbers, so they have the steps of goGeneric alone (gosource.go).

	// As names the row whose identity, term and combine this one shares.
	As       string
	Identity int
	Term     any                                  // func(b *builder, a float) float, or mask, which counts as 1 or 0 in int64; nil for the element itself
	Combine  func(b *builder, acc, a float) float // of two accumulators, or of one and a term
	Finish   any                                  // func(b *builder, acc, n float) float, or mask where the result is a bool, n being the length of a run; nil for the accumulator
	Floats   bool                                 // integers have no such op

	// HandFloats is a function of package kern that gives the loops for floats another order of summation.
	HandFloats string

	// Scan is the op whose result k is that of the elements up to k. ScanRows is a function of package kern that computes some rows
	// first and returns how many.
	Scan, ScanName, ScanGradFn, ScanRows string
}

// Reductions returns the table of reductions.
func Reductions() []*Reduction {
	add := func(b *builder, acc, a float) float { return b.Add(acc, a) }
	return []*Reduction{
		{
			Op: "Sum", Name: "sum", GradFn: "SumBackward0", OverAxes: "SumAxes", AxesGradFn: "SumBackward1", Doc: "Σ a",
			Combine: add, HandFloats: "inLaneRuns",
			Scan: "CumSum", ScanName: "cumsum", ScanGradFn: "CumsumBackward0", ScanRows: "cumSumSquares",
		},
		{
			Op: "Mean", Name: "mean", GradFn: "MeanBackward0", OverAxes: "MeanAxes", AxesGradFn: "MeanBackward1", Doc: "Σ a / n",
			As: "Sum", Floats: true,
			Finish: func(b *builder, acc, n float) float { return b.Div(acc, n) },
		},
		{
			Op: "Prod", Name: "prod", GradFn: "ProdBackward0", OverAxes: "ProdAxis", AxesGradFn: "ProdBackward1", Doc: "Π a",
			Identity: 1, HandFloats: "withinRange",
			Combine: func(b *builder, acc, a float) float { return b.Mul(acc, a) },
			Scan:    "CumProd", ScanName: "cumprod", ScanGradFn: "CumprodBackward0",
		},
		{
			Op: "CountNonZero", Name: "count_nonzero", Doc: "how many a are not zero, as NaN is not",
			Term:    func(b *builder, a float) mask { return b.Not(b.Equal(a, b.Const(0))) },
			Combine: add,
		},
		{
			Op: "AnyTrue", Name: "any", Doc: "whether an a is not zero", As: "CountNonZero",
			Finish: func(b *builder, acc, n float) mask { return b.Less(b.Const(0), acc) },
		},
		{
			Op: "AllTrue", Name: "all", Doc: "whether no a is zero", As: "CountNonZero",
			Finish: func(b *builder, acc, n float) mask { return b.Equal(acc, n) },
		},
	}
}

// CheckReductions reports the first row that lacks something, or that has the name of another, in words that name it.
func CheckReductions(rows []*Reduction) error {
	known := map[string]*Reduction{}
	for _, r := range rows {
		if err := r.check(known[r.As]); err != nil {
			return fmt.Errorf("reduction %q: %w", r.Op, err)
		}
		if known[r.Op] != nil {
			return fmt.Errorf("reduction %q has two rows", r.Op)
		}
		known[r.Op] = r
	}
	return nil
}

func (r *Reduction) check(as *Reduction) error {
	switch {
	case r.Op == "" || r.Name == "" || r.Doc == "":
		return fmt.Errorf("the row's Op, Name or Doc is empty")
	case r.As != "" && (as == nil || r.Combine != nil || r.Term != nil):
		return fmt.Errorf("the row's As takes identity, term and combine from a row above, here %q", r.As)
	case r.As == "" && r.Combine == nil:
		return fmt.Errorf("the row's Combine is empty: it is what becomes of an accumulator and a term")
	case r.Term != nil && !isFormula(r.Term, 1):
		return fmt.Errorf("the row's Term is a %T, want func(b *builder, a float) float, or mask", r.Term)
	case r.Finish != nil && !isFormula(r.Finish, 2):
		return fmt.Errorf("the row's Finish is a %T, want func(b *builder, acc, n float) float, or mask", r.Finish)
	}
	return nil
}

// isFormula reports whether f takes a builder and n floats and returns a float or a mask.
func isFormula(f any, n int) bool {
	t := reflect.TypeOf(f)
	if t.Kind() != reflect.Func || t.NumIn() != n+1 || t.NumOut() != 1 || t.In(0) != reflect.TypeFor[*builder]() {
		return false
	}
	for i := range n {
		if t.In(i+1) != reflect.TypeFor[float]() {
			return false
		}
	}
	return t.Out(0) == reflect.TypeFor[float]() || isTruth(f)
}

// isTruth reports whether a formula results in a mask.
func isTruth(f any) bool { return f != nil && reflect.TypeOf(f).Out(0) == reflect.TypeFor[mask]() }

// folds returns the rows that have an identity, a term and a combine of their own.
func folds(rows []*Reduction) (own []*Reduction) {
	for _, r := range rows {
		if r.As == "" {
			own = append(own, r)
		}
	}
	return own
}

// fold is the row whose identity, term and combine r has.
func (r *Reduction) fold(rows []*Reduction) *Reduction {
	for _, o := range rows {
		if o.Op == r.As {
			return o
		}
	}
	return r
}

// counts reports whether the accumulator counts, in int64 whatever the elements are.
func (r *Reduction) counts() bool { return isTruth(r.Term) }

// own names what takes a thread's elements in CUDA, where the op is their sum or their product.
func (r *Reduction) own() string {
	steps := formulaOf(r.Combine, "acc", "a").Steps
	if r.Term != nil {
		return ""
	}
	return map[Op]string{Add: "Adder", Mul: "Multiplier"}[steps[len(steps)-1].Op]
}

// formulaOf is a formula of these parameters as a recipe, whose result is its last step.
func formulaOf(formula any, params ...string) *Recipe {
	b := newBuilder(F64, strings.Join(params, " "), params...)
	args := []reflect.Value{reflect.ValueOf(b)}
	for n := range params {
		args = append(args, reflect.ValueOf(b.Param(n)))
	}
	result := Ref(reflect.ValueOf(formula).Call(args)[0].Int())
	steps, _ := keep(b.recipe.Steps, result)
	return &Recipe{Name: b.recipe.Name, Elem: F64, Params: params, Steps: steps}
}

// take is the combine of an accumulator and the term of an element a, which both are of the accumulator's type.
func (r *Reduction) take(b *builder, acc, a float) float {
	if term, ok := r.Term.(func(*builder, float) float); ok {
		a = term(b, a)
	}
	return r.Combine(b, acc, a)
}
