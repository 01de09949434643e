// Package tile writes the micro-kernels of matrix products in Go's assembly language, for AVX-512, for AVX2 with FMA, and for
// NEON.
//
// A micro-kernel computes a tile of C: rows × vectors sums that stay in registers while k passes. Each step loads one
// row of B, repeats one element of each row of A over a vector, and multiplies and adds. A's addresses follow
// from two strides, so that a matrix, its transpose and a packed panel use one kernel.
package tile

import (
	"fmt"
	"math/bits"

	"cresset/internal/kgen/asm"
)

// An elem is a type of number.
type elem struct {
	name   string // as in F32
	size   int
	suffix string // of the instructions of vectors
	single string // of the instructions of one number
}

// log is the size's logarithm: what a number of elements is shifted by for one of bytes.
func (e elem) log() int { return bits.TrailingZeros(uint(e.size)) }

var elems = []elem{{"F32", 4, "PS", "SS"}, {"F64", 8, "PD", "SD"}}

// A shape is how much of C a micro-kernel computes.
type shape struct{ rows, vectors int }

// A machine is an instruction set.
type machine struct {
	name    string
	bytes   int    // of a vector register
	prefix  string // of its name
	count   int    // of them
	tallest int    // rows of a micro-kernel
	shapes  []shape
	dots    [][2]int // rows and columns of the micro-kernels for B in columns
	masks   bool     // whether it has registers for masks
	arm     bool     // whether it is arm64's, else amd64's
	vnni    bool     // whether it multiplies bytes four at a time: VPDPBUSD, SDOT
}

// Few rows take more vectors, so that there are always enough sums to hide the latency of an addition.
var (
	avx512 = machine{"AVX512", 64, "Z", 32, 14, append(upTo(14), shape{2, 4}, shape{3, 4}, shape{1, 8}), [][2]int{{1, 4}, {2, 4}, {3, 4}, {4, 4}, {1, 8}}, true, false, true}
	avx2   = machine{"AVX2", 32, "Y", 16, 6, append(upTo(6), shape{2, 4}, shape{1, 8}), [][2]int{{1, 4}, {2, 4}, {1, 8}}, false, false, false}
)

// avxVNNI is AVX2 with VPDPBUSD, for quantized weights alone.
var avxVNNI = machine{name: "AVXVNNI", bytes: avx2.bytes, prefix: avx2.prefix, count: avx2.count, vnni: true}

// bytesFile writes what a machine has that is for quantized weights alone.
func (m *machine) bytesFile() *asm.File {
	f := &asm.File{}
	m.sumBytes(f)
	m.dotNibbles(f)
	return f
}

// upTo returns the shapes of one and two vectors with up to so many rows.
func upTo(rows int) []shape {
	var all []shape
	for r := 1; r <= rows; r++ {
		all = append(all, shape{r, 1}, shape{r, 2})
	}
	return all
}

func (m *machine) reg(n int) string { return fmt.Sprintf("%s%d", m.prefix, n) }

func (m *machine) lanes(e elem) int { return m.bytes / e.size }

// file writes all functions of a machine.
func (m *machine) file() *asm.File {
	f := &asm.File{}
	for _, e := range elems {
		for _, s := range m.shapes {
			m.product(f, s, e)
			m.tapProduct(f, s, e)
		}
		for _, s := range m.dots {
			m.dot(f, s[0], s[1], e)
		}
		m.transpose(f, e)
		m.gather(f, e)
		m.windows(f, e)
		m.pairMaxes(f, e)
		m.lines(f, e)
		m.addRows(f, e)
		m.slides(f, e)
		m.resamples(f, e)
		if !m.arm {
			m.depthwises(f, e)
			m.scans(f, e)
			for _, t := range m.pixelTiles() {
				m.pixelProduct(f, t, e)
			}
		}
	}
	m.peak(f)
	m.sumBytes(f)
	m.dotNibbles(f)
	if m.masks {
		for rows := 1; rows <= m.tallest; rows++ {
			m.pairProduct(f, rows)
		}
		for _, s := range m.pairDots() {
			m.dot(f, s[0], s[1], pairs)
		}
		m.gatherPairs(f)
	}
	if !m.arm {
		m.winograds(f)
		m.halfProducts(f)
	}
	if m.masks {
		m.halfLoops(f)
		m.splitDigits(f, 1, false)
		m.splitDigits(f, int4Digits, false)
		m.splitDigits(f, int4Digits, true)
	}
	if !m.arm {
		m.halfSums(f)
	}
	return f
}

func (m *machine) functionName(what string, e elem) string { return what + e.name + m.name }

func (s shape) String() string { return fmt.Sprintf("tile%dx%d", s.rows, s.vectors) }
