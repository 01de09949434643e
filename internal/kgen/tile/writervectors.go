package tile

import (
	"fmt"
	"maps"
	"slices"

	"cresset/internal/kgen/asm"
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
	if a.offset != 0 {
		text = fmt.Sprint(a.offset) + text
	}
	return text
}

// at is the operand in memory at a register's address plus bytes.
func at(register string, bytes int) string { return memory{base: register, offset: bytes}.String() }

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

// loadMasks loads masks from where fields of the argument point, on amd64: into K2 and those that follow by way of a spare register,
// or into the registers from first on. useMask has part masked by one of them.
func (w *writer) loadMasks(spare, first int, fields ...string) {
	w.firstMask = first
	for n, field := range fields {
		if w.arm {
			return
		}
		w.arg(field, "AX")
		if w.masks {
			w.op("VMOVUPS", "(AX)", w.reg(spare))
			w.op(map[int]string{4: "VPMOVD2M", 8: "VPMOVQ2M"}[w.size], w.reg(spare), fmt.Sprintf("K%d", 2+n))
			continue
		}
		w.op("VMOVUPS", "(AX)", w.reg(first+n))
	}
}

func (w *writer) useMask(n int) {
	w.mask = w.reg(w.firstMask + n)
	if w.masks {
		w.mask = fmt.Sprintf("K%d", 2+n)
	}
}

// armSums are the registers that hold the sum of a base and an index.
var armSums = []string{"R19", "R20", "R21", "R23"}

// freeSum returns one of them that holds none. Kernels need at most as many at a time as there are.
func (w *writer) freeSum() string {
	used := slices.Collect(maps.Values(w.bases))
	return armSums[slices.IndexFunc(armSums, func(r string) bool { return !slices.Contains(used, r) })]
}

// neonOne is the instruction that moves one number between memory and a register under NEON, whose other lanes become zero.
func (w *writer) neonOne() string { return map[int]string{4: "FMOVS", 8: "FMOVD"}[w.size] }

// register is the name of a vector register where it is loaded and stored.
func (w *writer) register(n int) string {
	if w.arm {
		return float(n)
	}
	return w.reg(n)
}

func (w *writer) load(from memory, to int) { w.transfer(w.address(from), w.register(to), ".Z") }

func (w *writer) store(from int, to memory) { w.transfer(w.register(from), w.address(to), "") }

// loadNext loads from where a pointer is, which NEON then moves on; amd64 adds CX to the pointer. NEON's storeNext stores so.
func (w *writer) loadNext(pointer string, to int) {
	if w.arm {
		move, from := w.postIndexed(pointer)
		w.op(move, from, float(to))
		return
	}
	w.load(memory{pointer, 0, "CX", 1}, to)
}

func (w *writer) storeNext(from int, pointer string) {
	move, to := w.postIndexed(pointer)
	w.op(move, float(from), to)
}

func (w *writer) postIndexed(pointer string) (move, at string) {
	defer w.written(pointer)
	if w.part {
		return w.neonOne() + ".P", fmt.Sprintf("%d(%s)", w.size, armNames[pointer])
	}
	return "FMOVQ.P", fmt.Sprintf("%d(%s)", w.bytes, armNames[pointer])
}

// transfer moves a vector between a register and memory, of part only what is there. The suffix Z makes the others zero.
func (w *writer) transfer(from, to, suffix string) {
	switch {
	case w.arm && w.part:
		w.op(w.neonOne(), from, to)
	case w.arm:
		w.op("FMOVQ", from, to)
	case w.part && w.masks:
		w.op("VMOVU"+w.suffix+suffix, from, w.mask, to)
	case w.part:
		w.op("VMASKMOV"+w.suffix, from, w.mask, to)
	default:
		w.op("VMOVU"+w.suffix, from, to)
	}
}

// vectorOf is the address of a constant: a vector of whole numbers as large as the type of number.
func (w *writer) vectorOf(f *asm.File, number func(n int) int) string {
	var words []uint32
	for n := range w.lanes(w.elem) {
		words = append(words, uint32(number(n)))
		if w.size == 8 {
			words = append(words, 0)
		}
	}
	return f.Words(words...)
}

func (w *writer) zero(n int) {
	switch {
	case w.arm:
		w.op("VEOR", vector(n), vector(n), vector(n))
	case w.masks: // VXORPS reaches the first half of the registers alone
		w.op("VPXORD", w.reg(n), w.reg(n), w.reg(n))
	default:
		w.op("VXORPS", w.reg(n), w.reg(n), w.reg(n))
	}
}

func (w *writer) copy(from, to int) {
	if w.arm {
		w.op("VORR", vector(from), vector(from), vector(to))
		return
	}
	w.op("VMOVA"+w.suffix, w.reg(from), w.reg(to))
}

// broadcast fills a register with a number.
func (w *writer) broadcast(from memory, to int) {
	w.factor(from, to)
	if w.arm {
		n := w.numbers(to)
		w.op("VDUP", n[:len(n)-1]+"[0]", n)
	}
}

// factor loads a number for fmaFactor, which NEON need not broadcast.
func (w *writer) factor(from memory, to int) { w.loadFactor(w.address(from), to) }

func (w *writer) loadFactor(from string, to int) {
	w.whole("VBROADCAST"+w.single, w.neonOne(), from, w.register(to))
}

// An operand is a vector register's number, or memory, which NEON's instructions do not read: it loads it into one of the temporary
// registers first.
type operand any

func (w *writer) operand(x operand) string {
	if n, ok := x.(int); ok {
		return w.reg(n)
	}
	return w.address(x.(memory))
}

func (w *writer) neonOperand(x operand) int {
	if n, ok := x.(int); ok {
		return n
	}
	w.temp = (w.temp + 1) % armTempCount
	w.load(x.(memory), armTemps+w.temp)
	return armTemps + w.temp
}

// fma adds to a sum the product of an operand and a register, which fmaFactor takes from factor.
func (w *writer) fma(x operand, y, sum int) {
	if w.arm {
		w.three(neonFMLA, sum, y, w.neonOperand(x))
		return
	}
	w.op("VFMADD231"+w.suffix, w.operand(x), w.reg(y), w.reg(sum))
}

func (w *writer) fmaFactor(x operand, y, sum int) {
	if w.arm {
		w.fmaElement(sum, w.neonOperand(x), y)
		return
	}
	w.fma(x, y, sum)
}

// times sets a register to the product of an operand and a register.
func (w *writer) times(x operand, y, to int) {
	if w.arm {
		w.three(neonFMUL, to, y, w.neonOperand(x))
		return
	}
	w.op("VMUL"+w.suffix, w.operand(x), w.reg(y), w.reg(to))
}

// plus adds an operand to a register.
func (w *writer) plus(x operand, to int) {
	if w.arm {
		w.three(neonFADD, to, to, w.neonOperand(x))
		return
	}
	w.op("VADD"+w.suffix, w.operand(x), w.reg(to), w.reg(to))
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
