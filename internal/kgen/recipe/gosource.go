package recipe

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
)

// commonForms are the expressions that Go and CUDA C++ have alike, over any type of number in Go, with %s for each argument.
var commonForms = map[Op]string{
	Add: "%s + %s", Sub: "%s - %s", Div: "%s / %s", Neg: "-%s",
	IAdd: "%s + %s", ISub: "%s - %s", IAnd: "%s & %s", IOr: "%s | %s", IXor: "%s ^ %s",
	Less: "%s < %s", LessEqual: "%s <= %s", Equal: "%s == %s", IsNaN: "%[1]s != %[1]s", IEqual: "%s == %s",
	MaskAnd: "(%s && %s)", MaskOr: "(%s || %s)", MaskNot: "!(%s)",
}

// withCommon adds a language's own forms to those.
func withCommon(own map[Op]string) map[Op]string {
	all := maps.Clone(commonForms)
	maps.Copy(all, own)
	return all
}

// writeTable writes a table as an array between a declaration and its end.
func writeTable(out *bytes.Buffer, t *Table, declaration, end string) {
	fmt.Fprintf(out, "\n// %s holds %s\n%s{", t.Name, t.Doc, declaration)
	for k, w := range t.Words {
		separator := " "
		if k%8 == 0 {
			separator = "\n\t"
		}
		fmt.Fprintf(out, "%s%#08x,", separator, w)
	}
	out.WriteString("\n}" + end + "\n")
}

// goName is the function of one number: expf for Exp, exp64 for that of float64.
func (r *Recipe) goName() string {
	if r.Elem == F64 {
		return strings.ToLower(r.Name) + "64"
	}
	return strings.ToLower(r.Name) + "f"
}

// A goWriter writes one function. Constants and masks are written where they are used, other steps as variables.
type goWriter struct {
	planner
	bits    int    // of a number, where the function is of one type
	generic bool   // it is a loop's body over elements of any type T
	whole   bool   // T may be an unsigned integer
	finish  string // what stands before a result: return, or where it goes
	depth   int    // how many branches the result stands in
}

func (g *goWriter) function() {
	fmt.Fprintf(g.out, "\nfunc %s(%s float%d) float%[3]d {\n", g.goName(), strings.Join(g.Params, ", "), g.bits)
	g.steps(Ref(len(g.Steps)-1), "return ")
	g.out.WriteString("}\n")
}

// steps writes what leads to the result, and what becomes of it.
func (g *goWriter) steps(result Ref, finish string) {
	g.finish = finish
	var steps []Ref
	for k, s := range g.Steps {
		switch s.Op {
		case Param, Scalar, ParamInt, ScalarInt:
			g.names[k] = g.Params[s.Bits]
		case ConstFloat, ConstInt:
		default:
			steps = append(steps, Ref(k))
		}
	}
	g.block(steps, result)
}

// end writes what becomes of the result. In a loop's body the rest is skipped from within a branch.
func (g *goWriter) end(text string) {
	fmt.Fprintf(g.out, "%s%s\n", g.finish, text)
	if g.generic && g.depth > 0 {
		g.out.WriteString("continue\n")
	}
}

// block writes steps and, where result is a step, its end.
func (g *goWriter) block(steps []Ref, result Ref) {
	branches := g.plan(steps)
	for n := 0; n < len(steps); n++ {
		k := steps[n]
		b, isBranch := branches[k]
		switch {
		case b.inside:
		case !isBranch && k == result && !g.inTwo(k):
			g.end(g.expression(&g.Steps[k]))
			return
		case !isBranch:
			g.statement(k)
		case result >= 0 && k == result:
			fmt.Fprintf(g.out, "if %s {\n", g.value(g.Steps[k].Args[0]))
			g.depth++
			g.block(b.arms[0], g.Steps[k].Args[1])
			g.depth--
			g.out.WriteString("}\n")
			g.block(b.arms[1], g.Steps[k].Args[2])
			return
		default:
			g.branch(b)
			n += len(b.selects) - 1
		}
	}
	if result >= 0 {
		g.end(g.value(result))
	}
}

