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

// row adds to each element of c the products of the first n elements of a row of A and a column of B: by blocks of 4, 8 or 16 as hardware does, or to
// nearest. Sums in f16 are rounded to nearest after each block; one that rounds to zero has no sign.
//
//go:norace
func (m tensorModel) row(a *operandRow, b *columns, s *blockSums, n, block int, c *[8]float32, toNearest, half bool) {
	if toNearest {
		nearest(a, b, n, c, half)
		return
	}
	for at := 0; at < n; at += block {
		m.add(a, b, at, block, c, s)
		for j := range c {
			switch e := s.exponent[j]; {
			case e == unaligned:
				c[j] = addSpecial(a, b, j, at, block, c[j])
				if half {
					c[j] = f16ToF32(formatF16.round(float64(c[j])))
				}
			case half:
				if c[j] = f16ToF32(formatF16.round(math.Ldexp(s.sum[j], int(e)))); c[j] == 0 {
					c[j] = 0
				}
			default:
				c[j] = cutToF32(int64(s.sum[j]), int(e))
			}
		}
	}
}

// blockSums are what a block adds up to in eight columns: whole multiples of powers of two.
type blockSums struct {
	sum      [8]float64
	scale    [8]float64
	exponent [8]int32
}

// tensorOperands are what a warp keeps of operands of tensor cores.
type tensorOperands struct {
	rows  [16 + 256]operandRow // of A, and columns of B
	right columns              // eight of them
	sums  blockSums
}

// tensor returns the warp's operands.
func (w *warp) tensor() *tensorOperands {
	if w.operands == nil {
		w.operands = new(tensorOperands)
	}
	return w.operands
}

const unaligned = math.MinInt32 // the exponent of sums of infinities and NaNs, or of nothing but zeros where their sign counts

// add adds n products from at on, and c.
//
//go:norace
func (m tensorModel) add(a *operandRow, b *columns, at, n int, c *[8]float32, s *blockSums) {
	for j, v := range c {
		field := int32(math.Float32bits(v) >> 23 & 255)
		s.exponent[j] = field - 127
		if field == 0 || field == 255 {
			s.exponent[j] = oddExponent(v, field == 0, -126)
		}
	}
	lanes.mostExponents(&s.exponent, a, b, at, n)
	for j, most := range &s.exponent {
		s.scale[j] = 0
		switch {
		case most < noExponent/2 && math.Float32bits(c[j]) == 0:
			s.exponent[j] = 0 // zeros of any sign added to 0, as at the edges of tiles
		case most > highExponent/2 || most < noExponent/2:
			s.exponent[j] = unaligned
		default:
			s.scale[j] = math.Float64frombits(uint64(1023+m.fraction-int(most)) << 52)
			s.exponent[j] = most - int32(m.fraction)
		}
	}
	for j, v := range c {
		s.sum[j] = math.Trunc(float64(v) * s.scale[j])
	}
	lanes.addProducts(&s.sum, a, b, &s.scale, at, n)
}

// mostExponents raises eight exponents to those of n products from at on.
//
//go:norace
func mostExponents(most *[8]int32, a *operandRow, b *columns, at, n int) {
	for k := at; k < at+n; k++ {
		x, y := a.exponent[k], &b.exponent[k]
		for j := range most {
			most[j] = max(most[j], x+y[j])
		}
	}
}

// addProducts adds to eight sums n products from at on times a scale, without what they have behind the point.
//
//go:norace
func addProducts(sum *[8]float64, a *operandRow, b *columns, scale *[8]float64, at, n int) {
	for k := at; k < at+n; k++ {
		x, y := a.value[k], &b.value[k]
		for j := range sum {
			sum[j] += math.Trunc(x * y[j] * scale[j])
		}
	}
}

// addSpecial adds infinities and NaNs, or nothing but zeros, in one column.
//
//go:norace
func addSpecial(a *operandRow, b *columns, column, at, n int, c float32) float32 {
	s := float64(c)
	for k := at; k < at+n; k++ {
		s += a.value[k] * b.value[k][column]
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
