package recipe

// integerCasts compute with integers: what they read becomes one, and the store makes another type of it.
func integerCasts() []*Loop {
	long := []Elem{I64}
	same := func(_ *builder, x integ) Ref { return Ref(x) }
	return []*Loop{
		readInts("FromI32", "a, an int32, as an int64", long, I32),
		readInts("FromU8", "a, a byte, as an integer", ints, U8),
		readInts("FromF32", "a, a float32, without its fraction, as an int64; the least where that is out of range or a is NaN", long, F32),
		readInts("FromF64", "a, a float64, without its fraction, as an int64; the least where that is out of range or a is NaN", long, F64),
		to("ToI32", "a, an int64, as an int32, which wraps", long, I32, same),
		to("ToU8", "a as a byte, which wraps", ints, U8, same),
		to("ToF32", "a, an int64, as a float32", long, F32, same),
		to("ToF64", "a, an int64, as a float64", long, F64, same),
		to("ToBool", "whether a ≠ 0", whole, Bool, func(b *builder, x integ) Ref { return Ref(b.Not(b.IEqual(x, b.Int(0)))) }),
	}
}

// readInts is the loop that reads elements of another type as integers.
func readInts(name, doc string, elems []Elem, elem Elem) *Loop {
	d := describe(name, doc, elems, "a")
	d.Src[0].Elem = elem
	d.write("dst", Own, Ref(d.IntParam(0)))
	return d.end(d.builder)
}
