package recipe

import (
	"fmt"
	"reflect"
	"slices"
)

// An Elementwise is a row of the table of elementwise ops: an element of such an op's result depends on the elements of its
// operands in the same place, and on parameters that are the same for all elements. Everything that the program has of the
// op is generated from its row, but for the tensor's method.
type Elementwise struct {
	Op     string // the op's constant in package op, and its loop in packages kern and vec: "LeakyReLU"
	Name   string // what messages call it, as PyTorch does: "leaky_relu"
	Kernel string // PyTorch's name of the CPU's kernel, for dtypes that it does not take: "leaky_relu_cpu"; Name where empty
	GradFn string // what grad_fn prints: PyTorch's name, or one like it where PyTorch composes the op; empty for an op without a gradient
	Doc    string // the formula of an element, in the names of operands and parameters: "a where a > 0, else a·slope"

	Operands []string  // the names of the operands: a, b and c where there is no list
	Params   []string  // the names of the parameters, at most two, which op.Number holds as A and B
	Try      []float64 // parameters to test with, one for each name

	// Float and Int are the formulas for floats and for integers, functions of a builder, the operands and the parameters:
	// func(b *builder, a, slope float) float. An op has the dtypes for which it has a formula. The result of one that
	// returns a mask is a bool.
	Float, Int any

	// Halves tells that the op has vector loops over float16 and bfloat16. It is worth them where computing takes less time
	// than converting to float32 in memory and back.
	Halves bool

	// HandFloat, HandInt and HandBool and HandHalf name loops of package kern that are written by hand, for floats, integers, bools, and float16 and
	// bfloat16, where no formula can say them.
	HandFloat, HandInt, HandBool, HandHalf string

	Plain string // why the CPU has the op in Go alone, without assembly; empty where it has both

	Cached  bool // other loops call it on pieces that stay in a cache, as softmax does, so it has no non-temporal stores
	Bounds  bool // the parameters are those of op.Bounds
	Sided   bool // there are vector loops too for one operand that is the same for all elements
	Divides bool // an integer b that is zero is an error

	// Grad is the gradient for the operand, which is an op as well; without it the gradient is made of other ops in package tensor.
	Grad *Gradient

	gradOf string // of the row of a gradient: the op that it belongs to
}

// A Gradient is how an elementwise op of one operand sends the gradient dy of its result back. The op is called as the one that
// it belongs to, with Grad behind it.
type Gradient struct {
	Name     string // what messages call it; the op's name and _backward where empty
	Doc      string // the formula of an element
	OfResult bool   // the formula takes the result y rather than the operand x, and so that is what is kept until Backward
	Float    any    // the formula, of a builder, dy, x or y, and the op's parameters
	Halves   bool
}

// A Family is ops of one kind, of which a GPU loads the kernels for one dtype together.
type Family struct {
	Name string
	Ops  []*Elementwise
}

// Families returns the table of elementwise ops, with a row for each gradient behind the rows of all ops of its family.
func Families() []Family {
	return []Family{
		family("arithmetic", slices.Concat(arithmeticOps, divisionOps)), family("elementary", mathOps), family("activation", activationOps),
		family("smooth", smoothOps), family("piecewise", piecewiseOps), family("combination", combinationOps),
		family("trigonometric", trigonometricOps), family("logarithmic", logarithmicOps),
		family("special", specialOps),
		family("comparison", comparisonOps), family("logic", logicOps), family("loss", lossOps),
	}
}

func family(name string, ops []Elementwise) Family {
	f := Family{Name: name}
	for i := range ops {
		f.Ops = append(f.Ops, &ops[i])
	}
	for i := range ops {
		if g := ops[i].gradient(); g != nil {
			f.Ops = append(f.Ops, g)
		}
	}
	return f
}

// Ops returns the ops of all families.
func Ops() []*Elementwise {
	var all []*Elementwise
	for _, f := range Families() {
		all = append(all, f.Ops...)
	}
	return all
}