// branch writes selects with the same mask as one if statement.
func (g *goWriter) branch(b branch) {
	for _, k := range b.selects {
		g.name(k)
		kind := fmt.Sprintf("float%d", g.bits)
		switch {
		case g.generic:
			kind = "T"
		case g.Steps[k].Op == ISelect:
			kind = fmt.Sprintf("uint%d", g.bits)
		}
		fmt.Fprintf(g.out, "var %s %s\n", g.names[k], kind)
	}
	arm := func(n int) {
		g.block(b.arms[n], -1)
		for _, k := range b.selects {
			fmt.Fprintf(g.out, "%s = %s\n", g.names[k], g.value(g.Steps[k].Args[n+1]))
		}
	}
	fmt.Fprintf(g.out, "if %s {\n", g.value(g.Steps[b.selects[0]].Args[0]))
	arm(0)
	g.out.WriteString("} else {\n")
	arm(1)
	g.out.WriteString("}\n")
}

// inTwo reports whether a step needs a statement and a check: an fma of float32, which no instruction of Go's rounds once.
func (g *goWriter) inTwo(k Ref) bool { return g.Steps[k].Op == FMA && g.bits == 32 }

func (g *goWriter) statement(k Ref) {
	s := &g.Steps[k]
	if s.Op.Result() == MaskType {
		return
	}
	if !g.inTwo(k) {
		text := g.expression(s)
		g.name(k)
		fmt.Fprintf(g.out, "%s := %s\n", g.names[k], text)
		return
	}
	product := g.wide(s.Args[0]) + "*" + g.wide(s.Args[1])
	addend, c := g.wide(s.Args[2]), &g.Steps[s.Args[2]]
	g.name(k)
	fmt.Fprintf(g.out, "%s := fma32Const(%s, %s)\n", g.names[k], product, addend)
	if c.Op == ConstFloat && math.Abs(math.Float64frombits(c.Bits)) >= 0x1p-78 {
		return
	}
	// The check for small results stands here because a function that held it could not be inlined.
	fmt.Fprintf(g.out, "if -0x1p-126 <= %[1]s && %[1]s <= 0x1p-126 {\n%[1]s = fma32(%[2]s, %[3]s)\n}\n",
		g.names[k], product, addend)
}

// goForms are the expressions for the operations, with %s for each argument. A product is converted so that no compiler
// fuses it with a sum.
var goForms = withCommon(map[Op]string{
	Mul:      "float32(%s * %s)",
	FMAExact: "float32(%s * %s) + %s",
	Sqrt:     "float32(math.Sqrt(float64(%s)))",
	Abs:      "math.Float32frombits(math.Float32bits(%s) &^ (1 << 31))",
	FromBits: "math.Float32frombits(%s)",
	FromInt:  "float32(int32(%s))",
	ToBits:   "math.Float32bits(%s)",
	IMul:     "%s * %s",
	IMulHigh: "uint32(uint64(%s) * uint64(%s) >> 32)",
	IMin:     "min(%s, %s)",
	Shl:      "%s << %s",
	Shr:      "%s >> %s",
	Sar:      "uint32(int32(%s) >> %s)",
	Round:    "float32(math.RoundToEven(float64(%s)))",
})

// goDouble are those that differ by more than the size of a number. math.FMA is an instruction where the machine has one,
// else slow, but as exact.
var goDouble = map[Op]string{
	FMA:  "math.FMA(%s, %s, %s)",
	Sqrt: "math.Sqrt(%s)",
	Abs:  "math.Abs(%s)",

	Round: "math.RoundToEven(%s)",
}

// goGeneric are those over any type T. Of integers they stand for the operations of the same meaning.
var goGeneric = withCommon(map[Op]string{
	Mul: "T(%s * %s)", FMAExact: "T(%s * %s) + %s", IMul: "T(%s * %s)", ILess: "%s < %s", Sqrt: "T(math.Sqrt(float64(%s)))",
	Floor: "T(math.Floor(float64(%s)))", Ceil: "T(math.Ceil(float64(%s)))",
	Round: "T(math.RoundToEven(float64(%s)))", Trunc: "T(math.Trunc(float64(%s)))",
})

