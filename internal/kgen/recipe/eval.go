package recipe

import (
	"fmt"
	"math"
	"math/big"
)

// Eval follows the recipe step by step, in the slowest and plainest way. It is what every emitted form is held to.
func (r *Recipe) Eval(args ...float32) float32 {
	if len(args) != len(r.Params) {
		panic(fmt.Sprintf("recipe %s: %d arguments, want %d", r.Name, len(args), len(r.Params)))
	}
	values := make([]uint32, len(r.Steps))
	for k := range r.Steps {
		s := &r.Steps[k]
		var x, y, z uint32
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
			values[k] = math.Float32bits(args[s.Bits])
		case s.Op == Lookup:
			values[k] = s.Table.Words[x]
		case s.Op.IsConst():
			values[k] = s.Bits
		case s.Op.Result() == FloatType:
			values[k] = math.Float32bits(evalFloat(s.Op, x, y, z))
		case s.Op.Result() == IntType:
			values[k] = evalInt(s.Op, x, y, z)
		case evalMask(s.Op, x, y):
			values[k] = 1
		}
	}
	return math.Float32frombits(values[len(values)-1])
}

func evalFloat(op Op, i, j, k uint32) float32 {
	x, y, z := math.Float32frombits(i), math.Float32frombits(j), math.Float32frombits(k)
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
		return float32(math.Sqrt(float64(x)))
	case Neg:
		return math.Float32frombits(i ^ 1<<31)
	case Abs:
		return math.Float32frombits(i &^ (1 << 31))
	case FromBits:
		return x
	case FromInt:
		return float32(int32(i))
	case Scale:
		return float32(math.Ldexp(float64(x), int(int32(j))))
	case Select:
		if i != 0 {
			return y
		}
		return z
	}
	panic("recipe: no float operation " + op.String())
}

func evalInt(op Op, x, y, z uint32) uint32 {
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
		return uint32(uint64(x) * uint64(y) >> 32)
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
		return uint32(int32(x) >> y)
	case ISelect:
		if x != 0 {
			return y
		}
		return z
	}
	panic("recipe: no integer operation " + op.String())
}

func evalMask(op Op, i, j uint32) bool {
	x, y := math.Float32frombits(i), math.Float32frombits(j)
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
		return int32(i) < int32(j)
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
func exactFMA(x, y, z float32) float32 {
	product, sum := float64(x)*float64(y), float64(x)*float64(y)+float64(z)
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return float32(sum) // the product of two float32 is exact, and so is a sum that is zero
	}
	exact := new(big.Float).SetPrec(1000).SetFloat64(product)
	rounded, _ := exact.Add(exact, big.NewFloat(float64(z))).Float32()
	return rounded
}
