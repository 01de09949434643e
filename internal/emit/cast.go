package emit

import (
	"fmt"

	"cresset/dtype"
)

// cast converts a value as the casts of half.cuh do: from a float to an integer of any size by way of int32 or int64, the least of
// which stands for what is out of range and for NaN.
func (w *writer) cast(v value, to dtype.DType) value {
	from := v.dtype
	switch {
	case from == to:
		return v
	case to == dtype.Bool:
		return w.truth(w.nonzero(v))
	case to.IsFloat():
		return w.toFloat(v, to)
	case from.IsFloat():
		return w.extendTo(to, w.truncate(v, to))
	case wide(to):
		return value{dtype: to, reg: w.make("rd", "cvt.s64.s32", v.reg)}
	case wide(from):
		return w.extendTo(to, w.make("r", "cvt.u32.u64", v.reg))
	}
	return w.extendTo(to, v.reg)
}

// extendTo is extend of what may be an int64.
func (w *writer) extendTo(to dtype.DType, reg string) value {
	if wide(to) {
		return value{dtype: to, reg: reg}
	}
	return w.extend(to, reg)
}

// truth is 1 or 0 as a predicate says.
func (w *writer) truth(p string) value {
	return value{dtype: dtype.Bool, reg: w.make("r", "selp.b32", "1", "0", p)}
}

// nonzero is a predicate: NaN is true.
func (w *writer) nonzero(v value) string {
	switch {
	case v.dtype == dtype.Float64:
		return w.make("p", "setp.neu.f64", v.reg, "0d0000000000000000")
	case v.dtype.IsFloat():
		return w.make("p", "setp.neu.f32", w.number(&v), "0f00000000")
	case wide(v.dtype):
		return w.make("p", "setp.ne.s64", v.reg, "0")
	}
	return w.make("p", "setp.ne.s32", v.reg, "0")
}

func (w *writer) toFloat(v value, to dtype.DType) value {
	from := v.dtype
	if to == dtype.Float64 {
		switch {
		case from.IsFloat():
			return value{dtype: to, reg: w.make("rd", "cvt.f64.f32", w.number(&v))}
		case wide(from):
			return value{dtype: to, reg: w.make("rd", "cvt.rn.f64.s64", v.reg)}
		}
		return value{dtype: to, reg: w.make("rd", "cvt.rn.f64.s32", v.reg)}
	}
	reg := ""
	switch {
	case from == dtype.Float64:
		reg = w.make("r", "cvt.rn.f32.f64", v.reg)
	case from.IsFloat():
		reg = w.number(&v)
	case wide(from):
		reg = w.make("r", "cvt.rn.f32.s64", v.reg)
	default:
		reg = w.make("r", "cvt.rn.f32.s32", v.reg)
	}
	return w.round(reg, to)
}

// round makes a value of a dtype of a float32.
func (w *writer) round(reg string, to dtype.DType) value {
	if to == dtype.Float32 {
		return value{dtype: to, reg: reg}
	}
	number := w.make("p", "setp.equ.f32", reg, reg)
	w.line("setp.num.f32 %s, %s, %[2]s", number, reg)
	var word string
	if to == dtype.Float16 {
		nearest := w.make("r", "cvt.u32.u16", w.make("rs", "cvt.rn.f16.f32", reg))
		nan := w.make("r", "or.b32", w.make("r", "and.b32", w.make("r", "shr.u32", reg, "16"), "0x8000"), "0x7e00")
		word = w.make("r", "selp.b32", nearest, nan, number)
	} else {
		odd := w.make("r", "and.b32", w.make("r", "shr.u32", reg, "16"), "1")
		up := w.make("r", "add.s32", w.make("r", "add.s32", reg, "0x7fff"), odd)
		word = w.make("r", "selp.b32", w.make("r", "shr.u32", up, "16"), "0x7fc0", number)
	}
	return value{dtype: to, bits: w.make("rs", "cvt.u16.u32", word)}
}

// truncate drops the fraction of a float on its way to an integer dtype.
func (w *writer) truncate(v value, to dtype.DType) string {
	from, zero := "f32", w.number
	low, high, op := "0fCF000000", "0f4F000000", "setp.gt"
	into, least, regs := "s32", "0x80000000", "r"
	if v.dtype == dtype.Float64 {
		from, low, high = "f64", "0dC1E0000000200000", "0d41E0000000000000"
	}
	if wide(to) {
		low, high, op = "0fDF000000", "0f5F000000", "setp.ge"
		if v.dtype == dtype.Float64 {
			low, high = "0dC3E0000000000000", "0d43E0000000000000"
		}
		into, least, regs = "s64", "0x8000000000000000", "rd"
	}
	reg := zero(&v)
	above, below := w.make("p", op+"."+from, reg, low), w.make("p", "setp.lt."+from, reg, high)
	within := w.make("p", "and.pred", above, below)
	whole := w.make(regs, fmt.Sprintf("cvt.rzi.%s.%s", into, from), reg)
	return w.make(regs, "selp.b"+into[1:], whole, least, within)
}

// choose is a where the bool holds, else b, bit for bit.
func (w *writer) choose(first, a, b value) value {
	p := w.nonzero(first)
	switch {
	case wide(a.dtype):
		return value{dtype: a.dtype, reg: w.make("rd", "selp.b64", a.reg, b.reg, p)}
	case half(a.dtype):
		return value{dtype: a.dtype, bits: w.make("rs", "selp.b16", a.bits, b.bits, p)}
	}
	return value{dtype: a.dtype, reg: w.make("r", "selp.b32", a.reg, b.reg, p)}
}