// isGeneric reports whether a step has a form over any type T.
func (g *goWriter) isGeneric(s *Step) bool {
	switch s.Op {
	case Param, Scalar, ParamInt, ScalarInt, Select, ISelect:
		return true
	case ConstInt:
		return int64(s.Bits) >= -1 && int64(s.Bits) < 128
	case ConstFloat:
		v := math.Float64frombits(s.Bits)
		return v-v == 0 && !(v == 0 && math.Signbit(v))
	}
	return goGeneric[s.Op] != ""
}

// genericExpression is expression over any type T. A product that is the result is rounded where it is stored, one that others
// take where it is converted.
func (g *goWriter) genericExpression(s *Step, args []any) string {
	last := s == &g.Steps[len(g.Steps)-1]
	switch {
	case (s.Op == Mul || s.Op == IMul) && last:
		return fmt.Sprintf("%s * %s", args...)
	case s.Op == ISub && g.value(s.Args[0]) == "0":
		return fmt.Sprintf("-%s", args[1])
	}
	return fmt.Sprintf(goGeneric[s.Op], args...)
}

func (g *goWriter) form(op Op) string {
	if g.bits == 32 {
		return goForms[op]
	}
	if form, ok := goDouble[op]; ok {
		return form
	}
	return strings.ReplaceAll(goForms[op], "32", "64")
}

func (g *goWriter) expression(s *Step) string {
	args := make([]any, len(s.Args))
	for n, a := range s.Args {
		args[n] = g.value(a)
	}
	if g.generic {
		return g.genericExpression(s, args)
	}
	switch s.Op {
	case Shl, Shr, Sar:
		if !g.Steps[s.Args[1]].Op.IsConst() {
			args[1] = fmt.Sprintf("(%s & %d)", args[1], g.bits-1) // saves Go's own check
		}
	case Lookup:
		return fmt.Sprintf("%s[%s&%d]", s.Table.Name, args[0], len(s.Table.Words)-1)
	case ILess:
		return fmt.Sprintf("%s < %s", g.signed(s.Args[0]), g.signed(s.Args[1]))
	}
	return fmt.Sprintf(g.form(s.Op), args...)
}

// wide is a value as a float64.
func (g *goWriter) wide(k Ref) string {
	if g.Steps[k].Op == ConstFloat {
		return g.value(k)
	}
	return "float64(" + g.value(k) + ")"
}

func (g *goWriter) signed(k Ref) string {
	if s := &g.Steps[k]; s.Op == ConstInt {
		if g.bits == 32 {
			return strconv.Itoa(int(int32(s.Bits)))
		}
		return strconv.Itoa(int(s.Bits))
	}
	return fmt.Sprintf("int%d(%s)", g.bits, g.value(k))
}

// value is what stands for a step where it is used.
func (g *goWriter) value(k Ref) string {
	s := &g.Steps[k]
	switch {
	case g.generic && s.Op.IsConst():
		return g.number(s)
	case s.Op == ConstInt:
		word := s.Word(g.Elem)
		if word < 256 {
			return strconv.Itoa(int(word))
		}
		return fmt.Sprintf("%#x", word)
	case s.Op == ConstFloat:
		return g.float(math.Float64frombits(s.Bits))
	case s.Op.Result() == MaskType:
		return g.expression(s)
	}
	return g.names[k]
}

// number is a constant of any type T, of which an unsigned integer has no negative ones.
func (g *goWriter) number(s *Step) string {
	v := float64(int64(s.Bits))
	if s.Op == ConstFloat {
		v = math.Float64frombits(s.Bits)
	}
	if v < 0 && g.whole {
		return "-T(" + g.float(-v) + ")"
	}
	return g.float(v)
}

func (g *goWriter) float(v float64) string {
	switch special := v != v || math.IsInf(v, 0) || v == 0 && math.Signbit(v); {
	case special && g.bits == 32:
		return fmt.Sprintf("math.Float32frombits(%#x)", math.Float32bits(float32(v)))
	case special:
		return fmt.Sprintf("math.Float64frombits(%#x)", math.Float64bits(v))
	}
	if short := strconv.FormatFloat(v, 'f', -1, 64); len(short) <= 6 {
		return short
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'x', -1, 64), "p")
	n, _ := strconv.Atoi(exponent)
	return mantissa + "p" + strconv.Itoa(n)
}
