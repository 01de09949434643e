//go:build !noasm

package vec

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

func detect() (levels []Level) {
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && x.HasBMI2 {
		if x.HasAMXBF16 && x.HasAVX512BF16 && permitAMX() {
			levels = append(levels, AMX)
		}
		levels = append(levels, AVX512)
	}
	if x.HasAVX2 && x.HasFMA {
		if x.HasAVXVNNI {
			levels = append(levels, AVXVNNI)
		}
		levels = append(levels, AVX2)
	}
	return levels
}

// HasHalves reports whether HalfTile runs.
func HasHalves() bool { return current == AVX512 || current == AVX2 }

// HasPairs reports whether PairTile runs.
func HasPairs() bool { return current == AVX512 && cpu.X86.HasAVX512BF16 }

// HasVNNI reports whether Int8Rows and Int4Rows multiply vectors of 64 bytes by VPDPBUSD.
func HasVNNI() bool { return current == AVX512 && cpu.X86.HasAVX512VNNI }

// HasByteTiles reports whether ByteTile runs.
func HasByteTiles() bool { return level == AMX && cpu.X86.HasAMXInt8 }

func hasSlowPairs() bool { return cpu.X86.HasAMXTile }

// HasHalfArithmetic reports whether loops over float16 compute with it, by AVX512-FP16, which all processors with AMX's tiles for bfloat16 have: CRESSET_CPU=avx512 does without.
func HasHalfArithmetic() bool { return level == AMX && halfArithmetic }

var halfArithmetic = cpu.X86.HasAMXBF16 && func() bool {
	var c halvesCall
	featuresF16AVX512(unsafe.Pointer(&c))
	return c.n>>23&1 != 0
}()

func run(l Loop, n int, scalars unsafe.Pointer, p *[operands]unsafe.Pointer) int {
	switch current {
	case AVX512:
		if AddF16 <= l && l <= MulF16 && HasHalfArithmetic() {
			if c := (halvesCall{a: p[1], b: p[2], y: p[0], n: n}); runHalves(l, unsafe.Pointer(&c)) {
				return n
			}
		}
		return runAVX512(l, n, scalars, p)
	case AVX2:
		return runAVX2(l, n, scalars, p)
	}
	missed(l, false)
	return 0
}

func stream(l Loop, n int, scalars unsafe.Pointer, p [operands]unsafe.Pointer) bool {
	switch current {
	case AVX512:
		return streamAVX512(l, n, scalars, p)
	case AVX2:
		return streamAVX2(l, n, scalars, p)
	}
	return false
}

func streamRows(l RowLoop, rows, n int, scalars, next unsafe.Pointer, p [operands]unsafe.Pointer) bool {
	switch current {
	case AVX512:
		return streamRowsAVX512(l, rows, n, 0, scalars, nil, next, p)
	case AVX2:
		return streamRowsAVX2(l, rows, n, 0, scalars, nil, next, p)
	}
	return false
}

func runRows(l RowLoop, rows, n, step int, scalars, results, next unsafe.Pointer, p [operands]unsafe.Pointer) bool {
	switch current {
	case AVX512:
		return runRowsAVX512(l, rows, n, step, scalars, results, next, p)
	case AVX2:
		return runRowsAVX2(l, rows, n, step, scalars, results, next, p)
	}
	missed(Loop(l), true)
	return false
}

// slowNonTemporal is true of Intel's first processors with AVX-512, which lack VBMI. A non-temporal store there keeps one of a
// core's ten or twelve line fill buffers until memory has the line, and reads wait for them. A ReLU of ten million elements
// took 7.6 ms with non-temporal stores, 8.2 with ordinary ones, and 6.7 with ordinary ones whose lines are prefetched.
func slowNonTemporal() bool { return cpu.X86.HasAVX512F && !cpu.X86.HasAVX512VBMI }
