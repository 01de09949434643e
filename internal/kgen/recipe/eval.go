package recipe

import (
	"fmt"
	"math"
	"math/big"
)

// Eval follows the recipe of T step by step, in the slowest and plainest way. It is what every emitted form is held to.
func Eval[T float32 | float64](r *Recipe, args ...T) T {
	if len(args) != len(r.Params) {
		panic(fmt.Sprintf("recipe %s: %d arguments, want %d", r.Name, len(args), len(r.Params)))
	}
	elem := F32
	if _, ok := any(T(0)).(float64); ok {
		elem = F64
	}
	values := make([]uint64, len(r.Steps))
	for k := range r.Steps {
		s := &r.Steps[k]
		var x, y, z uint64
		switch len(s.Args) {
		case 3:
			z = values[s.Args[2]]
			fallthrough
		case 2:
			y = values[s.Args[1]]
			fallthrough
		case 1:
			x = values[s.Args[0]]
		}
		switch {
		case s.Op == Param:
			values[k] = bitsOf(args[s.Bits])
		case s.Op == Lookup:
			values[k] = uint64(s.Table.Words[x%uint64(len(s.Table.Words))])
		case s.Op.IsConst():
			values[k] = s.Word(elem)
		case s.Op.Result() == FloatType:
			values[k] = bitsOf(evalFloat[T](s.Op, x, y, z))
		case s.Op.Result() == IntType && elem == F32:
			values[k] = uint64(evalInt(s.Op, uint32(x), uint32(y), uint32(z)))
		case s.Op.Result() == IntType:
			values[k] = evalInt(s.Op, x, y, z)
		case evalMask[T](s.Op, x, y):
			values[k] = 1
		}
	}
	return fromBits[T](values[len(values)-1])
}

func bitsOf[T float32 | float64](v T) uint64 {
	if x, ok := any(v).(float32); ok {
		return uint64(math.Float32bits(x))
	}
	return math.Float64bits(float64(v))
}

func fromBits[T float32 | float64](bits uint64) T {
	if _, ok := any(T(0)).(float32); ok {
		return T(math.Float32frombits(uint32(bits)))
	}
	return T(math.Float64frombits(bits))
}

func evalFloat[T float32 | float64](op Op, i, j, k uint64) T {
	x, y, z := fromBits[T](i), fromBits[T](j), fromBits[T](k)
	switch op {
	case Add:
		return x + y
	case Sub:
		return x - y
	case Mul:
		return x * y
	case Div:
		return x / y
	case FMA, FMAExact:
		return exactFMA(x, y, z)
	case Sqrt:
		return T(math.Sqrt(float64(x)))
	case Round:
		return T(math.RoundToEven(float64(x)))
	case Neg:
		return fromBits[T](i ^ bitsOf(T(math.Copysign(0, -1))))
	case Abs:
		return fromBits[T](i &^ bitsOf(T(math.Copysign(0, -1))))
	case FromBits:
		return x
	case FromInt:
		return T(int32(i))
	case Scale:
		return T(math.Ldexp(float64(x), int(math.Floor(float64(y)))))
	case Mantissa:
		m, _ := evalSplit(x)
		return m
	case Exponent:
		_, e := evalSplit(x)
		return e
	case Select:
		if i != 0 {
			return y
		}
		return z
	}
	panic("recipe: no float operation " + op.String())
}

// evalSplit follows the definitions of Mantissa and Exponent.
func evalSplit[T float32 | float64](x T) (m, e T) {
	least := 0.75
	if _, ok := any(x).(float64); ok {
		least = math.Float64frombits(rootHalf64)
	}
	switch m, n := math.Frexp(float64(x)); {
	case x < 0:
		return x, T(math.Float32frombits(noNumber))
	case x == 0:
		return 1, T(math.Inf(-1))
	case x-x != 0:
		return 1, x
	case m < least:
		return T(2 * m), T(n - 1)
	default:
		return T(m), T(n)
	}
}

func evalInt[W uint32 | uint64](op Op, x, y, z W) W {
	switch op {
	case ToBits:
		return x
	case IAdd:
		return x + y
	case ISub:
		return x - y
	case IMul:
		return x * y
	case IMulHigh:
		return W(uint64(x) * uint64(y) >> 32)
	case IMin:
		return min(x, y)
	case IAnd:
		return x & y
	case IOr:
		return x | y
	case IXor:
		return x ^ y
	case Shl:
		return x << y
	case Shr:
		return x >> y
	case Sar:
		return W(int32(x) >> y)
	case ISelect:
		if x != 0 {
			return y
		}
		return z
	}
	panic("recipe: no integer operation " + op.String())
}

func evalMask[T float32 | float64](op Op, i, j uint64) bool {
	x, y := fromBits[T](i), fromBits[T](j)
	switch op {
	case Less:
		return x < y
	case LessEqual:
		return x <= y
	case Equal:
		return x == y
	case IsNaN:
		return x != x
	case ILess:
		if _, ok := any(x).(float32); ok {
			return int32(i) < int32(j)
		}
		return int64(i) < int64(j)
	case MaskAnd:
		return i&j != 0
	case MaskOr:
		return i|j != 0
	case MaskNot:
		return i == 0
	}
	panic("recipe: no comparison " + op.String())
}

// exactFMA is x*y + z in exact arithmetic, rounded once.
func exactFMA[T float32 | float64](x, y, z T) T {
	if _, ok := any(x).(float64); ok {
		return T(math.FMA(float64(x), float64(y), float64(z)))
	}
	product, sum := float64(x)*float64(y), float64(x)*float64(y)+float64(z)
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return T(sum) // the product of two float32 is exact, and so is a sum that is zero
	}
	exact := new(big.Float).SetPrec(1000).SetFloat64(product)
	rounded, _ := exact.Add(exact, big.NewFloat(float64(z))).Float32()
	return T(rounded)
}
