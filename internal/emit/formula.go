// Package emit writes GPU kernels as PTX at run time: one for each structure of a region, which is its ops, dtypes and how operands lie,
// never sizes. An op's formula is that of internal/kgen/recipe, from which the kernel compiled ahead is made too, in the same operations
// in the same order and rounded to the op's dtype, so that both have the same bits.
package emit

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"cresset/dtype"
	"cresset/internal/op"
)

//go:embed formulas.txt
var text string

// formula is what an op computes of an element.
type formula struct {
	operands string // a letter for each: n for a number of the type, b for a bool
	result   byte
	scalars  int
	steps    []step
}

// step is an operation on the results of earlier steps. The last is the formula's result.
type step struct {
	op    string // "a" for operand number bits, "s" for parameter number bits, "#" for the constant bits
	args  []int
	bits  uint64
	table string
}

// lines are the formulas' by name and type of number, and the tables' words.
var lines = sync.OnceValues(func() (formulas map[string]string, tables map[string][]string) {
	formulas, tables = map[string]string{}, map[string][]string{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case words[0] == "//":
		case words[0] == "table":
			tables[words[1]] = words[2:]
		default:
			formulas[words[0]+" "+words[1]] = line
		}
	}
	return formulas, tables
})

// kinds are the types of number that formulas compute in. Halves are computed in float32.
var kinds = [dtype.Count]string{
	dtype.Float16: "f32", dtype.BFloat16: "f32", dtype.Float32: "f32", dtype.Float64: "f64",
	dtype.Int64: "i64", dtype.Int32: "i32", dtype.Uint8: "u8", dtype.Bool: "bool",
}

// ofBools names for an op on bools the one on bytes that computes it: bools are bytes of 0 or 1.
var ofBools = map[op.Op]op.Op{
	op.Add: op.Maximum, op.Mul: op.Minimum, op.Maximum: op.Maximum, op.Minimum: op.Minimum,
	op.Eq: op.Eq, op.Ne: op.Ne, op.Lt: op.Lt, op.Le: op.Le, op.Gt: op.Gt, op.Ge: op.Ge,
	op.LogicalAnd: op.Minimum, op.LogicalOr: op.Maximum, op.LogicalXor: op.Ne,
	op.BitwiseAnd: op.Minimum, op.BitwiseOr: op.Maximum, op.BitwiseXor: op.Ne,
	op.LogicalNot: op.LogicalNot, op.BitwiseNot: op.LogicalNot,
}

// onBits are the formulas of ops that move or combine bits, which recipes have no numbers for.
var onBits = map[op.Op]string{
	op.BitwiseAnd: "nnn 0 a0 a1 iand:0,1", op.BitwiseOr: "nnn 0 a0 a1 ior:0,1", op.BitwiseXor: "nnn 0 a0 a1 ixor:0,1",
	op.LogicalNot: "nb 0 a0 #0 iequal:0,1",
}

var formulas sync.Map // of name and type to *formula, nil where there is none

// formulaOf returns the formula of an op on a dtype, nil where there is none.
func formulaOf(o op.Op, dt dtype.DType) *formula {
	kind := kinds[dt]
	if kind == "" {
		return nil
	}
	if kind == "bool" {
		as, ok := ofBools[o]
		if !ok {
			return nil
		}
		o, kind = as, "u8"
	}
	key := o.String() + " " + kind
	if f, ok := formulas.Load(key); ok {
		return f.(*formula)
	}
	all, _ := lines()
	line, ok := all[key]
	if bits := onBits[o]; !ok && bits != "" && kind[0] != 'f' {
		line, ok = key+" "+bits, true
	}
	var f *formula
	if ok {
		f = parse(strings.Fields(line)[2:])
	}
	formulas.Store(key, f)
	return f
}

// parse reads a line of formulas.txt from the operands on.
func parse(words []string) *formula {
	last := len(words[0]) - 1
	f := &formula{operands: words[0][:last], result: words[0][last], scalars: int(words[1][0] - '0')}
	for _, w := range words[2:] {
		s := step{op: w[:1]}
		switch w[0] {
		case '#':
			s.bits, _ = strconv.ParseUint(w[1:], 16, 64)
		default:
			name, args, operation := strings.Cut(w, ":")
			if !operation {
				s.bits, _ = strconv.ParseUint(w[1:], 10, 64)
				break
			}
			s.op = name
			args, s.table, _ = strings.Cut(args, "@")
			for a := range strings.SplitSeq(args, ",") {
				n, _ := strconv.Atoi(a)
				s.args = append(s.args, n)
			}
		}
		f.steps = append(f.steps, s)
	}
	return f
}
