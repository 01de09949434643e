package tile

import "fmt"

// How depthwise kernels read and write lines. AVX-512 keeps the masks of a vector in K1 to K7, of which the last is that of outputs. AVX2 reads by
// vectors of masks, which stay in memory, and writes whole vectors, the last of a line over the one before: writing in part takes processors of AMD a
// dozen cycles, so only lines that have less than a vector are written so. Its table of masks also tells how far on the next vector is.

const depthMasks = 7 // of a vector

func mask(k int) string { return fmt.Sprintf("K%d", k+1) }

func (d *depthwise) loadDepthMasks() {
	if !d.masks {
		return
	}
	for k := range depthMasks {
		d.op("KMOVW", at("R8", 2*k), mask(k))
	}
}

// nextVector moves on to the next vector of columns.
func (d *depthwise) nextVector() {
	if d.masks {
		d.add("$16", "R8") // seven masks, and room for one
		d.addArg("stepX", "R11")
		d.addArg("stepY", "R12")
		return
	}
	d.add(at("R8", depthMasks*d.bytes), "R11")
	d.add(at("R8", depthMasks*d.bytes+8), "R12")
	d.add(fmt.Sprintf("$%d", (depthMasks+1)*d.bytes), "R8")
}

// loadDepthBias has begin find the plane's bias.
func (d *depthwise) loadDepthBias() {
	if !d.masks {
		d.arg("bias", "R15")
		return
	}
	d.arg("bias", "AX")
	d.broadcast(memory{base: "AX"}, d.bias)
}

// begin sets a sum to the bias.
func (d *depthwise) begin(sum int) {
	if !d.masks {
		d.broadcast(memory{base: "R15"}, sum)
		return
	}
	d.copy(d.bias, sum)
}

// readColumns reads the columns that a mask has; the others become zero.
func (d *depthwise) readColumns(from string, k, to int) {
	if d.masks {
		d.op(d.ps("VMOVU")+".Z", from, mask(k), d.reg(to))
		return
	}
	d.op(d.ps("VMOVU"), at("R8", k*d.bytes), d.reg(to))
	d.op(d.ps("VMASKMOV"), from, d.reg(to), d.reg(to))
}

// writeColumns writes the columns that a mask has, and under AVX2 all of a vector where the line has as many.
func (d *depthwise) writeColumns(from, k int, to string, spare int) {
	if d.masks {
		d.op(d.ps("VMOVU"), d.reg(from), mask(k), to)
		return
	}
	d.labels++
	part, written := fmt.Sprintf("part%d", d.labels), fmt.Sprintf("written%d", d.labels)
	d.compareArg("narrow", "$0", "")
	d.jump("NE", part)
	d.op(d.ps("VMOVU"), d.reg(from), to)
	d.goTo(written)
	d.label(part)
	d.op(d.ps("VMOVU"), at("R8", k*d.bytes), d.reg(spare))
	d.op(d.ps("VMASKMOV"), d.reg(from), d.reg(spare), to)
	d.label(written)
}

// read reads what the window's three columns read. With windows two columns apart the first and the second are every other element of two vectors;
// under AVX-512 the third is the first moved on by one, and one element more.
func (d *depthwise) read() {
	if d.stride == 1 {
		for q := range 3 {
			d.readColumns(at("R9", q*d.size), q, d.taps+q)
		}
		return
	}
	n := d.lanes(d.elem)
	if !d.masks {
		d.readEvery(0, d.taps, d.taps+1)
		d.readEvery(2, d.taps+2, -1)
		return
	}
	d.readColumns(at("R9", 0), 0, d.taps)
	d.readColumns(at("R9", n*d.size), 1, d.upper)
	d.op("VBROADCAST"+d.single+".Z", at("R9", 2*n*d.size), mask(2), d.reg(d.taps+2))
	d.copy(d.taps, d.taps+1)
	d.op(d.ps("VPERMT2"), d.reg(d.upper), d.reg(d.index), d.reg(d.taps))
	d.op(d.ps("VPERMT2"), d.reg(d.upper), d.reg(d.index+1), d.reg(d.taps+1))
	d.op(map[int]string{4: "VALIGND", 8: "VALIGNQ"}[d.size], "$1", d.reg(d.taps), d.reg(d.taps+2), d.reg(d.taps+2))
}

// readEvery reads two vectors from a column of the first window on, whose masks have its number and the next: even elements, and odd ones unless odd is
// less than zero. AVX2 picks them within halves of 16 bytes, whose parts it then exchanges.
func (d *depthwise) readEvery(first, even, odd int) {
	d.readColumns(at("R9", first*d.size), first, even)
	d.readColumns(at("R9", first*d.size+d.bytes), first+1, d.upper)
	pick := func(of, to int) {
		immediate := map[int][2]string{4: {"$0x88", "$0xdd"}, 8: {"$0x0", "$0xf"}}[d.size][of]
		d.op("VSHUF"+d.suffix, immediate, d.reg(d.upper), d.reg(even), d.reg(to))
		d.op("VPERMPD", "$0xd8", d.reg(to), d.reg(to))
	}
	if odd >= 0 {
		pick(1, odd)
	}
	pick(0, even)
}

// loadIndexes loads which elements of two vectors are even and odd.
func (d *depthwise) loadIndexes() {
	if d.stride == 2 {
		for i := range 2 {
			d.loadWords(d.vectorOf(d.file, func(n int) int { return 2*n + i }), d.index+i)
		}
	}
}

// loadSwaps loads how the two registers of a line of dx are joined: which is first follows from the padding. AVX2 asks for each line.
func (d *depthwise) loadSwaps() {
	if !d.masks {
		return
	}
	n := d.lanes(d.elem)
	indexes := func(swapped int) {
		for half := range 2 {
			d.loadWords(d.vectorOf(d.file, func(i int) int { return half*n/2 + i/2 + (i+swapped)%2*n }), d.index+half)
		}
	}
	indexes(0)
	d.compareArg("swapped", "$0", "AX")
	d.jump("EQ", "straight")
	indexes(1)
	d.label("straight")
}

// zipSpread joins them under AVX2, which does so within halves of 16 bytes.
func (d *depthwise) zipSpread(line, spare [2]int) {
	d.labels++
	straight := fmt.Sprintf("straight%d", d.labels)
	unpack := func(first, second int) {
		d.op("VUNPCKL"+d.suffix, d.reg(second), d.reg(first), d.reg(spare[0]))
		d.op("VUNPCKH"+d.suffix, d.reg(second), d.reg(first), d.reg(spare[1]))
	}
	unpack(line[0], line[1])
	d.compareArg("swapped", "$0", "")
	d.jump("EQ", straight)
	unpack(line[1], line[0])
	d.label(straight)
	d.op("VPERM2F128", "$0x20", d.reg(spare[1]), d.reg(spare[0]), d.reg(line[0]))
	d.op("VPERM2F128", "$0x31", d.reg(spare[1]), d.reg(spare[0]), d.reg(line[1]))
}
