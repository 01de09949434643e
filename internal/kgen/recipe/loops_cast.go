package recipe

// casts are the loops of internal/kern/cast.go between a float that they compute with and another type.
func casts() []*Loop {
	return []*Loop{
		from("FromF32", "a, a float32, as a float64", []Elem{F64}, F32),
		from("FromF16", "a, in half precision, as a float32", single, F16),
		from("FromBF16", "a, a bfloat16, as a float32", single, BF16),
		fromInt("FromI32", "a, an int32, as a float32", I32),
		from("FromI32", "a, an int32, as a float64", []Elem{F64}, I32),
		fromInt("FromU8", "a, a byte, as a float32", U8),
		fromBool(),
		to("ToF32", "a, a float64, as a float32", []Elem{F64}, F32, asItIs),
		to("ToF16", "a in half precision, of a NaN its sign alone", single, F16, roundToF16),
		to("ToBF16", "a as a bfloat16", single, BF16, roundToBF16),
		to("ToI32", "a without its fraction, as an int32; the least where that is out of range or a is NaN", single, I32, toInt),
		to("ToI32", "a, a float64, without its fraction, as an int32; the least where that is out of range or a is NaN", []Elem{F64}, I32, asItIs),
		to("ToU8", "the low byte of a as an int32, of which ToI32 tells", single, U8, toInt),
		to("ToBool", "whether a ≠ 0", floats, Bool, isTrue),
	}
}

// from is the loop that reads elements of another type.
func from(name, doc string, elems []Elem, elem Elem) *Loop {
	d := describe(name, doc, elems, "a")
	d.Src[0].Elem = elem
	return d.dst(d.Param(0))
}

func fromInt(name, doc string, elem Elem) *Loop {
	d := describe(name, doc, single, "a")
	d.Src[0].Elem = elem
	return d.dst(d.FromInt(d.IntParam(0)))
}

func fromBool() *Loop {
	d := describe("FromBool", "1 where a, else 0", floats, "a")
	d.Src[0].Elem = Bool
	return d.dst(d.If(d.Bool(0), d.Const(1), d.Const(0)))
}

// roundToF16 leaves the rounding to the store and makes every NaN one that becomes the same in half precision.
func roundToF16(b *builder, x float) Ref {
	sign := b.And(b.ToBits(x), b.Int(-1<<31))
	return Ref(b.If(b.IsNaN(x), b.FromBits(b.Or(sign, b.Int(0x7fc00000))), x))
}

// roundToBF16 rounds to nearest even what the store cuts off.
func roundToBF16(b *builder, x float) Ref {
	bits := b.ToBits(x)
	even := b.And(b.Shr(bits, b.Int(16)), b.Int(1))
	rounded := b.IAdd(bits, b.IAdd(even, b.Int(0x7fff)))
	return Ref(b.If(b.IsNaN(x), b.NaN(), b.FromBits(rounded)))
}

// asItIs leaves the conversion to the store.
func asItIs(_ *builder, x float) Ref { return Ref(x) }

func isTrue(b *builder, x float) Ref { return Ref(b.Not(b.Equal(x, b.Const(0)))) }

func toInt(b *builder, x float) Ref { return Ref(b.ToInt(x)) }
