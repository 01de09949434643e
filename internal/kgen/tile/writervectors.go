package tile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// armTemps is the first of the vector registers that hold operands in memory under NEON, which amd64's instructions read
// themselves.
const armTemps, armTempCount = 24, 8

// memory is an operand in memory: base + offset + index*scale.
type memory struct {
	base   string
	offset int
	index  string
	scale  int
}

func (a memory) String() string {
	text := "(" + a.base + ")"
	if a.index != "" {
		text += fmt.Sprintf("(%s*%d)", a.index, a.scale)
	}
	if a.offset != 0 || strings.HasSuffix(text, "*1)") {
		text = fmt.Sprint(a.offset) + text
	}
	return text
}

// address returns an operand in memory. NEON adds the index to the base first, once while neither changes.
func (w *writer) address(a memory) string {
	if !w.arm {
		return a.String()
	}
	if a.index == "" {
		return at(armNames[a.base], a.offset)
	}
	pair := [2]string{a.base, a.index}
	if w.bases[pair] == "" {
		r := w.freeSum()
		w.op("ADD", scaledBy(armNames[a.index], a.scale), armNames[a.base], r)
		w.bases[pair] = r
	}
	return at(w.bases[pair], a.offset)
}

// loadMask loads the mask of part from where a field of the argument points, on amd64: into K1 by way of a register, or into that.
func (w *writer) loadMask(field string, register int) {
	if w.arm {
		return
	}
	w.arg(field, "AX")
	w.op("VMOVUPS", "(AX)", w.reg(register))
	w.mask = register
	if w.masks {
		w.op(map[int]string{4: "VPMOVD2M", 8: "VPMOVQ2M"}[w.size], w.reg(register), "K1")
		w.mask = 1
	}
}

// armSums are the registers that hold the sum of a base and an index.
var armSums = []string{"R19", "R20", "R21", "R23"}

// freeSum returns one of them that holds none. Kernels need at most as many at a time as there are.
func (w *writer) freeSum() string {
	used := slices.Collect(maps.Values(w.bases))
	return armSums[slices.IndexFunc(armSums, func(r string) bool { return !slices.Contains(used, r) })]
}

// neonOne is the instruction that moves one number between memory and a register under NEON.
func (w *writer) neonOne() string { return map[int]string{4: "FMOVS", 8: "FMOVD"}[w.size] }

func (w *writer) load(from memory, to int) {
	switch text := w.address(from); {
	case w.arm && w.part:
		w.op(w.neonOne(), text, float(to))
	case w.arm:
		w.op("FMOVQ", text, float(to))
	case w.part && w.masks:
		w.op("VMOVU"+w.suffix+".Z", text, fmt.Sprintf("K%d", w.mask), w.reg(to))
	case w.part:
		w.op("VMASKMOV"+w.suffix, text, w.reg(w.mask), w.reg(to))
	default:
		w.op("VMOVU"+w.suffix, text, w.reg(to))
	}
}

func (w *writer) store(from int, to memory) {
	switch text := w.address(to); {
	case w.arm && w.part:
		w.op(w.neonOne(), float(from), text)
	case w.arm:
		w.op("FMOVQ", float(from), text)
	default:
		w.op("VMOVU"+w.suffix, w.reg(from), text)
	}
}

func (w *writer) zero(n int) { w.machine.zero(w.fn, n) }

func (w *writer) copy(from, to int) {
	if w.arm {
		w.op("VORR", vector(from), vector(from), vector(to))
		return
	}
	w.op("VMOVAPS", w.reg(from), w.reg(to))
}

// broadcast fills a register with a number.
func (w *writer) broadcast(from memory, to int) {
	if w.arm {
		one := w.suffixOfOne()
		w.op(w.neonOne(), w.address(from), float(to))
		w.op("VDUP", fmt.Sprintf("V%d.%s[0]", to, one), fmt.Sprintf("V%d.%s%d", to, one, w.lanes(w.elem)))
		return
	}
	w.op("VBROADCAST"+w.single, w.address(from), w.reg(to))
}

func (w *writer) suffixOfOne() string { return map[int]string{4: "S", 8: "D"}[w.size] }

// factor loads a number for fmaFactor, which NEON need not broadcast.
func (w *writer) factor(from memory, to int) {
	if w.arm {
		w.op(w.neonOne(), w.address(from), float(to))
		return
	}
	w.broadcast(from, to)
}

// neonOperand loads an operand in memory into one of NEON's temporary registers.
func (w *writer) neonOperand(from memory) int {
	w.temp = (w.temp + 1) % armTempCount
	w.load(from, armTemps+w.temp)
	return armTemps + w.temp
}

// fma adds to a sum the product of an operand in memory and a register, which fmaFactor takes from factor.
func (w *writer) fma(x memory, y, sum int) { w.multiplyAdd(x, y, sum, false) }

func (w *writer) fmaFactor(x memory, y, sum int) { w.multiplyAdd(x, y, sum, true) }

func (w *writer) multiplyAdd(x memory, y, sum int, factor bool) {
	arm := w.neon()
	switch {
	case factor && w.arm:
		arm.fmaElement(sum, w.neonOperand(x), y)
	case w.arm:
		arm.three(neonFMLA, sum, y, w.neonOperand(x))
	default:
		w.op("VFMADD231"+w.suffix, w.address(x), w.reg(y), w.reg(sum))
	}
}

// plus adds an operand in memory to a register; a masked one takes another register.
func (w *writer) plus(x memory, to, masked int) {
	switch {
	case w.arm:
		w.neon().three(neonFADD, to, to, w.neonOperand(x))
	case w.part:
		w.load(x, masked)
		w.op("VADD"+w.suffix, w.reg(masked), w.reg(to), w.reg(to))
	default:
		w.op("VADD"+w.suffix, w.address(x), w.reg(to), w.reg(to))
	}
}

// widen converts the lower or the upper half of a register from float32 to float64. Amd64 changes the register with the upper.
func (w *writer) widen(from, half, to int) {
	if w.arm {
		w.fn.Word([]uint32{0x0e617800, 0x4e617800}[half]|uint32(from)<<5|uint32(to), "%s V%d.2D, V%d.%s", []string{"FCVTL", "FCVTL2"}[half], to, from, []string{"2S", "4S"}[half])
		return
	}
	lower, extract := fmt.Sprintf("Y%d", from), "VEXTRACTF64X4"
	if !w.masks {
		lower, extract = fmt.Sprintf("X%d", from), "VEXTRACTF128"
	}
	if half == 1 {
		w.op(extract, "$1", w.reg(from), lower)
	}
	w.op("VCVTPS2PD", lower, w.reg(to))
}
