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

// set16, setTF32 put an element into the row.

//go:norace
func (r *operandRow) set16(k int, f halfFormat, x uint16) {
	v := f.value(x)
	e := int32(x&0x7fff) >> f.fraction
	top := int32(0x7fff) >> f.fraction
	r.value[k], r.exponent[k] = float64(v), e+int32(f.least)-1
	if e == 0 || e == top {
		r.exponent[k] = oddExponent(v, e == 0, int32(f.least))
	}
}

// setTF32 ignores the low 13 bits, as tensor cores do.
//
//go:norace
func (r *operandRow) setTF32(k int, x uint32) {
	v := f32(x &^ (1<<13 - 1))
	e := int32(x >> 23 & 255)
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

// dot adds the products of the first n elements to c.
func (m tensorModel) dot(a, b *operandRow, n, block int, c float32) float32 {
	for at := 0; at < n; at += block {
		c = m.block(a, b, at, block, c)
	}
	return c
}

// block adds one block of products to c: 4, 8 or 16 of them.
func (m tensorModel) block(a, b *operandRow, at, n int, c float32) float32 {
	sum, exponent := m.add(a, b, at, n, c)
	if exponent == unaligned {
		return m.special(a, b, at, n, c)
	}
	return cutToF32(sum, exponent)
}

// dotHalf is dot with a sum in f16, to which each block is rounded to nearest. A sum that rounds to zero has no sign.
func (m tensorModel) dotHalf(a, b *operandRow, n, block int, c float32) (h uint16) {
	for at := 0; at < n; at += block {
		sum, exponent := m.add(a, b, at, block, c)
		if exponent == unaligned {
			h = formatF16.round(float64(m.special(a, b, at, block, c)))
		} else if h = formatF16.round(math.Ldexp(float64(sum), exponent)); h == 1<<15 {
			h = 0
		}
		c = f16ToF32(h)
	}
	return h
}

const unaligned = math.MinInt // the exponent of sums of infinities and NaNs, or of nothing but zeros where their sign counts

// add returns the sum of a block and c as a multiple of a power of two.
//
//go:norace
func (m tensorModel) add(a, b *operandRow, at, n int, c float32) (sum int64, exponent int) {
	field := int32(math.Float32bits(c) >> 23 & 255)
	most := field - 127
	if field == 0 || field == 255 {
		most = oddExponent(c, field == 0, -126)
	}
	for k := at; k < at+n; k += 4 {
		x, y := (*[4]int32)(a.exponent[k:]), (*[4]int32)(b.exponent[k:])
		most = max(max(most, max(x[0]+y[0], x[1]+y[1])), max(x[2]+y[2], x[3]+y[3]))
	}
	switch {
	case most < noExponent/2 && math.Float32bits(c) == 0:
		return 0, 0 // zeros of any sign added to 0, as at the edges of tiles
	case most > highExponent/2 || most < noExponent/2:
		return 0, unaligned
	}
	scale := math.Float64frombits(uint64(1023+m.fraction-int(most)) << 52)
	sum = int64(float64(c) * scale)
	for k := at; k < at+n; k += 4 {
		x, y := (*[4]float64)(a.value[k:]), (*[4]float64)(b.value[k:])
		sum += int64(x[0]*y[0]*scale) + int64(x[1]*y[1]*scale)
		sum += int64(x[2]*y[2]*scale) + int64(x[3]*y[3]*scale)
	}
	return sum, int(most) - m.fraction
}

// special adds infinities and NaNs, or nothing but zeros.
//
//go:norace
func (m tensorModel) special(a, b *operandRow, at, n int, c float32) float32 {
	s := float64(c)
	for k := at; k < at+n; k++ {
		s += a.value[k] * b.value[k]
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
func nearest(a, b *operandRow, n int, c float32) float64 {
	s := float64(c)
	for i := range n {
		s += a.value[i] * b.value[i]
	}
	return s
}
