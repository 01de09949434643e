package recipe

import "slices"

// halves are the loops on elements of half precision that compute with them in float32: those of float32 with a conversion on
// either side.
func halves() []*Loop {
	var f16, bf16 []*Loop
	for _, r := range Ops() {
		for _, l := range r.Loops() {
			switch {
			case !slices.Contains(l.Elems, F32) || l.Name != r.Op:
			case r.Halves:
				f16, bf16 = append(f16, ofHalf(l, F16, roundToF16)), append(bf16, ofHalf(l, BF16, roundToBF16))
			case r.Op == "Cube":
				f16, bf16 = append(f16, ofHalf(l, F16, roundToF16)), append(bf16, cubeBF16())
			}
		}
	}
	return slices.Concat(f16, bf16, signsOfHalves())
}

// ofHalf is a loop of float32 that reads and writes elements of a half type, but for what is the same for all rows; round converts a
// result to it.
func ofHalf(l *Loop, elem Elem, round func(b *builder, x float) Ref) *Loop {
	h := *l
	h.Name, h.Doc, h.Elems = l.Name+elem.String(), l.Doc+", of elements "+map[Elem]string{F16: "in half precision", BF16: "of bfloat16"}[elem], single
	b := newBuilder(F32, h.Name)
	b.recipe.Steps = slices.Clone(l.Steps)
	h.Src, h.Dst, h.Results = slices.Clone(l.Src), slices.Clone(l.Dst), slices.Clone(l.Results)
	for n, s := range h.Src {
		if !s.Same {
			h.Src[n].Elem = elem
		}
	}
	for n := range h.Dst {
		h.Dst[n].Elem, h.Results[n] = elem, round(b, float(h.Results[n]))
	}
	return h.end(b)
}

// ofBothHalves are the loops of float32 over elements of each half type.
func ofBothHalves(loops ...*Loop) (halves []*Loop) {
	for _, l := range loops {
		halves = append(halves, ofHalf(l, F16, roundToF16), ofHalf(l, BF16, roundToBF16))
	}
	return halves
}

// cubeBF16 rounds the square, as PyTorch does.
func cubeBF16() *Loop {
	d := describe("CubeBF16", "a³, of elements of bfloat16, the square rounded", single, "a")
	d.Src[0].Elem = BF16
	x := d.Param(0)
	square := d.ToBits(float(roundToBF16(d.builder, d.Mul(x, x))))
	d.write("dst", BF16, roundToBF16(d.builder, d.Mul(d.FromBits(d.And(square, d.Int(-1<<16))), x)))
	return d.end(d.builder)
}

// signsOfHalves are loops over eight bytes at a time, four elements of either half type.
func signsOfHalves() []*Loop {
	const signs = -0x7fff7fff7fff8000 // of each element the sign
	words := func(name, doc string, f func(b *builder, x integ) integ) *Loop {
		return to(name, doc, []Elem{I64}, Own, func(b *builder, x integ) Ref { return Ref(f(b, x)) })
	}
	return []*Loop{
		words("NegHalves", "the negatives of four elements of half precision", func(b *builder, x integ) integ { return b.Xor(x, b.Int(signs)) }),
		words("AbsHalves", "four elements of half precision without their signs", func(b *builder, x integ) integ { return b.And(x, b.Int(^signs)) }),
	}
}