// gradient is the row of the op that computes the gradient, nil where there is none.
func (r *Elementwise) gradient() *Elementwise {
	if r.Grad == nil {
		return nil
	}
	g := &Elementwise{
		Op: r.Op + "Grad", Name: r.Grad.Name, Doc: r.Grad.Doc, Operands: []string{"dy", "x"}, Params: r.Params, Try: r.Try, Plain: r.Plain,
		Float: r.Grad.Float, Halves: r.Grad.Halves, gradOf: r.Op,
	}
	if g.Name == "" {
		g.Name = r.Name + "_backward"
	}
	if r.Grad.OfResult {
		g.Operands[1] = "y"
	}
	return g
}

// Loops returns the loops that compute the op, each for the types among float32, float64 and integers that share its steps. A
// sided op has loops for each type in which b, then a is the same for all elements.
func (r *Elementwise) Loops() []*Loop {
	var loops []*Loop
	for _, same := range []int{-1, 1, 0}[:r.sides()] {
		if r.Float != nil {
			loops = append(loops, merged(r.loop(single, r.Float, same), r.loop(double, r.Float, same))...)
		}
	}
	for _, same := range []int{-1, 1, 0}[:r.sides()] {
		if r.Int != nil {
			loops = append(loops, r.loop(whole, r.Int, same))
		}
	}
	return loops
}

func (r *Elementwise) sides() int {
	if r.Sided {
		return 3
	}
	return 1
}

// merged is one loop of two types where the steps are the same.
func merged(single, double *Loop) []*Loop {
	if !reflect.DeepEqual(single.Steps, double.Steps) {
		return []*Loop{single, double}
	}
	single.Elems = floats
	return []*Loop{single}
}

// loop is the loop for elements of these types, with one operand the same for all elements where that is not -1.
func (r *Elementwise) loop(elems []Elem, formula any, same int) *Loop {
	name, doc, operands := r.Op, r.Doc, slices.Clone(r.operands(formula))
	if same >= 0 {
		name += []string{"Left", "Right"}[same]
		doc += fmt.Sprintf(", with one %s for all %s", operands[same], operands[1-same])
		operands = slices.Delete(operands, same, same+1)
	}
	d := describe(name, doc, elems, operands...)
	d.Cached = r.Cached
	f := reflect.TypeOf(formula)
	param, scalar := Param, Scalar
	if f.In(1) == reflect.TypeFor[integ]() {
		param, scalar = ParamInt, ScalarInt
	}
	var steps []Ref
	for n := range operands {
		steps = append(steps, d.step(Step{Op: param, Bits: uint64(n)}))
	}
	if same >= 0 {
		steps = slices.Insert(steps, same, d.Loop.scalar(d.builder, scalar, r.operands(formula)[same]))
	}
	for _, name := range r.Params {
		steps = append(steps, d.Loop.scalar(d.builder, scalar, name))
	}
	args := []reflect.Value{reflect.ValueOf(d.builder)}
	for n, step := range steps {
		args = append(args, reflect.ValueOf(step).Convert(f.In(n+1)))
	}
	result, elem := reflect.ValueOf(formula).Call(args)[0], Own
	if result.Type() == reflect.TypeFor[mask]() {
		elem = Bool
	}
	d.write("dst", elem, Ref(result.Int()))
	return d.end(d.builder)
}

// operands are the names of the operands, by the number that the formula takes.
func (r *Elementwise) operands(formula any) []string {
	if r.Operands != nil {
		return r.Operands
	}
	return []string{"a", "b", "c"}[:reflect.TypeOf(formula).NumIn()-1-len(r.Params)]
}

// CheckOps reports the first row that lacks something, or that has the name of another.
func CheckOps(ops []*Elementwise) error {
	names := map[string]bool{}
	for _, r := range ops {
		if err := r.Check(); err != nil {
			return err
		}
		if names[r.Op] {
			return fmt.Errorf("elementwise op %q has two rows", r.Op)
		}
		names[r.Op] = true
	}
	return nil
}

