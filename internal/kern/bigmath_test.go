package kern

import (
	"math"
	"math/big"
	"sync"
)

// The float64 functions are judged by series in big.Float. The precision covers the reduction of the largest float64
// by π and erfc down to the least.
const bigPrec = 1400

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(bigPrec).SetFloat64(x) }

func bigAdd(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Add(x, y) }
func bigSub(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Sub(x, y) }
func bigMul(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Mul(x, y) }
func bigDiv(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Quo(x, y) }
func bigNeg(x *big.Float) *big.Float    { return new(big.Float).SetPrec(bigPrec).Neg(x) }

// bigSeries is first + first*ratio(1) + first*ratio(1)*ratio(2) + ... .
func bigSeries(first *big.Float, ratio func(n float64) *big.Float) *big.Float {
	sum, term := bigOf(0), first
	for n := 1.0; term.Sign() != 0 && (sum.Sign() == 0 || term.MantExp(nil) > sum.MantExp(nil)-bigPrec); n++ {
		sum = bigAdd(sum, term)
		term = bigMul(term, ratio(n))
	}
	return sum
}

func bigExp(x *big.Float) *big.Float {
	pairMaxes := max(0, x.MantExp(nil)+10)
	r := new(big.Float).SetMantExp(x, -pairMaxes)
	y := bigSeries(bigOf(1), func(n float64) *big.Float { return bigDiv(r, bigOf(n)) })
	for range pairMaxes {
		y = bigMul(y, y)
	}
	return y
}

// bigLog is by Halley's iteration, which triples the digits each time.
func bigLog(x *big.Float) *big.Float {
	mantissa := new(big.Float)
	exponent := x.MantExp(mantissa)
	near, _ := mantissa.Float64()
	y := bigOf(math.Log(near) + float64(exponent)*math.Ln2)
	for range 4 {
		e := bigExp(y)
		step := bigDiv(bigSub(x, e), bigAdd(x, e))
		y = bigAdd(y, bigAdd(step, step))
	}
	return y
}

// bigPi is 16*atan(1/5) - 4*atan(1/239).
var bigPi = sync.OnceValue(func() *big.Float {
	atanInverse := func(k float64) *big.Float {
		sum, power := bigOf(0), bigDiv(bigOf(1), bigOf(k))
		for n := 1.0; power.MantExp(nil) > -bigPrec; n += 2 {
			sum = bigAdd(sum, bigDiv(power, bigOf(n)))
			power = bigNeg(bigDiv(power, bigOf(k*k)))
		}
		return sum
	}
	return bigSub(bigMul(bigOf(16), atanInverse(5)), bigMul(bigOf(4), atanInverse(239)))
})

// bigSin is the sine of x + quarters*π/2.
func bigSin(x *big.Float, quarters int64) *big.Float {
	half := bigDiv(bigPi(), bigOf(2))
	turns, _ := bigAdd(bigDiv(x, half), bigOf(math.Copysign(0.5, float64(x.Sign())))).Int(nil)
	r := bigSub(x, bigMul(new(big.Float).SetPrec(bigPrec).SetInt(turns), half))
	square := bigMul(r, r)
	quadrant := new(big.Int).And(turns.Add(turns, big.NewInt(quarters)), big.NewInt(3)).Int64()
	first, offset := r, 0.0
	if quadrant&1 == 1 {
		first, offset = bigOf(1), -1
	}
	y := bigSeries(first, func(n float64) *big.Float {
		return bigNeg(bigDiv(square, bigOf((2*n+offset)*(2*n+1+offset))))
	})
	if quadrant&2 != 0 {
		return bigNeg(y)
	}
	return y
}

func bigErf(x *big.Float) *big.Float {
	square := bigMul(x, x)
	sum := bigSeries(x, func(n float64) *big.Float { return bigDiv(bigAdd(square, square), bigOf(2*n+1)) })
	root := new(big.Float).SetPrec(bigPrec).Sqrt(bigPi())
	return bigDiv(bigMul(bigOf(2), bigDiv(sum, bigExp(square))), root)
}
