package tile

import (
	"fmt"
	"strings"

	"cresset/internal/kgen/asm"
)

// A writer writes a micro-kernel, which is described once for all machines: its methods are the instructions that
// micro-kernels need, each written as the machine's own. Registers of whole numbers have amd64's names, to which arm64's are
// assigned; vector registers are numbers. The argument is a struct, to which DI points.
type writer struct {
	*machine
	elem
	fn        *asm.Func
	call      *layout
	part      bool                 // elements that fill no vector: a masked vector, under NEON a single element
	mask      string               // the register of part's mask
	firstMask int                  // AVX2: the first register of the masks that loadMasks loaded
	temp      int                  // counts the NEON registers for operands in memory
	bases     map[[2]string]string // NEON: registers that hold the sum of a base and an index
}

func (m *machine) writer(f *asm.File, name string, e elem, call *layout, doc string) *writer {
	w := &writer{machine: m, elem: e, call: call, fn: f.Func(m.functionName(name, e), doc, asm.Param{Name: "t", Type: "unsafe.Pointer"})}
	w.forget()
	w.whole("MOVQ", "MOVD", w.fn.Arg("t"), "DI")
	return w
}

// armNames are arm64's registers for amd64's, and for what amd64 lacks.
var armNames = map[string]string{
	"DI": "R0", "SI": "R1", "BX": "R2", "DX": "R3", "R8": "R4", "R9": "R5", "R10": "R6", "R11": "R7", "R12": "R8", "R13": "R9", "R14": "R10", "CX": "R11", "AX": "R12",
	"row0": "R13", "row1": "R14", "row2": "R15", "row3": "R16", "row4": "R17", "row5": "R19", "row6": "R20", "row7": "R21", "R15": "R24",
}

// armScratch is for parts of addresses.
const armScratch = "R22"

func (w *writer) op(name string, operands ...string) { w.fn.Op(name, operands...) }

// whole writes an instruction on registers of whole numbers or constants, by its names on amd64 and on arm64.
func (w *writer) whole(amd64, arm64 string, operands ...string) {
	if !w.arm {
		w.op(amd64, operands...)
		return
	}
	for n, o := range operands {
		if name := armNames[o]; name != "" {
			operands[n] = name
		}
	}
	w.op(arm64, operands...)
}

// written makes NEON's sums forget a register that has changed.
func (w *writer) written(register string) {
	for pair := range w.bases {
		if pair[0] == register || pair[1] == register {
			delete(w.bases, pair)
		}
	}
}

func (w *writer) forget() { w.bases = map[[2]string]string{} }

func (w *writer) label(name string) {
	w.forget()
	w.fn.Label(name)
}

// loopLabel is the aligned label of an inner loop.
func (w *writer) loopLabel(name string) {
	w.op("PCALIGN", map[bool]string{false: "$32", true: "$16"}[w.arm])
	w.label(name)
}

// field is the address of a field of the argument.
func (w *writer) field(name string) string {
	if w.arm {
		return strings.Replace(w.call.at(name), "DI", armNames["DI"], 1)
	}
	return w.call.at(name)
}

func (w *writer) arg(name, to string) {
	w.whole("MOVQ", "MOVD", w.field(name), to)
	w.written(to)
}

func (w *writer) move(from, to string) {
	w.whole("MOVQ", "MOVD", from, to)
	w.written(to)
}

func (w *writer) clear(r string) {
	if w.arm {
		w.whole("", "MOVD", "ZR", r)
	} else {
		w.op("XORL", r, r)
	}
	w.written(r)
}

func (w *writer) add(x, to string) {
	w.whole("ADDQ", "ADD", x, to)
	w.written(to)
}

func (w *writer) sub(x, from string) {
	w.whole("SUBQ", "SUBS", x, from)
	w.written(from)
}

func (w *writer) multiply(x, to string) {
	w.whole("IMULQ", "MUL", x, to)
	w.written(to)
}

// atMost sets a register to another one where that is less.
func (w *writer) atMost(x, to string) {
	w.compare(x, to)
	w.moveIf("LT", x, to)
}

// moveIf sets a register to another one where the flags say LT, LE and so on.
func (w *writer) moveIf(condition, x, to string) {
	if w.arm {
		w.whole("", "CSEL", condition, x, to, to)
	} else {
		w.op("CMOVQ"+condition, x, to)
	}
	w.written(to)
}

func (w *writer) increment(r string) {
	if w.arm {
		w.add("$1", r)
		return
	}
	w.op("INCQ", r)
}

// compare sets the flags by a and b, which may be a constant.
func (w *writer) compare(a, b string) {
	if w.arm {
		w.whole("", "CMP", b, a)
		return
	}
	w.op("CMPQ", a, b)
}

// jump jumps where the flags of a comparison or a subtraction say LT, GE and so on.
func (w *writer) jump(condition, label string) { w.whole("J"+condition, "B"+condition, label) }

