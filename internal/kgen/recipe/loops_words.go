package recipe

// words are the loops of internal/kern/logical.go and select.go over memory eight bytes at a time, of which
// each byte may be an element. A scalar repeats the same byte.
func words() []*Loop {
	long := []Elem{I64}
	two := func(name, doc string, f func(d description, x, y integ) integ) *Loop {
		d := describe(name, doc, long, "a", "b")
		d.write("dst", Own, Ref(f(d, d.IntParam(0), d.IntParam(1))))
		return d.end(d.builder)
	}
	return []*Loop{
		two("And", "a & b", func(d description, x, y integ) integ { return d.And(x, y) }),
		two("Or", "a | b", func(d description, x, y integ) integ { return d.Or(x, y) }),
		two("Xor", "a ^ b", func(d description, x, y integ) integ { return d.Xor(x, y) }),
		two("Same", "a ^ b ^ ones: a == b of bools", func(d description, x, y integ) integ {
			return d.Xor(d.Xor(x, y), repeated[integ](d, "ones"))
		}),
		two("Below", "b & (a ^ b): a < b of bools", func(d description, x, y integ) integ { return d.And(y, d.Xor(x, y)) }),
		two("AtMost", "(a & (a ^ b)) ^ ones: a ≤ b of bools", func(d description, x, y integ) integ {
			return d.Xor(d.And(x, d.Xor(x, y)), repeated[integ](d, "ones"))
		}),
		flip(),
		whereBytes(),
	}
}

func flip() *Loop {
	d := describe("Flip", "a ^ bits", []Elem{I64}, "a")
	d.write("dst", Own, Ref(d.Xor(d.IntParam(0), repeated[integ](d, "bits"))))
	return d.end(d.builder)
}

// whereBytes makes bytes of ones of the bytes 1: their product with 255.
func whereBytes() *Loop {
	d := describe("WhereBytes", "the bytes of a where those of cond are 1, of b where they are 0", []Elem{I64}, "cond", "a", "b")
	cond, x, y := d.IntParam(0), d.IntParam(1), d.IntParam(2)
	mask := d.ISub(d.Shl(cond, d.Int(8)), cond)
	d.write("dst", Own, Ref(d.Xor(y, d.And(mask, d.Xor(x, y)))))
	return d.end(d.builder)
}
