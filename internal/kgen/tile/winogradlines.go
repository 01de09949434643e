package tile

import "fmt"

// How Winograd's transforms read and write lines, and turn columns into tiles and back. AVX2, whose vectors have two tiles' columns, does so by halves,
// and keeps between the two steps of a transform in scratch memory what AVX-512 keeps in registers.

// winoMask is AVX2's register for masks, and for what else is needed for a short time.
const winoMask = 15

// columnMasks loads the masks of four vectors of columns, which AVX2 reads where it needs them.
func (w *winograd) columnMasks() {
	if !w.masks {
		return
	}
	w.arg("masks", "AX")
	for k := range 4 {
		w.op("KMOVW", at("AX", 2*k), mask(k))
	}
}

// readColumns reads vector v of a tile's six lines.
func (w *winograd) readColumns(lines []string, v int) {
	if !w.masks {
		w.arg("masks", "AX")
		w.vectors("VMOVU", at("AX", v*w.bytes), winoMask)
	}
	for i, r := range lines {
		if w.masks {
			w.op("VMOVUPS.Z", at(r, v*w.bytes), mask(v), w.reg(i))
			continue
		}
		w.op("VMASKMOVPS", at(r, v*w.bytes), w.reg(winoMask), w.reg(i))
	}
}

// pickColumns sets the first six registers to what is in each tile the first, the second and so on of a line of columns: every fourth of
// four vectors, and those moved on by one tile. What is moved into the last tile's place is none of it.
func (w *winograd) pickColumns(line int) {
	if !w.masks {
		w.pickTiles(line)
		return
	}
	for half := range 2 {
		for i := range 2 {
			w.load(memory{base: "DX", offset: line + 2*half*w.bytes}, winoPick+2*half+i)
			w.vectors("VPERMT2", at("DX", line+(2*half+1)*w.bytes), winoEven+i, winoPick+2*half+i)
		}
	}
	for column := range 4 {
		w.copy(winoPick+column%2, column)
		w.vectors("VPERMT2", winoPick+2+column%2, winoEven+column/2, column)
	}
	for i := range 2 {
		w.op("VALIGND", "$1", w.reg(i), w.reg(i), w.reg(4+i))
	}
}

// pickTiles does so under AVX2: the first four columns of four tiles, and of the next four, are turned, then moved on by one tile.
func (w *winograd) pickTiles(line int) {
	const tiles, pairs, half = winoTo, winoTo + 4, 16
	for i := range 4 {
		w.op("VMOVUPS", at("DX", line+i*half), fmt.Sprintf("X%d", tiles+i))
		w.op("VINSERTF128", "$1", at("DX", line+(i+4)*half), w.reg(tiles+i), w.reg(tiles+i))
	}
	w.turn([4]int{tiles, tiles + 1, tiles + 2, tiles + 3}, pairs, [4]int{0, 1, 2, 3})
	w.loadWords(w.vectorOf(w.file, func(lane int) int { return (lane + 1) % 8 }), winoMask)
	for i := range 2 {
		w.op("VPERMPS", w.reg(i), w.reg(winoMask), w.reg(4+i))
	}
}

// turn turns the 4x4 elements of each half of four registers, by way of four others.
func (w *winograd) turn(from [4]int, pairs int, to [4]int) {
	for i, name := range []string{"VUNPCKLPS", "VUNPCKHPS"} {
		for j := range 2 {
			w.op(name, w.reg(from[2*j+1]), w.reg(from[2*j]), w.reg(pairs+2*i+j))
		}
	}
	for i, r := range to {
		name := []string{"VUNPCKLPD", "VUNPCKHPD"}[i%2]
		first := pairs + i/2*2
		w.op(name, w.reg(first+1), w.reg(first), w.reg(r))
	}
}