func (w *writer) goTo(label string) { w.whole("JMP", "B", label) }

// jumpIfZero jumps where a register is zero.
func (w *writer) jumpIfZero(register, label string) {
	if w.arm {
		w.op("CBZ", armNames[register], label)
		return
	}
	w.op("TESTQ", register, register)
	w.op("JZ", label)
}

// repeat counts a register down and jumps unless it is zero.
func (w *writer) repeat(counter, label string) {
	if w.arm {
		w.sub("$1", counter)
		w.op("BNE", label)
		return
	}
	w.op("DECQ", counter)
	w.op("JNZ", label)
}

// elements sets to to the address of the element that an index counts from a base.
func (w *writer) elements(base, index, to string) { w.indexed(base, index, w.size, to) }

// indexed sets to to base + index*scale.
func (w *writer) indexed(base, index string, scale int, to string) {
	if w.arm {
		w.op("ADD", scaledBy(armNames[index], scale), armNames[base], armNames[to])
	} else {
		w.op("LEAQ", fmt.Sprintf("(%s)(%s*%d)", base, index, scale), to)
	}
	w.written(to)
}

// offset sets to to base + bytes.
func (w *writer) offset(base string, bytes int, to string) {
	if w.arm {
		w.whole("", "ADD", fmt.Sprintf("$%d", bytes), base, to)
	} else {
		w.op("LEAQ", at(base, bytes), to)
	}
	w.written(to)
}

// addArg adds a field to a register, and addToArg a register to a field.
func (w *writer) addArg(name, to string) {
	if w.arm {
		w.op("MOVD", w.field(name), armScratch)
		w.add(armScratch, to)
		return
	}
	w.add(w.field(name), to)
}

func (w *writer) addToArg(x, name string) {
	if !w.arm {
		w.op("ADDQ", x, w.field(name))
		return
	}
	w.op("MOVD", w.field(name), armScratch)
	w.op("ADD", armNames[x], armScratch)
	w.op("MOVD", armScratch, w.field(name))
}

// compareArg sets the flags by a field and a constant; arm64 loads the field into a register.
func (w *writer) compareArg(name, constant, register string) {
	if w.arm {
		w.arg(name, register)
		w.compare(register, constant)
		return
	}
	w.compare(w.field(name), constant)
}

// countDown counts a field down and sets the flags by it.
func (w *writer) countDown(name string) {
	if !w.arm {
		w.op("DECQ", w.field(name))
		return
	}
	w.op("MOVD", w.field(name), armScratch)
	w.op("SUBS", "$1", armScratch)
	w.op("MOVD", armScratch, w.field(name))
}

// repeatArg counts a field down and jumps unless it is zero.
func (w *writer) repeatArg(name, label string) {
	w.countDown(name)
	w.whole("JNZ", "BNE", label)
}

// word loads a whole number of 8 bytes.
func (w *writer) word(from memory, to string) {
	if w.arm && from.index != "" {
		w.whole("", "MOVD", fmt.Sprintf("(%s)(%s<<3)", armNames[from.base], armNames[from.index]), to)
	} else {
		w.whole("MOVQ", "MOVD", w.address(from), to)
	}
	w.written(to)
}

// broadcastWord fills a register with a whole number as large as the type of number: on amd64 one in memory, on arm64 one in a
// register.
func (w *writer) broadcastWord(amd64, arm64 string, to int) {
	if w.arm {
		w.op("VDUP", armNames[arm64], w.numbers(to))
		return
	}
	w.op(map[int]string{4: "VPBROADCASTD", 8: "VPBROADCASTQ"}[w.size], amd64, w.reg(to))
}

// loadWords loads a constant of whole numbers.
func (w *writer) loadWords(constant string, to int) {
	if w.arm {
		w.op("MOVD", "$"+constant, armScratch)
		w.op("FMOVQ", "("+armScratch+")", float(to))
		return
	}
	w.op("VMOVUPS", constant, w.reg(to))
}

func scaledBy(register string, scale int) string {
	return register + map[int]string{1: "", 4: "<<2", 8: "<<3"}[scale]
}

// tap loads an int32.
func (w *writer) tap(from memory, to string) {
	w.whole("MOVLQSX", "MOVW", w.address(from), to)
	w.written(to)
}

// prefetch prefetches into the first cache level.
func (w *writer) prefetch(register string) {
	if w.arm {
		w.op("PRFM", "("+armNames[register]+")", "PLDL1KEEP")
		return
	}
	w.op("PREFETCHT0", "("+register+")")
}

// prefetchNext prefetches into the second cache level.
func (w *writer) prefetchNext(register string) {
	if w.arm {
		w.op("PRFM", "("+armNames[register]+")", "PLDL2KEEP")
		return
	}
	w.op("PREFETCHT1", "("+register+")")
}

func (w *writer) end() {
	if !w.arm {
		w.op("VZEROUPPER")
	}
	w.op("RET")
}
