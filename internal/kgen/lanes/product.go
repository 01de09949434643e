package lanes

import (
	"fmt"
	"math"

	"cresset/internal/kgen/asm"
)

// Where operandRow and columns of internal/ptx/dot.go, which have 16 elements or rows of eight, keep exponents behind values; and the exponent of zero there.
const (
	rowExponents    = 16 * 8
	columnExponents = 16 * 8 * 8
	noExponent      = -1 << 12
)

// products writes what tensor cores do with a block of a row of A and of eight columns of B, which are lanes: of a register of exponents, and of two of float64.
func products(f *asm.File) {
	params := []asm.Param{{Name: "d", Type: "*[8]float32"}, {Name: "c", Type: "*[8]float32"}, {Name: "a", Type: "*operandRow"}, {Name: "b", Type: "*columns"},
		{Name: "at", Type: "int"}, {Name: "n", Type: "int"}, {Name: "fraction", Type: "int"}}
	w := block{loop(f, "addBlock", "d = c + the products of elements at to at+n of a and of eight columns, as tensorModel.add computes it, but for the columns of the mask that it returns", params,
		"R9", "R10", "SI", "BX", "AX", "CX", "R11"), f}
	w.Result = "uint32"
	w.Op("LEAQ", fmt.Sprintf("%d(SI)(AX*4)", rowExponents), "R12")
	w.Op("MOVQ", "AX", "R13")
	w.Op("SHLQ", "$5", "R13")
	w.Op("LEAQ", fmt.Sprintf("%d(BX)(R13*1)", columnExponents), "R13")
	w.Op("LEAQ", "(SI)(AX*8)", "SI")
	w.Op("SHLQ", "$6", "AX")
	w.Op("ADDQ", "AX", "BX")
	w.align()
	w.scales()
	w.sum()
	w.cut()
	w.Op("MOVL", "AX", w.Arg("ret"))
	w.end()
}

type block struct {
	writer
	file *asm.File
}

// word is the address of a vector of one number.
func (w block) word(n int) string { return repeated(w.file, narrow, uint32(n), 0) }

// align finds the largest exponent of each column: Y7. Y15 is a mask of columns that are left, Y14 of those that have nothing but zeros, and c = +0.
func (w block) align() {
	w.Comment("exponents of c; where it is subnormal, infinite or NaN the column is left")
	w.Op("VPXOR", "Y0", "Y0", "Y0")
	w.Op("VMOVDQU", "(R10)", "Y8")
	w.Op("VPSRLD", "$23", "Y8", "Y7")
	w.Op("VPAND", w.word(255), "Y7", "Y7")
	w.Op("VPCMPEQD", "Y0", "Y7", "Y9")
	w.Op("VPADDD", "Y8", "Y8", "Y10")
	w.Op("VPCMPEQD", "Y0", "Y10", "Y10")
	w.Op("VPANDN", "Y9", "Y10", "Y15")
	w.Op("VPCMPEQD", w.word(255), "Y7", "Y11")
	w.Op("VPOR", "Y11", "Y15", "Y15")
	w.Op("VPSUBD", w.word(127), "Y7", "Y7")
	w.Op("VPBLENDVB", "Y10", w.word(noExponent), "Y7", "Y7")
	w.Op("MOVQ", "CX", "R8")
	w.Label("exponents")
	w.Op("VPBROADCASTD", "(R12)", "Y1")
	w.Op("VPADDD", "(R13)", "Y1", "Y1")
	w.Op("VPMAXSD", "Y1", "Y7", "Y7")
	w.next("exponents", "R8", "R12", narrow, "R13")
	w.Comment("products of infinities and NaNs, or zeros alone")
	w.Op("VPCMPGTD", w.word(1<<13), "Y7", "Y11")
	w.Op("VPOR", "Y11", "Y15", "Y15")
	w.Op("VMOVDQU", w.word(noExponent/2), "Y12")
	w.Op("VPCMPGTD", "Y7", "Y12", "Y12")
	w.Op("VPCMPEQD", "Y0", "Y8", "Y13")
	w.Op("VPANDN", "Y12", "Y13", "Y11")
	w.Op("VPOR", "Y11", "Y15", "Y15")
	w.Op("VPAND", "Y12", "Y13", "Y14")
}

