package emit

import (
	"fmt"
	"strings"

	"cresset/dtype"
)

// A value is an element in registers. Integers of up to 32 bits are in %r, extended by their sign, and bytes by zeros; a half is the
// float32 of the same number in %r and its bits in %rs, one of which may be missing until it is asked for.
type value struct {
	dtype dtype.DType
	reg   string
	bits  string
}

// wide reports whether elements take a register of 64 bits.
func wide(dt dtype.DType) bool { return dt.Size() == 8 }

func half(dt dtype.DType) bool { return dt == dtype.Float16 || dt == dtype.BFloat16 }

// number returns the register with the value as a number: a float32 for the halves.
func (w *writer) number(v *value) string {
	if v.reg == "" && v.dtype == dtype.Float16 {
		v.reg = w.make("r", "cvt.f32.f16", v.bits)
	} else if v.reg == "" {
		v.reg = w.make("r", "shl.b32", w.make("r", "cvt.u32.u16", v.bits), "16")
	}
	return v.reg
}

// constant reads the constant operand i.
func (w *writer) constant(i int) value {
	dt := ConstantType(w.region, i)
	switch {
	case wide(dt):
		return value{dtype: dt, reg: w.param("rd", "ld.param.b64")}
	case half(dt):
		v := value{dtype: dt, bits: w.param("rs", "ld.param.b16")}
		w.number(&v) // once, ahead of the loop
		return v
	}
	return w.extend(dt, w.param("r", "ld.param.b32"))
}

// extend makes a value of the low bits of a word.
func (w *writer) extend(dt dtype.DType, word string) value {
	switch dt {
	case dtype.Int8:
		word = w.make("r", "cvt.s32.s8", word)
	case dtype.Int16:
		word = w.make("r", "cvt.s32.s16", w.make("rs", "cvt.u16.u32", word))
	case dtype.Uint8, dtype.Bool:
		word = w.make("r", "and.b32", word, "255")
	}
	return value{dtype: dt, reg: word}
}

// scalarOf reads a parameter of an op: the bits of a float64 for floats, else an int64.
func (w *writer) scalarOf(kind string) string {
	switch kind {
	case "f32":
		return w.make("r", "cvt.rn.f32.f64", w.param("rd", "ld.param.b64"))
	case "f64", "i64":
		return w.param("rd", "ld.param.b64")
	case "i32":
		return w.param("r", "ld.param.b32")
	}
	return w.make("r", "and.b32", w.param("r", "ld.param.b32"), "255")
}

// load reads neighbours of operand i, at once.
func (w *writer) load(i int, at string, lanes int) []value {
	dt := w.dtypeOf(i)
	size := dt.Size()
	if size == 8 {
		var all []value
		for _, reg := range w.move("rd", "b64", lanes, at) {
			all = append(all, value{dtype: dt, reg: reg})
		}
		return all
	}
	switch bytes := lanes * size; bytes {
	case 1:
		return []value{w.extend(dt, w.make("r", "ld.global.u8", "["+at+"]"))}
	case 2:
		return w.part(dt, w.make("r", "cvt.u32.u16", w.make("rs", "ld.global.b16", "["+at+"]")), lanes)
	default:
		var all []value
		for _, word := range w.move("r", "b32", bytes/4, at) {
			all = append(all, w.part(dt, word, 4/size)...)
		}
		return all
	}
}

// move loads so many words.
func (w *writer) move(letters, kind string, n int, at string) []string {
	regs := make([]string, n)
	for k := range regs {
		regs[k] = w.new(letters)
	}
	w.line("ld.global%s.%s %s, [%s]", vector(n), kind, list(regs), at)
	return regs
}

func vector(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(".v%d", n)
}

func list(regs []string) string {
	if len(regs) == 1 {
		return regs[0]
	}
	return "{" + strings.Join(regs, ", ") + "}"
}

// part cuts a word into elements, the lowest first.
func (w *writer) part(dt dtype.DType, word string, n int) []value {
	bits := 8 * dt.Size()
	var all []value
	for k := range n {
		element := word
		if k > 0 {
			element = w.make("r", "shr.u32", word, fmt.Sprint(k*bits))
		}
		if half(dt) {
			all = append(all, value{dtype: dt, bits: w.make("rs", "cvt.u16.u32", element)})
		} else {
			all = append(all, w.extend(dt, element))
		}
	}
	return all
}

// store writes neighbours at once.
func (w *writer) store(dt dtype.DType, at string, lanes []value) {
	var regs []string
	size := dt.Size()
	if size == 8 {
		for _, v := range lanes {
			regs = append(regs, v.reg)
		}
		w.line("%sst.global%s.b64 [%s], %s", w.guard, vector(len(regs)), at, list(regs))
		return
	}
	each := max(min(len(lanes), 4/size), 1)
	for k := 0; k < len(lanes); k += each {
		regs = append(regs, w.packed(lanes[k:k+each], 8*size))
	}
	switch len(lanes) * size {
	case 1:
		w.line("%sst.global.u8 [%s], %s", w.guard, at, regs[0])
	case 2:
		w.line("%sst.global.b16 [%s], %s", w.guard, at, w.make("rs", "cvt.u16.u32", regs[0]))
	default:
		w.line("%sst.global%s.b32 [%s], %s", w.guard, vector(len(regs)), at, list(regs))
	}
}

// packed makes one word of elements of so many bits.
func (w *writer) packed(elements []value, bits int) string {
	word := ""
	for k, v := range elements {
		e := v.reg
		switch {
		case half(v.dtype):
			e = w.make("r", "cvt.u32.u16", v.bits)
		case bits < 32 && len(elements) > 1 && (v.dtype == dtype.Int8 || v.dtype == dtype.Int16):
			e = w.make("r", "and.b32", e, fmt.Sprint(1<<bits-1))
		}
		if k > 0 {
			e = w.make("r", "shl.b32", e, fmt.Sprint(k*bits))
			e = w.make("r", "or.b32", word, e)
		}
		word = e
	}
	return word
}