// joinColumns writes a line of outputs, of which each register has every fourth.
func (w *winograd) joinColumns(columns []int) {
	if !w.masks {
		w.joinTiles(columns)
		return
	}
	sums := w.winoSums()
	join := func(half, even, odd, to int) {
		w.loadWords(w.vectorOf(w.file, func(lane int) int { return 8*half + lane/2 + lane%2*16 }), to)
		w.vectors("VPERMI2", odd, even, to)
	}
	for half := range 2 {
		join(half, columns[0], columns[2], sums+half)
		join(half, columns[1], columns[3], sums+2+half)
	}
	for v := range 4 {
		join(v%2, sums+v/2, sums+2+v/2, columns[v])
		w.vectors("VMOVU", columns[v], mask(v), at("R9", v*w.bytes))
	}
}

// joinTiles does so under AVX2. What is no whole vector is written by a mask.
func (w *winograd) joinTiles(columns []int) {
	const pairs, tiles = 4, 8
	w.turn([4]int(columns), pairs, [4]int{tiles, tiles + 1, tiles + 2, tiles + 3})
	w.arg("masks", "R10")
	for v := range 4 {
		first, from := tiles+v%2*2, pairs+v
		w.op("VPERM2F128", []string{"$0x20", "$0x31"}[v/2], w.reg(first+1), w.reg(first), w.reg(from))
		w.joined++
		whole, written := fmt.Sprintf("whole%d", w.joined), fmt.Sprintf("written%d", w.joined)
		w.compareArg("vectors", fmt.Sprintf("$%d", v), "")
		w.jump("GT", whole)
		w.vectors("VMOVU", at("R10", v*w.bytes), winoMask)
		w.op("VMASKMOVPS", w.reg(from), w.reg(winoMask), at("R9", v*w.bytes))
		w.goTo(written)
		w.label(whole)
		w.vectors("VMOVU", from, at("R9", v*w.bytes))
		w.label(written)
	}
}

// addBias adds the channel's bias to four registers.
func (w *winograd) addBias(to []int) {
	if !w.masks {
		w.op("VBROADCASTSS", "(R8)", w.reg(winoMask))
	}
	for _, r := range to {
		if w.masks {
			w.op("VADDPS.BCST", "(R8)", w.reg(r), w.reg(r))
			continue
		}
		w.vectors("VADD", winoMask, r, r)
	}
}

// pointAtScratch has DX point to scratch memory under AVX2.
func (w *winograd) pointAtScratch() {
	if !w.masks {
		w.arg("scratch", "DX")
	}
}

// keep returns the registers for so many results of a transform's first step, from a number on: theirs, or under AVX2 the first, which kept then stores.
// keeps is the operand that has one of them later.
func (w *winograd) keep(first, count int) (registers []int) {
	if !w.masks {
		first = 0
		if count == 6 {
			first = 3 // after those that are transformed
		}
	}
	for i := range count {
		registers = append(registers, first+i)
	}
	return registers
}

func (w *winograd) kept(first, count int) {
	if w.masks {
		return
	}
	for i, r := range w.keep(first, count) {
		w.vectors("VMOVU", r, w.keeps(first+i))
	}
}

func (w *winograd) keeps(n int) any {
	if w.masks {
		return n
	}
	return at("DX", n*w.bytes)
}

// weightRegisters returns the first of three registers for weights, and of six for results.
func (w *winograd) weightRegisters() (weights, results int) {
	if w.masks {
		return winoWeights, winoWeights
	}
	return 0, 3
}

// keptWeights returns the registers of a line of three columns after the first step.
func (w *winograd) keptWeights(line int) []int {
	if w.masks {
		return []int{line, 6 + line, 12 + line}
	}
	for i := range 3 {
		w.vectors("VMOVU", w.keeps(6*i+line), i)
	}
	return []int{0, 1, 2}
}

// writeFirst writes by the first mask.
func (w *winograd) writeFirst(from int, to string) {
	if w.masks {
		w.vectors("VMOVU", from, mask(0), to)
		return
	}
	w.arg("masks", "R10")
	w.vectors("VMOVU", "(R10)", winoMask)
	w.op("VMASKMOVPS", w.reg(from), w.reg(winoMask), to)
}
