package ptx

import "math"

// tensorModel is how the tensor cores of a device add. They multiply exactly, align the products of a block of terms and the
// sum so far to the largest exponent among them, cut off what lies below some bits behind it, add, and cut the sum to float32:
// all toward zero. The exponent of a product is the sum of its factors' exponents, which is one too low where the
// product of their significands reaches two.
type tensorModel struct {
	fraction int // bits kept behind the largest exponent
	bytes    int // of a row of A that makes one block
}

// modelOf returns the model of a compute capability. Sources: Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor
// cores" (2021), and Xie et al., "MMA-Sim" (2025); that of 9.0 was compared with an H100.
func modelOf(capability int) tensorModel {
	switch {
	case capability < 75:
		return tensorModel{23, 8}
	case capability < 80:
		return tensorModel{24, 8}
	case capability < 90:
		return tensorModel{24, 16}
	}
	return tensorModel{25, 32}
}

// operandRow is a row of A or a column of B: exact values, and their exponents.
type operandRow struct {
	value    [16]float64
	exponent [16]int32
}

const (
	noExponent   = -1 << 12 // of zero, which aligns nothing
	highExponent = 1 << 14  // of infinities and NaNs, and with noExponent still more than half of it
)

// set16, setTF32 and setF32 put an element into the row.

//go:norace
func (r *operandRow) set16(k int, f halfFormat, x uint16) {
	if f == formatBF16 {
		r.setF32(k, uint32(x)<<16)
		return
	}
	v, e := f16ToF32(x), int32(x&0x7fff)>>10
	r.value[k], r.exponent[k] = float64(v), e-15
	if e == 0 || e == 31 {
		r.exponent[k] = oddExponent(v, e == 0, -14)
	}
}

// setTF32 ignores the low 13 bits, as tensor cores do.
func (r *operandRow) setTF32(k int, x uint32) { r.setF32(k, x&^(1<<13-1)) }

//go:norace
func (r *operandRow) setF32(k int, x uint32) {
	v, e := f32(x), int32(x>>23&255)
	r.value[k], r.exponent[k] = float64(v), e-127
	if e == 0 || e == 255 {
		r.exponent[k] = oddExponent(v, e == 0, -126)
	}
}

// oddExponent is that of zeros, subnormal numbers, infinities and NaNs.
func oddExponent(v float32, small bool, least int32) int32 {
	switch {
	case v == 0:
		return noExponent
	case small:
		return least
	}
	return highExponent
}

// columns are eight columns of B.
type columns struct {
	value    [16][8]float64
	exponent [16][8]int32
}

// of reads n elements of each of eight columns.
//
//go:norace
func (c *columns) of(b []operandRow, n int) {
	for j := range 8 {
		for k := range n {
			c.value[k][j], c.exponent[k][j] = b[j].value[k], b[j].exponent[k]
		}
	}
}

// tensorOperands are what a warp keeps of operands of tensor cores.
type tensorOperands struct {
	rows  [16 + 256]operandRow // of A, and columns of B
	right columns              // eight of them
	c, d  [8]float32           // elements of a row before and after a block
}

// tensor returns the warp's operands.
func (w *warp) tensor() *tensorOperands {
	if w.operands == nil {
		w.operands = new(tensorOperands)
	}
	return w.operands
}

// row adds to each element of t.c the products of the first n elements of a row of A and a column of t.right: by blocks of 4, 8 or 16 as hardware does, or
// to nearest.
//
//go:norace
func (m tensorModel) row(t *tensorOperands, a *operandRow, n, block int, toNearest, half bool) {
	if toNearest {
		nearest(a, &t.right, n, &t.c, half)
		return
	}
	for at := 0; at < n; at += block {
		left := uint32(255)
		if !half {
			left = lanes.addBlock(&t.d, &t.c, a, &t.right, at, block, m.fraction)
		}
		for ; left != 0; left &= left - 1 {
			j := trailing(left) & 7
			t.d[j] = m.add(a, &t.right, j, at, block, t.c[j], half)
		}
		t.c = t.d
	}
}

// addBlock leaves all columns to tensorModel.add: vectors leave those with infinities and NaNs, or with subnormal sums.
func addBlock(_, _ *[8]float32, _ *operandRow, _ *columns, _, _, _ int) (left uint32) { return 255 }

// add adds n products of column j from at on to c. A sum in f16 is rounded to nearest; one that rounds to zero has no sign.
//
//go:norace
func (m tensorModel) add(a *operandRow, b *columns, j, at, n int, c float32, half bool) float32 {
	field := int32(math.Float32bits(c) >> 23 & 255)
	most := field - 127
	if field == 0 || field == 255 {
		most = oddExponent(c, field == 0, -126)
	}
	for k := at; k < at+n; k++ {
		most = max(most, a.exponent[k]+b.exponent[k][j])
	}
	switch {
	case most < noExponent/2 && math.Float32bits(c) == 0:
		return 0 // zeros of any sign added to 0, as at the edges of tiles
	case most > highExponent/2 || most < noExponent/2:
		if c = addSpecial(a, b, j, at, n, c); half {
			c = f16ToF32(formatF16.round(float64(c)))
		}
		return c
	}
	scale := math.Float64frombits(uint64(1023+m.fraction-int(most)) << 52)
	sum := int64(float64(c) * scale)
	for k := at; k < at+n; k++ {
		sum += int64(a.value[k] * b.value[k][j] * scale)
	}
	if !half {
		return cutToF32(sum, int(most)-m.fraction)
	}
	h := formatF16.round(math.Ldexp(float64(sum), int(most)-m.fraction))
	if h == 1<<15 {
		h = 0
	}
	return f16ToF32(h)
}

// addSpecial adds infinities and NaNs, or nothing but zeros, in one column.
//
//go:norace
func addSpecial(a *operandRow, b *columns, j, at, n int, c float32) float32 {
	s := float64(c)
	for k := at; k < at+n; k++ {
		s += a.value[k] * b.value[k][j]
	}
	if s != s {
		return f32(nanOf32)
	}
	return float32(s)
}

// cutToF32 returns sum * 2**exponent, rounded toward zero.
func cutToF32(sum int64, exponent int) float32 {
	if sum == 0 {
		return 0
	}
	sign, v := uint32(0), uint64(sum)
	if sum < 0 {
		sign, v = 1<<31, uint64(-sum)
	}
	length := 64 - leading64(v)
	drop := length - 24
	if least := -149 - exponent; drop < least {
		drop = least // subnormal
	}
	if drop > 0 {
		v >>= min(drop, 63)
	} else {
		v <<= -drop
	}
	e := exponent + drop + 150 // of the field, for a significand of 24 bits
	if v>>23 == 0 {
		return f32(sign | uint32(v))
	}
	if e >= 255 {
		return f32(sign | 0x7f800000)
	}
	return f32(sign | uint32(e)<<23 | uint32(v)&(1<<23-1))
}

// nearest adds the products exactly, but for float64, and rounds once.
func nearest(a *operandRow, b *columns, n int, c *[8]float32, half bool) {
	for j, v := range c {
		s := float64(v)
		for k := range n {
			s += a.value[k] * b.value[k][j]
		}
		if c[j] = float32(s); half {
			c[j] = f16ToF32(formatF16.round(s))
		}
	}
}
