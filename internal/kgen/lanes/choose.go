package lanes

import "cresset/internal/kgen/asm"

// comparisons writes loops that return a mask of the lanes for which something holds.
func comparisons(f *asm.File) {
	test := func(name, doc string, lane int, step func(w writer, n int)) {
		w := loop(f, name, "the mask of lanes with "+doc, params(registers(lane), "a", "b"), "AX", "BX")
		w.Result = "uint32"
		collect(w, lane, func(n int) {
			w.Op("VMOVDQU", at("AX", n), "Y0")
			step(w, n)
		})
		w.Op("MOVL", "CX", w.Arg("ret"))
		w.end()
	}
	integer := func(instruction string, flip string) func(w writer, n int) {
		return func(w writer, n int) { // a less than b is b greater than a
			w.Op("VMOVDQU", at("BX", n), "Y1")
			if flip != "" {
				w.Op("VPXOR", flip, "Y0", "Y0")
				w.Op("VPXOR", flip, "Y1", "Y1")
			}
			w.Op(instruction, "Y0", "Y1", "Y0")
		}
	}
	test("equalU32", "a = b", narrow, integer("VPCMPEQD", ""))
	test("equalU64", "a = b", wide, integer("VPCMPEQQ", ""))
	test("lessS32", "a < b, signed", narrow, integer("VPCMPGTD", ""))
	test("lessS64", "a < b, signed", wide, integer("VPCMPGTQ", ""))
	test("lessU32", "a < b", narrow, integer("VPCMPGTD", repeated(f, narrow, 1<<31, 0)))
	test("lessU64", "a < b", wide, integer("VPCMPGTQ", repeated(f, wide, 0, 1<<31)))
	for _, c := range []struct{ name, doc, predicate string }{{"equal", "a = b", "$0"}, {"less", "a < b", "$17"}, {"lessEqual", "a ≤ b", "$18"}, {"unordered", "a or b no number", "$3"}} {
		test(c.name+"F32", c.doc, narrow, func(w writer, n int) { w.Op("VCMPPS", c.predicate, at("BX", n), "Y0", "Y0") })
		test(c.name+"F64", c.doc, wide, func(w writer, n int) { w.Op("VCMPPD", c.predicate, at("BX", n), "Y0", "Y0") })
	}
}

// collect gathers in CX the signs of the lanes of Y0 after each step.
func collect(w writer, lane int, step func(n int)) {
	move, count := map[int]string{narrow: "VMOVMSKPS", wide: "VMOVMSKPD"}[lane], bytes/lane
	for n := range vectors(lane) {
		step(n)
		if n == 0 {
			w.Op(move, "Y0", "CX")
			continue
		}
		w.Op(move, "Y0", "R8")
		w.Op("SHLL", constant(n*count), "R8")
		w.Op("ORL", "R8", "CX")
	}
}

// choices writes loops that take each lane from one of two registers.
func choices(f *asm.File) {
	for _, lane := range []int{narrow, wide} {
		name, broadcast, equal := "chooseU32", "VPBROADCASTD", "VPCMPEQD"
		if lane == wide {
			name, broadcast, equal = "chooseU64", "VPBROADCASTQ", "VPCMPEQQ"
		}
		w := loop(f, name, "d = a in the lanes of p, else b", append(params(registers(lane), "d", "a", "b"), asm.Param{Name: "p", Type: "uint32"}), "DX", "AX", "BX")
		w.Op("MOVL", w.Arg("p"), "CX")
		w.Op("VMOVQ", "CX", "X0")
		w.Op(broadcast, "X0", "Y0")
		for n := range vectors(lane) {
			bits := f.Words(bitsOf(lane, n)...)
			w.Op("VPAND", bits, "Y0", "Y1")
			w.Op(equal, bits, "Y1", "Y1")
			w.Op("VMOVDQU", at("BX", n), "Y2")
			w.Op("VPBLENDVB", "Y1", at("AX", n), "Y2", "Y2")
			w.Op("VMOVDQU", "Y2", at("DX", n))
		}
		w.end()
	}
}

// bitsOf are the words of a vector that has in each lane of the n-th vector of a register that lane's bit of a mask.
func bitsOf(lane, n int) (words []uint32) {
	count := bytes / lane
	for i := range count {
		words = append(words, 1<<(n*count+i))
		if lane == wide {
			words = append(words, 0)
		}
	}
	return words
}