// Check reports the first thing that is wrong with the row: the row's op, the field, and what is wrong with it.
func (r *Elementwise) Check() error {
	op, field := r.Op, ""
	if r.gradOf != "" {
		op, field = r.gradOf, "Grad."
	}
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%q: %s%s", op, field, fmt.Sprintf(format, args...))
	}
	switch {
	case r.Op == "":
		return wrong("Op is empty: it is the op's constant, such as LeakyReLU (the row is called %q)", r.Name)
	case r.Name == "":
		return wrong("Name is empty: it is what messages call the op, such as leaky_relu")
	case r.Doc == "":
		return wrong("Doc is empty: it is the formula of an element, such as \"a where a > 0, else a·slope\"")
	case r.Float == nil && r.Int == nil && r.HandFloat+r.HandInt+r.HandBool == "":
		return wrong("Float is nil, and so is Int: the formula is missing")
	case r.Float == nil && r.Int == nil && r.Operands == nil:
		return wrong("Operands is empty: an op without a formula names them")
	case r.Int != nil && r.HandInt != "":
		return wrong("Int and HandInt are both there: one or the other")
	case r.Grad != nil && r.GradFn == "":
		return wrong("GradFn is empty: it is what grad_fn prints of the result, such as LeakyReluBackward0")
	case r.Plain != "" && (r.Halves || r.Sided || r.Cached):
		return wrong("Plain is there, and so is Halves, Sided or Cached, which tell of assembly")
	case len(r.Params) != len(r.Try):
		return wrong("Try has %d values for the %d parameters %q: each needs one to test with", len(r.Try), len(r.Params), r.Params)
	case len(r.Params) > 2: // op.Bounds has two as well
		return wrong("Params has %d names, of which op.Number holds two", len(r.Params))
	}
	for name, formula := range map[string]any{"Float": r.Float, "Int": r.Int} {
		if formula == nil {
			continue
		}
		if err := r.checkFormula(formula); err != nil {
			return wrong("%s: %v", name, err)
		}
		if err := r.tryFormula(formula); err != nil {
			return wrong("%s: %v", name, err)
		}
	}
	if g := r.gradient(); g != nil {
		return g.Check()
	}
	return nil
}

// tryFormula reports what the builder finds wrong with a formula, such as a constant that is rounded.
func (r *Elementwise) tryFormula(formula any) (err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("%v", wrong)
		}
	}()
	if reflect.TypeOf(formula).In(1) == reflect.TypeFor[integ]() {
		r.loop(whole, formula, -1)
		return nil
	}
	r.loop(single, formula, -1)
	r.loop(double, formula, -1)
	return nil
}

// checkFormula reports an error where the function does not take the op's operands and parameters.
func (r *Elementwise) checkFormula(formula any) error {
	f := reflect.TypeOf(formula)
	numbers := []reflect.Type{reflect.TypeFor[float](), reflect.TypeFor[integ]()}
	if f.Kind() != reflect.Func || f.NumIn() < 2 || f.In(0) != reflect.TypeFor[*builder]() || !slices.Contains(numbers, f.In(1)) {
		return fmt.Errorf("a %v, want a function such as func(b *builder, a float) float", f)
	}
	for n := 2; n < f.NumIn(); n++ {
		if f.In(n) != f.In(1) {
			return fmt.Errorf("argument %d is a %v, want a %v as the one before", n, f.In(n), f.In(1))
		}
	}
	if got, want := f.NumIn()-1-len(r.Params), len(r.Operands); got < 1 || want > 0 && got != want || got > 3 {
		return fmt.Errorf("it takes %d numbers, want one for each operand %q and each of Params %q", f.NumIn()-1, r.Operands, r.Params)
	}
	if f.NumOut() != 1 || f.Out(0) != f.In(1) && f.Out(0) != reflect.TypeFor[mask]() {
		return fmt.Errorf("it is a %v, want one result: a %v, or a mask where that is a bool", f, f.In(1))
	}
	return nil
}
