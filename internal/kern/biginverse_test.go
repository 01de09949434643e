package kern

import (
	"math"
	"math/big"
)

func bigSine(x *big.Float) *big.Float   { return bigSin(x, 0) }
func bigCosine(x *big.Float) *big.Float { return bigSin(x, 1) }
func bigTan(x *big.Float) *big.Float    { return bigDiv(bigSine(x), bigCosine(x)) }

func bigSinh(x *big.Float) *big.Float {
	return bigDiv(bigSub(bigExp(x), bigExp(bigNeg(x))), bigOf(2))
}

func bigCosh(x *big.Float) *big.Float {
	return bigDiv(bigAdd(bigExp(x), bigExp(bigNeg(x))), bigOf(2))
}

// bigInverse solves f(y) = x by Newton's iteration from near on, which doubles the digits each time.
func bigInverse(x *big.Float, near func(float64) float64, f, slope func(*big.Float) *big.Float) *big.Float {
	start, _ := x.Float64()
	y := bigOf(near(start))
	for range 5 {
		y = bigSub(y, bigDiv(bigSub(f(y), x), slope(y)))
	}
	return y
}

// bigAtan is by bigInverse of the tangent, whose slope is 1 + tan².
func bigAtan(x *big.Float) *big.Float {
	return bigInverse(x, math.Atan, bigTan, func(y *big.Float) *big.Float {
		t := bigTan(y)
		return bigAdd(bigOf(1), bigMul(t, t))
	})
}

// bigErfSlope is 2/√π·e**-x².
func bigErfSlope(x *big.Float) *big.Float {
	return bigDiv(bigMul(bigOf(2), bigExp(bigNeg(bigMul(x, x)))), new(big.Float).SetPrec(bigPrec).Sqrt(bigPi()))
}
