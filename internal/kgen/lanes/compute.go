package lanes

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// instructions compute a lane from those of one type with it, in one instruction: d = a op b.
var instructions = []struct {
	name, doc, instruction string
	lane                   int
}{
	{"addU32", "a + b", "VPADDD", narrow}, {"subU32", "a - b", "VPSUBD", narrow}, {"mulU32", "a · b", "VPMULLD", narrow},
	{"andU32", "a & b", "VPAND", narrow}, {"orU32", "a | b", "VPOR", narrow}, {"xorU32", "a ^ b", "VPXOR", narrow},
	{"shlU32", "a << b", "VPSLLVD", narrow}, {"shrU32", "a >> b", "VPSRLVD", narrow}, {"shrS32", "a >> b, of signed a", "VPSRAVD", narrow},
	{"minU32", "min(a, b)", "VPMINUD", narrow}, {"maxU32", "max(a, b)", "VPMAXUD", narrow},
	{"minS32", "min(a, b), signed", "VPMINSD", narrow}, {"maxS32", "max(a, b), signed", "VPMAXSD", narrow},
	{"addF32", "a + b", "VADDPS", narrow}, {"subF32", "a - b", "VSUBPS", narrow}, {"mulF32", "a · b", "VMULPS", narrow}, {"divF32", "a / b", "VDIVPS", narrow},
	{"addU64", "a + b", "VPADDQ", wide}, {"subU64", "a - b", "VPSUBQ", wide},
	{"andU64", "a & b", "VPAND", wide}, {"orU64", "a | b", "VPOR", wide}, {"xorU64", "a ^ b", "VPXOR", wide},
	{"addF64", "a + b", "VADDPD", wide}, {"subF64", "a - b", "VSUBPD", wide}, {"mulF64", "a · b", "VMULPD", wide}, {"divF64", "a / b", "VDIVPD", wide},
}

// computations writes d = f(a, b, c) for registers of one type. All have three operands, as the interpreter calls them.
func computations(f *asm.File) {
	compute := func(name, doc string, lane int, step func(w writer, n int)) {
		w := loop(f, name, "d = "+doc, params(registers(lane), "d", "a", "b", "c"), "DX", "AX", "BX", "CX")
		for n := range vectors(lane) {
			w.Op("VMOVDQU", at("AX", n), "Y0")
			step(w, n)
			w.Op("VMOVDQU", "Y0", at("DX", n))
		}
		w.end()
	}
	for _, i := range instructions {
		compute(i.name, i.doc, i.lane, func(w writer, n int) { w.Op(i.instruction, at("BX", n), "Y0", "Y0") })
	}
	compute("madU32", "a · b + c", narrow, func(w writer, n int) {
		w.Op("VPMULLD", at("BX", n), "Y0", "Y0")
		w.Op("VPADDD", at("CX", n), "Y0", "Y0")
	})
	fma := func(instruction string) func(w writer, n int) {
		return func(w writer, n int) {
			w.Op("VMOVDQU", at("BX", n), "Y1")
			w.Op(instruction, at("CX", n), "Y1", "Y0")
		}
	}
	compute("fmaF32", "a · b + c, rounded once", narrow, fma("VFMADD213PS"))
	compute("fmaF64", "a · b + c, rounded once", wide, fma("VFMADD213PD"))
	compute("mulU64", "a · b", wide, func(w writer, n int) { // low·low + (low·high + high·low) << 32
		w.Op("VMOVDQU", at("BX", n), "Y1")
		w.Op("VPSRLQ", "$32", "Y0", "Y2")
		w.Op("VPSRLQ", "$32", "Y1", "Y3")
		w.Op("VPMULUDQ", "Y1", "Y2", "Y2")
		w.Op("VPMULUDQ", "Y0", "Y3", "Y3")
		w.Op("VPADDQ", "Y2", "Y3", "Y3")
		w.Op("VPSLLQ", "$32", "Y3", "Y3")
		w.Op("VPMULUDQ", "Y1", "Y0", "Y0")
		w.Op("VPADDQ", "Y3", "Y0", "Y0")
	})
}

// conversions writes loops between registers of 32-bit and of 64-bit lanes.
func conversions(f *asm.File) {
	for _, sign := range []struct{ name, extend, multiply, doc string }{{"U32", "VPMOVZXDQ", "VPMULUDQ", ""}, {"S32", "VPMOVSXDQ", "VPMULDQ", ", signed"}} {
		from := params(registers(narrow), "a", "b")
		to := params(registers(wide), "d")
		widened := func(name, doc string, more []asm.Param, step func(w writer, n int)) {
			registers := []string{"DX", "AX", "BX", "CX"}
			all := append(append(to, from...), more...)
			w := loop(f, name, "d = "+doc+sign.doc, all, registers[:len(all)]...)
			for n := range vectors(wide) {
				w.Op(sign.extend, half("AX", n), "Y0")
				step(w, n)
				w.Op("VMOVDQU", "Y0", at("DX", n))
			}
			w.end()
		}
		product := func(w writer, n int) {
			w.Op(sign.extend, half("BX", n), "Y1")
			w.Op(sign.multiply, "Y1", "Y0", "Y0")
		}
		widened("extend"+sign.name, "a", nil, func(writer, int) {})
		widened("mulWide"+sign.name, "a · b", nil, product)
		widened("madWide"+sign.name, "a · b + c", params(registers(wide), "c"), func(w writer, n int) {
			product(w, n)
			w.Op("VPADDQ", at("CX", n), "Y0", "Y0")
		})
	}
	for _, shift := range []struct{ name, instruction, sign string }{{"shlU64", "VPSLLVQ", "<<"}, {"shrU64", "VPSRLVQ", ">>"}} {
		w := loop(f, shift.name, fmt.Sprintf("d = a %s b", shift.sign), append(params(registers(wide), "d", "a"), params(registers(narrow), "b")...), "DX", "AX", "BX")
		for n := range vectors(wide) {
			w.Op("VPMOVZXDQ", half("BX", n), "Y1")
			w.Op("VMOVDQU", at("AX", n), "Y0")
			w.Op(shift.instruction, "Y1", "Y0", "Y0")
			w.Op("VMOVDQU", "Y0", at("DX", n))
		}
		w.end()
	}
	w := loop(f, "cut", "d = a, without its upper half", append(params(registers(narrow), "d"), params(registers(wide), "a")...), "DX", "AX")
	for n := range vectors(narrow) {
		w.Op("VMOVDQU", at("AX", 2*n), "Y0")
		w.Op("VSHUFPS", "$0x88", at("AX", 2*n+1), "Y0", "Y0")
		w.Op("VPERMQ", "$0xd8", "Y0", "Y0")
		w.Op("VMOVDQU", "Y0", at("DX", n))
	}
	w.end()
	w = loop(f, "intToF32", "d = a, as a float", params(registers(narrow), "d", "a", "b", "c"), "DX", "AX")
	for n := range vectors(narrow) {
		w.Op("VCVTDQ2PS", at("AX", n), "Y0")
		w.Op("VMOVDQU", "Y0", at("DX", n))
	}
	w.end()
}
