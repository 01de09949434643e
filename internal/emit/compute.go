package emit

import (
	"fmt"
	"slices"

	"cresset/dtype"
)

// compute writes a formula on numbers of a kind, and rounds or narrows its result to a dtype.
func (w *writer) compute(f *formula, kind string, from []value, scalars []string, to dtype.DType) value {
	regs := make([]string, len(f.steps))
	args := make([]string, len(from))
	for n := range from {
		args[n] = w.number(&from[n])
	}
	for k := range f.steps {
		s := &f.steps[k]
		switch s.op {
		case "a":
			if regs[k] = args[s.bits]; f.operands[s.bits] == 'b' {
				regs[k] = w.nonzero(from[s.bits])
			}
		case "s":
			regs[k] = scalars[s.bits]
		case "#":
			regs[k] = literal(kind, s.bits)
		default:
			in := make([]string, len(s.args))
			for n, a := range s.args {
				in[n] = regs[a]
			}
			regs[k] = w.operation(s, kind, in)
		}
	}
	last := regs[len(regs)-1]
	switch {
	case f.result == 'b':
		return w.truth(last)
	case kind == "f32":
		return w.round(w.held(kind, last), to)
	}
	return value{dtype: to, reg: w.held(kind, last)}
}

// held returns a register with a number that may be a literal.
func (w *writer) held(kind, v string) string {
	if v[0] == '%' {
		return v
	}
	if bits(kind) == 64 {
		return w.make("rd", "mov.b64", v)
	}
	return w.make("r", "mov.b32", v)
}

// literal is a constant in PTX.
func literal(kind string, word uint64) string { return fmt.Sprintf("0x%0*x", bits(kind)/4, word) }

// bits of the registers for numbers of a kind.
func bits(kind string) int {
	if kind == "f64" || kind == "i64" {
		return 64
	}
	return 32
}

// floats are the operations on floats, with %s for the type, and the letter of the type of the result: a float, bits or a predicate.
var floats = map[string]string{
	"add": "add.rn.%s", "sub": "sub.rn.%s", "mul": "mul.rn.%s", "div": "div.rn.%s", "fma": "fma.rn.%s", "fmaexact": "fma.rn.%s",
	"sqrt": "sqrt.rn.%s", "neg": "neg.%s", "abs": "abs.%s",
	"floor": "cvt.rmi.%s.%[1]s", "ceil": "cvt.rpi.%s.%[1]s", "round": "cvt.rni.%s.%[1]s", "trunc": "cvt.rzi.%s.%[1]s",
}

// comparisons are those of floats, which are false for NaN.
var comparisons = map[string]string{"less": "setp.lt.%s", "lessequal": "setp.le.%s", "equal": "setp.eq.%s"}

// integers are the operations on integers and bits, with %d for the size.
var integers = map[string]string{
	"iadd": "add.s%d", "isub": "sub.s%d", "imul": "mul.lo.s%d", "imulhigh": "mul.hi.u%d", "imin": "min.u%d",
	"iand": "and.b%d", "ior": "or.b%d", "ixor": "xor.b%d", "shl": "shl.b%d", "shr": "shr.u%d", "sar": "shr.s%d",
}

// predicates are the operations on masks.
var predicates = map[string]string{"and": "and.pred", "or": "or.pred", "not": "not.pred"}

// operation writes one operation and returns where its result is.
func (w *writer) operation(s *step, kind string, in []string) string {
	size := bits(kind)
	regs := "r"
	if size == 64 {
		regs = "rd"
	}
	number := fmt.Sprintf("f%d", size)
	if form, ok := floats[s.op]; ok {
		return w.make(regs, fmt.Sprintf(form, number), w.asFloats(kind, in)...)
	}
	if form, ok := comparisons[s.op]; ok {
		return w.make("p", fmt.Sprintf(form, number), w.asFloats(kind, in)...)
	}
	if form, ok := predicates[s.op]; ok {
		return w.make("p", form, in...)
	}
	if form, ok := integers[s.op]; ok {
		return w.integer(s.op, fmt.Sprintf(form, size), kind, regs, in)
	}
	switch s.op {
	case "isnan":
		in = w.asFloats(kind, in)
		return w.make("p", "setp.nan."+number, in[0], in[0])
	case "frombits", "tobits":
		return in[0]
	case "fromint":
		return w.make("r", "cvt.rn.f32.s32", in[0])
	case "select", "iselect":
		return w.make(regs, fmt.Sprintf("selp.b%d", size), in[1], in[2], in[0])
	case "iless":
		if kind == "u8" {
			return w.make("p", "setp.lt.u32", in...)
		}
		return w.make("p", fmt.Sprintf("setp.lt.s%d", size), w.first(kind, in)...)
	case "iequal":
		return w.make("p", fmt.Sprintf("setp.eq.s%d", size), w.first(kind, in)...)
	case "lookup":
		return w.lookup(s.table, in[0])
	}
	panic("emit: no operation " + s.op)
}

// asFloats returns operands of an operation on floats: a literal is one with the bits.
func (w *writer) asFloats(kind string, in []string) []string {
	out := slices.Clone(in)
	for n, v := range out {
		switch {
		case v[0] == '%':
		case kind == "f64":
			out[n] = "0d" + v[2:]
		default:
			out[n] = "0f" + v[2:]
		}
	}
	return out
}

// first puts the first operand into a register, where the others may be literals.
func (w *writer) first(kind string, in []string) []string {
	out := slices.Clone(in)
	out[0] = w.held(kind, in[0])
	return out
}

// integer writes an operation on integers. Those of bytes are cut to their bits, and shifts by a number that varies count its low bits.
func (w *writer) integer(name, form, kind, regs string, in []string) string {
	in = w.first(kind, in)
	switch name {
	case "shl", "shr", "sar":
		if by := in[1]; by[0] == '%' {
			if bits(kind) == 64 {
				by = w.make("r", "cvt.u32.u64", by)
			}
			in[1] = w.make("r", "and.b32", by, fmt.Sprint(bits(kind)-1))
		}
	}
	out := w.make(regs, form, in...)
	if kind == "u8" {
		out = w.make("r", "and.b32", out, "255")
	}
	return out
}

// lookup reads word n of a table, counted modulo its length.
func (w *writer) lookup(table, n string) string {
	if !slices.Contains(w.tables, table) {
		w.tables = append(w.tables, table)
	}
	_, tables := lines()
	at := w.make("r", "and.b32", n, fmt.Sprint(len(tables[table])-1))
	address := w.make("rd", "mad.wide.u32", at, "4", w.make("rd", "mov.b64", table))
	return w.make("r", "ld.global.b32", "["+address+"]")
}
