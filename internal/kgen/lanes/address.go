package lanes

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// addresses writes loops over the addresses of a warp's lanes.
func addresses(f *asm.File) {
	for _, lane := range []int{narrow, wide} {
		load, from := "VMOVDQU", at
		if lane == narrow {
			load, from = "VPMOVZXDQ", half
		}
		w := loop(f, fmt.Sprintf("addresses%d", 8*lane), "d = base + offset; it returns the bits that are set in some lane of d",
			[]asm.Param{{Name: "d", Type: registers(wide)}, {Name: "base", Type: registers(lane)}, {Name: "offset", Type: "uint64"}}, "DX", "AX")
		w.Result = "uint64"
		w.Op("VPBROADCASTQ", w.Arg("offset"), "Y2")
		w.Op("VPXOR", "Y1", "Y1", "Y1")
		for n := range vectors(wide) {
			w.Op(load, from("AX", n), "Y0")
			w.Op("VPADDQ", "Y2", "Y0", "Y0")
			w.Op("VMOVDQU", "Y0", at("DX", n))
			w.Op("VPOR", "Y0", "Y1", "Y1")
		}
		w.Op("VEXTRACTI128", "$1", "Y1", "X0")
		w.Op("VPOR", "X0", "X1", "X1")
		w.Op("VPSRLDQ", "$8", "X1", "X0")
		w.Op("VPOR", "X0", "X1", "X1")
		w.Op("VMOVQ", "X1", "AX")
		w.Op("MOVQ", "AX", w.Arg("ret"))
		w.end()
	}
	w := loop(f, "within", "the mask of lanes with addr - base ≤ last, unsigned",
		append(params(registers(wide), "addr"), params("uint64", "base", "last")...), "AX")
	w.Result = "uint32"
	sign := repeated(f, wide, 0, 1<<31)
	w.Op("VPBROADCASTQ", w.Arg("base"), "Y2")
	w.Op("VPBROADCASTQ", w.Arg("last"), "Y3")
	w.Op("VPXOR", sign, "Y3", "Y3")
	collect(w, wide, func(n int) { // of lanes beyond
		w.Op("VMOVDQU", at("AX", n), "Y0")
		w.Op("VPSUBQ", "Y2", "Y0", "Y0")
		w.Op("VPXOR", sign, "Y0", "Y0")
		w.Op("VPCMPGTQ", "Y3", "Y0", "Y0")
	})
	w.Op("NOTL", "CX")
	w.Op("MOVL", "CX", w.Arg("ret"))
	w.end()
}

// moves writes loops that load and store elements of all lanes. Those of a lane lie behind each other from data + addr - base; the registers are apart as
// their numbers regs are, and first is that of regs[0].
func moves(f *asm.File) {
	for _, m := range []struct {
		name, load, store string
		bytes, elements   int
	}{
		{"Halves1", "MOVWLZX", "MOVW", 2, 1},
		{"Words1", "MOVL", "MOVL", 4, 1}, {"Words2", "MOVL", "MOVL", 4, 2}, {"Words4", "MOVL", "MOVL", 4, 4},
		{"Longs1", "MOVQ", "MOVQ", 8, 1}, {"Longs2", "MOVQ", "MOVQ", 8, 2},
	} {
		lane := max(m.bytes, narrow)
		for _, what := range []string{"load", "store"} {
			w := writer{f.Func(what+m.name, fmt.Sprintf("the %s of %d elements of %d bytes a lane", what, m.elements, m.bytes), []asm.Param{
				{Name: "first", Type: registers(lane)}, {Name: "regs", Type: "*[4]int32"}, {Name: "addr", Type: registers(wide)}, {Name: "data", Type: "*byte"}, {Name: "base", Type: "uint64"},
			}...)}
			w.Op("MOVQ", w.Arg("first"), "R9")
			w.Op("MOVQ", w.Arg("regs"), "BX")
			w.Op("MOVQ", w.Arg("addr"), "SI")
			w.Op("MOVQ", w.Arg("data"), "DI")
			w.Op("SUBQ", w.Arg("base"), "DI")
			files := []string{"R9", "R10", "R11", "R12"}[:m.elements]
			for n, register := range files[1:] {
				w.Op("MOVLQSX", fmt.Sprintf("%d(BX)", 4*(n+1)), register)
				w.Op("MOVLQSX", "(BX)", "AX")
				w.Op("SUBQ", "AX", register)
				w.Op("IMUL3Q", constant(32*lane), register, register)
				w.Op("ADDQ", "R9", register)
			}
			w.Op("XORL", "CX", "CX")
			w.Label("lane")
			w.Op("MOVQ", "(SI)(CX*8)", "AX")
			for n, file := range files {
				memory, register := fmt.Sprintf("%d(DI)(AX*1)", m.bytes*n), fmt.Sprintf("(%s)(CX*%d)", file, lane)
				if what == "load" {
					w.Op(m.load, memory, "R8")
					w.Op(map[int]string{narrow: "MOVL", wide: "MOVQ"}[lane], "R8", register)
				} else {
					w.Op(map[int]string{narrow: "MOVL", wide: "MOVQ"}[lane], register, "R8")
					w.Op(m.store, "R8", memory)
				}
			}
			w.Op("INCL", "CX")
			w.Op("CMPL", "CX", "$32")
			w.Op("JLT", "lane")
			w.Op("RET")
		}
	}
}
