package tile

import (
	"bytes"
	"fmt"

	"cresset/internal/kgen/asm"
)

// Float16 by AVX512-FP16, which adds, subtracts and multiplies 32 numbers at once. Of 16 numbers float32 needs two conversions, the
// operation and a conversion back, 7 micro-operations of the two ports; here they are half of one: add_f16/1e5 takes half the time.
// Quotients and roots of float16 take half as long again as those of float32 with their conversions. Each operation rounds once, to what
// float32 and then half precision round to, since float32 has more than twice the digits and two: the bits are those of the other loops.

var halvesCall = layout{"halvesCall", "halvesCall is a call of a loop over n numbers of float16.", []string{
	"a, b, y unsafe.Pointer",
	"n int",
}}

// half16 is the type of these loops.
var half16 = elem{"F16", 2, "PH", "SH"}

// halfOps are the loops by what the names of functions and of loops begin with, and their instructions' opcodes in map 5.
var halfOps = []struct {
	function, loop, doc, instruction string
	opcode                           int
}{
	{"add", "AddF16", "a + b", "VADDPH", 0x58},
	{"sub", "SubF16", "a - b", "VSUBPH", 0x5c},
	{"mul", "MulF16", "a · b", "VMULPH", 0x59},
}

// halfLoops writes the loops, and what tells whether the processor has them.
func (m *machine) halfLoops(f *asm.File) {
	for _, o := range halfOps {
		w := m.writer(f, o.function, half16, &halvesCall, "y[i] = "+o.doc+" for n numbers of float16")
		compute := func() {
			for n := range 2 {
				w.code([]int{0x62, 0xf5, ^n&15<<3 | 1<<2, 0x48, o.opcode, 0xc0 | n<<3 | 2 + n}, "%s Z%d, Z%d, Z%d", o.instruction, 2+n, n, n)
			}
		}
		w.arg("a", "SI")
		w.arg("b", "BX")
		w.arg("y", "DX")
		w.arg("n", "CX")
		w.sub("$64", "CX")
		w.jump("LT", "rest")
		w.loopLabel("loop")
		for n := range 2 {
			w.op("VMOVDQU16", at("SI", 64*n), w.reg(n))
			w.op("VMOVDQU16", at("BX", 64*n), w.reg(2+n))
		}
		compute()
		for n := range 2 {
			w.op("VMOVDQU16", w.reg(n), at("DX", 64*n))
		}
		for _, r := range []string{"SI", "BX", "DX"} {
			w.add("$128", r)
		}
		w.sub("$64", "CX")
		w.jump("GE", "loop")
		w.label("rest")
		w.add("$64", "CX")
		w.op("MOVQ", "$-1", "R15")
		w.op("BZHIQ", "CX", "R15", "R15")
		w.op("KMOVQ", "R15", "K1")
		w.op("KSHIFTRQ", "$32", "K1", "K2")
		for n, mask := range []string{"K1", "K2"} {
			w.op("VMOVDQU16.Z", at("SI", 64*n), mask, w.reg(n))
			w.op("VMOVDQU16.Z", at("BX", 64*n), mask, w.reg(2+n))
		}
		compute()
		for n, mask := range []string{"K1", "K2"} {
			w.op("VMOVDQU16", w.reg(n), mask, at("DX", 64*n))
		}
		w.end()
	}
	w := m.writer(f, "features", half16, &halvesCall, "n = EDX of CPUID's leaf 7")
	w.op("MOVL", "$7", "AX")
	w.op("XORL", "CX", "CX")
	w.op("CPUID")
	w.op("MOVQ", "DX", w.field("n"))
	w.op("RET")
}

// halfLoopRunners writes the function that runs one of the loops by its number and reports whether it is among them.
func halfLoopRunners(out *bytes.Buffer) {
	fmt.Fprint(out, "\n// runHalves runs a loop over float16 by AVX512-FP16 and tells whether there is such a loop.\nfunc runHalves(l Loop, t unsafe.Pointer) bool {\nswitch l {\n")
	for _, o := range halfOps {
		fmt.Fprintf(out, "case %s:\n%s(t)\n", o.loop, avx512.functionName(o.function, half16))
	}
	out.WriteString("default:\nreturn false\n}\nreturn true\n}\n")
}