// scales makes Y2 and Y3, powers of two that leave behind the point what hardware cuts off, and Y7 and Y9, their inverses.
func (w block) scales() {
	w.Op("VMOVD", "R11", "X1")
	w.Op("VPBROADCASTD", "X1", "Y1")
	w.Op("VPSUBD", "Y1", "Y7", "Y7")
	w.Op("VMOVDQU", w.word(1023), "Y2")
	w.Op("VPSUBD", "Y7", "Y2", "Y2")
	w.Op("VPADDD", w.word(1023), "Y7", "Y7")
	for _, r := range [][2]int{{2, 3}, {7, 9}} {
		w.Op("VEXTRACTI128", "$1", fmt.Sprintf("Y%d", r[0]), fmt.Sprintf("X%d", r[1]))
		for _, n := range r {
			w.Op("VPMOVZXDQ", fmt.Sprintf("X%d", n), fmt.Sprintf("Y%d", n))
			w.Op("VPSLLQ", "$52", fmt.Sprintf("Y%d", n), fmt.Sprintf("Y%d", n))
		}
	}
}

// sum adds c and the products, each cut to a whole number, in Y0 and Y1. A sum of -0 alone is 0, to which it is added.
func (w block) sum() {
	w.Op("VCVTPS2PD", "X8", "Y5")
	w.Op("VEXTRACTF128", "$1", "Y8", "X8")
	w.Op("VCVTPS2PD", "X8", "Y6")
	w.Op("VXORPD", "Y1", "Y1", "Y1")
	add := func() {
		for n := range 2 {
			sum, scale, product := fmt.Sprintf("Y%d", n), fmt.Sprintf("Y%d", 2+n), fmt.Sprintf("Y%d", 5+n)
			w.Op("VMULPD", scale, product, product)
			w.Op("VROUNDPD", "$3", product, product)
			w.Op("VADDPD", product, sum, sum)
		}
	}
	add()
	w.Label("products")
	w.Op("VBROADCASTSD", "(SI)", "Y4")
	for n := range 2 {
		w.Op("VMULPD", at("BX", n), "Y4", fmt.Sprintf("Y%d", 5+n))
	}
	add()
	w.next("products", "CX", "SI", wide, "BX")
}

// cut cuts the sums to float32, toward zero, stores them, and gathers in AX the columns that are left, with those whose sums are subnormal.
func (w block) cut() {
	w.Op("VMOVMSKPS", "Y15", "AX")
	for n, scale := range []string{"Y7", "Y9"} {
		sum := fmt.Sprintf("Y%d", n)
		w.Op("VPAND", repeated(w.file, wide, 7<<29, math.MaxUint32), sum, sum)
		w.Op("VMULPD", scale, sum, sum)
		w.Op("VPAND", repeated(w.file, wide, math.MaxUint32, 1<<31-1), sum, "Y5")
		w.Op("VCMPPD", "$17", repeated(w.file, wide, 0, (1023-126)<<20), "Y5", "Y5")
		w.Op("VXORPD", "Y6", "Y6", "Y6")
		w.Op("VCMPPD", "$4", "Y6", sum, "Y6")
		w.Op("VPAND", "Y6", "Y5", "Y5")
		w.Op("VMOVMSKPD", "Y5", "R8")
		w.Op("SHLL", constant(4*n), "R8")
		w.Op("ORL", "R8", "AX")
		w.Op("VCVTPD2PSY", sum, fmt.Sprintf("X%d", n))
	}
	w.Op("VINSERTF128", "$1", "X1", "Y0", "Y0")
	w.Op("VPANDN", "Y0", "Y14", "Y0")
	w.Op("VMOVDQU", "Y0", "(R9)")
}

// next goes to the next element of a row, of some bytes, and of columns, until a register has counted all.
func (w block) next(label, count, row string, bytes int, columns string) {
	w.Op("ADDQ", constant(bytes), row)
	w.Op("ADDQ", constant(8*bytes), columns)
	w.Op("DECQ", count)
	w.Op("JNZ", label)
}
