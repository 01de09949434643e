package kern

import (
	"math"
	"math/bits"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// From farTrig on, in size, arguments leave too little of the reduction that the recipes make, which vector instructions can do;
// they are reduced here one by one, to a pair of numbers, and the recipes then see only |x| <= π/4.

const (
	farTrig   = 0x1p32
	trigPiece = 2048 // elements that stay in the L1 cache between the look for far ones and the sine
)

// Sin is dst[i] = the sine of a[i], in radians; that of float64 is off by at most 1.4 ulp.
func Sin[T dtype.Float](dst, a []T) {
	if wide, ok := any(a).([]float64); ok {
		nearAndFar(any(dst).([]float64), wide, sin[float64], anySin)
		return
	}
	sin(dst, a)
}

// Cos is dst[i] = the cosine of a[i], as Sin is the sine.
func Cos[T dtype.Float](dst, a []T) {
	if wide, ok := any(a).([]float64); ok {
		nearAndFar(any(dst).([]float64), wide, cos[float64], anyCos)
		return
	}
	cos(dst, a)
}

// Tan is dst[i] = the tangent of a[i], as Sin is the sine.
func Tan[T dtype.Float](dst, a []T) {
	if wide, ok := any(a).([]float64); ok {
		nearAndFar(any(dst).([]float64), wide, tan[float64], anyTan)
		return
	}
	tan(dst, a)
}

// nearAndFar applies near to the elements below farTrig in size and one to each of the others.
func nearAndFar(dst, src []float64, near func(dst, src []float64), one func(float64) float64) {
	for len(src) > 0 {
		most := min(len(src), trigPiece)
		n := firstFar(src[:most])
		near(dst[:n], src[:n])
		if n < most {
			dst[n] = one(src[n])
			n++
		}
		dst, src = dst[n:], src[n:]
	}
}

// firstFar returns the place of the first element that is not below farTrig in size, or the number of elements.
func firstFar(src []float64) int {
	var at [1]int64
	if vec.Rows(vec.FirstFar, len(src), nil, at[:], src) {
		if at[0] < 0 {
			return len(src)
		}
		return int(at[0])
	}
	for i, v := range src {
		if !(math.Abs(v) < farTrig) {
			return i
		}
	}
	return len(src)
}

func anySin(x float64) float64 {
	if math.Abs(x) < farTrig {
		return sin64(x)
	}
	return sinQuarters(x, 0)
}

func anyCos(x float64) float64 {
	if math.Abs(x) < farTrig {
		return cos64(x)
	}
	return sinQuarters(math.Abs(x), 1)
}

func anyTan(x float64) float64 {
	if math.Abs(x) < farTrig {
		return tan64(x)
	}
	if math.IsInf(x, 0) || x != x {
		return math.NaN()
	}
	head, tail, quadrant := reduceByHalfPi(math.Abs(x))
	y := tan64(head)
	y = math.FMA(tail, math.FMA(y, y, 1), y)
	if quadrant&1 == 1 {
		y = -1 / y
	}
	if x < 0 {
		return -y
	}
	return y
}

// sinQuarters is the sine of x + n*π/2 for x that is not below farTrig in size.
func sinQuarters(x float64, n uint64) float64 {
	if math.IsInf(x, 0) || x != x {
		return math.NaN()
	}
	head, tail, quadrant := reduceByHalfPi(math.Abs(x))
	quadrant += n
	y := math.FMA(tail, cos64(head), sin64(head))
	if quadrant&1 == 1 {
		y = math.FMA(-tail, head, cos64(head))
	}
	if (quadrant&2 != 0) != (x < 0) {
		return -y
	}
	return y
}

// reduceByHalfPi splits a finite a > π/4 into quadrant*π/2 + head + tail with |head| <= π/4 (Payne and Hanek): a is
// m * 2**e, and of 2/π only the 192 bits count from which m makes less than a multiple of 4 and not too little.
func reduceByHalfPi(a float64) (head, tail float64, quadrant uint64) {
	const mantissaBits = 52
	all := math.Float64bits(a)
	m := all&(1<<mantissaBits-1) | 1<<mantissaBits
	at := uint(all>>mantissaBits) - 1075 + 62 // the window's first bit; its weight in the product is 2
	word, shift := at/64, at%64
	window := func(n uint) uint64 {
		return twoOverPi64[word+n]<<shift | twoOverPi64[word+n+1]>>(64-shift)
	}

	// The product's upper 128 bits of 192; what overflows them is a multiple of 4.
	carried, _ := bits.Mul64(m, window(2))
	high, low := bits.Mul64(m, window(1))
	low, carry := bits.Add64(low, carried, 0)
	high += m*window(0) + carry

	quadrant = high >> 62
	high, low = high<<2|low>>62, low<<2
	sign := 1.0
	if high>>63 == 1 { // more than half a quadrant: back from the next one
		quadrant, sign = quadrant+1, -1
		high, low = ^high, ^low
	}
	zeros := bits.LeadingZeros64(high)
	if high == 0 {
		high, low = low, 0
		zeros = bits.LeadingZeros64(high)
		high <<= zeros
		zeros += 64
	} else {
		high, low = high<<zeros|low>>(64-zeros), low<<zeros
	}
	turn := math.Ldexp(sign*float64(high>>11), -53-zeros)
	turnTail := math.Ldexp(sign*float64(high&0x7ff<<42|low>>22), -106-zeros)

	const halfPi, halfPiTail = 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54
	head = turn * halfPi
	return head, math.FMA(turn, halfPi, -head) + math.FMA(turn, halfPiTail, turnTail*halfPi), quadrant
}

// twoOverPi64 holds the bits of 2/π after the point, behind 64 zeros.
var twoOverPi64 = [...]uint64{
	0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
	0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
	0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
	0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
	0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
	0xf0cfbc209af4361d,
}
