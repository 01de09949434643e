package kernels_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
	"cresset/internal/op"
)

var dtypeNames = map[dtype.DType]string{
	dtype.Bool: "bool", dtype.Uint8: "u8", dtype.Int8: "i8", dtype.Int16: "i16", dtype.Int32: "i32", dtype.Int64: "i64",
	dtype.Float16: "f16", dtype.BFloat16: "bf16", dtype.Float32: "f32", dtype.Float64: "f64",
}

func suffix[T dtype.Element]() string { return "_" + dtypeNames[dtype.Of[T]()] }

// samples are numbers of every size and sign, with all that is special at their head.
func samples[T dtype.Number](n int, seed uint64) []T {
	r := rand.New(rand.NewPCG(seed, 1))
	s := make([]T, n)
	for i := range s {
		switch p := any(&s[i]).(type) {
		case *float32:
			*p = float32(real64(r, i))
			if i%4 == 3 {
				*p = math.Float32frombits(r.Uint32())
			}
		case *float64:
			*p = real64(r, i)
		case *int64:
			*p = int64(r.Uint64()) >> (r.Uint32() % 64)
		case *int32:
			*p = int32(r.Uint32()) >> (r.Uint32() % 32)
		default:
			s[i] = T(r.Uint32() >> 1)
		}
	}
	return s
}

func real64(r *rand.Rand, i int) float64 {
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, -3, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, -1e-40,
		3.4e38, -3.4e38, 88.7, -103.9, 1.5, 2.5, 1e10, 0x1p-149}
	if i < len(special)*len(special) {
		if r.Uint32()%2 == 0 {
			return special[i%len(special)]
		}
		return special[i/len(special)]
	}
	return r.NormFloat64() * math.Pow(10, float64(r.IntN(5)-2))
}

const count = 1500

func unary[D dtype.Element, T dtype.Number](t *testing.T, row string, loop func(dst []D, a []T)) {
	t.Helper()
	m := &machine{t: t}
	a, got, want := samples[T](count, 1), make([]D, count), make([]D, count)
	loop(want, a)
	name := row + suffix[T]()
	launch(m, name, kernels.Flat(count, few), kernels.Elementwise{N: count, Out: put(m, got), In: [3]uint64{put(m, a)}})
	compare(t, name, got, want)
}

func binary[D dtype.Element, T dtype.Number](t *testing.T, row string, loop func(dst []D, a, b []T)) {
	t.Helper()
	binaryOf(t, row, samples[T](count, 1), samples[T](count, 2), loop)
}

func binaryOf[D dtype.Element, T dtype.Number](t *testing.T, row string, a, b []T, loop func(dst []D, a, b []T)) {
	t.Helper()
	m := &machine{t: t}
	got, want := make([]D, len(a)), make([]D, len(a))
	loop(want, a, b)
	name := row + suffix[T]()
	p := kernels.Elementwise{N: uint64(len(a)), Out: put(m, got), In: [3]uint64{put(m, a), put(m, b)}}
	launch(m, name, kernels.Flat(p.N, few), p)
	compare(t, name, got, want)
}

func TestArithmetic(t *testing.T) {
	numbers[float32](t)
	numbers[float64](t)
	numbers[int64](t)
	numbers[int32](t)
	numbers[uint8](t)
	floats[float32](t)
	floats[float64](t)
}

func numbers[T dtype.Number](t *testing.T) {
	binary(t, "add", kern.Add[T])
	binary(t, "sub", kern.Sub[T])
	binary(t, "mul", kern.Mul[T])
	binary(t, "maximum", kern.Maximum[T])
	binary(t, "minimum", kern.Minimum[T])
	unary(t, "neg", kern.Neg[T])
	unary(t, "sign", kern.Sign[T])
	unary(t, "square", kern.Square[T])
	unary(t, "relu", kern.ReLU[T])
	binary(t, "eq", kern.Eq[T])
	binary(t, "ne", kern.Ne[T])
	binary(t, "lt", kern.Lt[T])
	binary(t, "le", kern.Le[T])
	binary(t, "gt", kern.Gt[T])
	binary(t, "ge", kern.Ge[T])
}

func floats[T dtype.Float](t *testing.T) {
	binary(t, "div", kern.Div[T])
	unary(t, "reciprocal", kern.Reciprocal[T])
	unary(t, "sqrt", kern.Sqrt[T])
	unary(t, "abs", kern.Abs[T])
	unary(t, "floor", kern.Floor[T])
	unary(t, "ceil", kern.Ceil[T])
	unary(t, "round", kern.Round[T])
	unary(t, "trunc", kern.Trunc[T])
	unary(t, "isnan", kern.IsNaN[T])
	binary(t, "floor_divide", kern.FloorDivide[T])
	binary(t, "div_trunc", kern.DivTrunc[T])
	binary(t, "remainder", kern.Remainder[T])
	binary(t, "fmod", kern.Fmod[T])
	binary(t, "threshold_backward", kern.ReLUGrad[T])
	binary(t, "mse_loss", kern.MSELoss[T])
}

func TestIntegerDivision(t *testing.T) {
	integers[int64](t)
	integers[int32](t)
	integers[uint8](t)
}

func integers[T dtype.Integer](t *testing.T) {
	a, b := samples[T](count, 1), samples[T](count, 2)
	var least T = 1
	for range 8*dtype.Of[T]().Size() - 1 {
		least *= 2 // of signed types it is the one whose quotient by -1 does not fit
	}
	a[0], b[0] = least, 0
	b[0]--
	for i := range b {
		if b[i] == 0 {
			b[i] = 1
		}
	}
	unary(t, "abs", kern.AbsInt[T])
	binaryOf(t, "floor_divide", a, b, kern.FloorDivideInt[T])
	binaryOf(t, "div_trunc", a, b, kern.DivTruncInt[T])
	binaryOf(t, "remainder", a, b, kern.RemainderInt[T])
	binaryOf(t, "fmod", a, b, kern.FmodInt[T])
	binary(t, "pow", kern.PowInt[T])
	binary(t, "bitwise_and", kern.BitwiseAnd[T])
	binary(t, "bitwise_or", kern.BitwiseOr[T])
	binary(t, "bitwise_xor", kern.BitwiseXor[T])
	unary(t, "bitwise_not", kern.BitwiseNot[T])
}

func TestDivisorOfZeroIsAFault(t *testing.T) {
	m := &machine{t: t}
	a, b, got, fault := []int32{4, 5, 6}, []int32{2, 0, 3}, []int32{-7, -7, -7}, make([]kernels.Fault, 1)
	launch(m, "floor_divide_i32", kernels.Flat(3, few), kernels.Elementwise{N: 3, Out: put(m, got),
		In: [3]uint64{put(m, a), put(m, b)}, Report: kernels.Report{Word: put(m, fault), Tag: 42}})
	compare(t, "quotients", got, []int32{2, -7, 2})
	if want := (kernels.Fault{Code: kernels.DivisorFault, Tag: 42, At: 1}); fault[0] != want {
		t.Errorf("got %+v, want %+v", fault[0], want)
	}
}

func TestLogic(t *testing.T) {
	a, b := []uint8{0, 0, 1, 1}, []uint8{0, 1, 0, 1}
	for name, want := range map[string][]uint8{
		"bitwise_and_u8": {0, 0, 0, 1}, "bitwise_or_u8": {0, 1, 1, 1}, "bitwise_xor_u8": {0, 1, 1, 0},
		"bitwise_not_u8": {255, 255, 254, 254}, "logical_not_bool": {1, 1, 0, 0},
	} {
		m := &machine{t: t}
		got := make([]uint8, len(a))
		launch(m, name, kernels.Flat(4, few), kernels.Elementwise{N: 4, Out: put(m, got), In: [3]uint64{put(m, a), put(m, b)}})
		compare(t, name, got, want)
	}
}

func TestElementary(t *testing.T) {
	for row, loop := range map[string]func(dst, src []float32){
		"exp": kern.Exp[float32], "expm1": kern.Expm1[float32], "log": kern.Log[float32], "log1p": kern.Log1p[float32], "sin": kern.Sin[float32],
		"cos": kern.Cos[float32], "tanh": kern.Tanh[float32], "sigmoid": kern.Sigmoid[float32], "erf": kern.Erf[float32], "rsqrt": kern.Rsqrt[float32],
		"gelu": kern.GELU[float32], "gelu_tanh": kern.GELUTanh[float32], "silu": kern.SiLU[float32],
	} {
		unary(t, row, loop)
	}
	for row, loop := range map[string]func(dst, src []float64){
		"exp": kern.Exp[float64], "expm1": kern.Expm1[float64], "log": kern.Log[float64], "log1p": kern.Log1p[float64], "sin": kern.Sin[float64],
		"cos": kern.Cos[float64], "tanh": kern.Tanh[float64], "sigmoid": kern.Sigmoid[float64], "erf": kern.Erf[float64], "rsqrt": kern.Rsqrt[float64],
		"gelu": kern.GELU[float64], "gelu_tanh": kern.GELUTanh[float64], "silu": kern.SiLU[float64],
	} {
		unary(t, row, loop)
	}
	binary(t, "pow", kern.Pow[float32])
	binary(t, "pow", kern.Pow[float64])
	activationGradients[float32](t)
	activationGradients[float64](t)
}

func activationGradients[T dtype.Float](t *testing.T) {
	binary(t, "tanh_backward", kern.TanhGrad[T])
	binary(t, "sigmoid_backward", kern.SigmoidGrad[T])
	binary(t, "gelu_backward", kern.GELUGrad[T])
	binary(t, "gelu_tanh_backward", kern.GELUTanhGrad[T])
	binary(t, "silu_backward", kern.SiLUGrad[T])
}

// TestFarAngles is of angles that the recipes of float64 do not reduce.
func TestFarAngles(t *testing.T) {
	var a []float64
	for _, v := range samples[float64](count, 1) {
		a = append(a, v, v*0x1p32, v*0x1p200, v*0x1p990)
	}
	for row, loop := range map[string]func(dst, src []float64){"sin": kern.Sin[float64], "cos": kern.Cos[float64]} {
		m := &machine{t: t}
		got, want := make([]float64, len(a)), make([]float64, len(a))
		loop(want, a)
		launch(m, row+"_f64", kernels.Flat(uint64(len(a)), few),
			kernels.Elementwise{N: uint64(len(a)), Out: put(m, got), In: [3]uint64{put(m, a)}})
		compare(t, row, got, want)
	}
}

// TestParameters is of functions that have parameters of their own.
func TestParameters(t *testing.T) {
	m := &machine{t: t}
	a, b, c := samples[float32](count, 1), samples[float32](count, 2), samples[float32](count, 3)
	in := [3]uint64{put(m, a), put(m, b), put(m, c)}
	num := op.Number{A: 0.7, B: 2.5}
	bounds := op.Bounds{Low: -0.3, High: 1.1, HasLow: true, HasHigh: true}
	for row, loop := range map[string]func(dst []float32){
		"leaky_relu":                                func(dst []float32) { kern.LeakyReLU(dst, a, num) },
		"leaky_relu_backward":                       func(dst []float32) { kern.LeakyReLUGrad(dst, a, b, num) },
		"softplus":                                  func(dst []float32) { kern.Softplus(dst, a, num) },
		"softplus_backward":                         func(dst []float32) { kern.SoftplusGrad(dst, a, b, num) },
		"mse_loss_backward":                         func(dst []float32) { kern.MSELossGrad(dst, a, b, c, num) },
		"binary_cross_entropy_with_logits":          func(dst []float32) { kern.BCEWithLogits(dst, a, b, c) },
		"binary_cross_entropy_with_logits_backward": func(dst []float32) { kern.BCEWithLogitsGrad(dst, a, b, c) },
		"clamp": func(dst []float32) { kern.Clamp(dst, a, bounds) },
	} {
		got, want := make([]float32, count), make([]float32, count)
		loop(want)
		p := kernels.Elementwise{N: count, Out: put(m, got), In: in, Scalars: [2]uint64{math.Float64bits(num.A), math.Float64bits(num.B)}}
		if row == "clamp" {
			p.Scalars = [2]uint64{math.Float64bits(bounds.Low), math.Float64bits(bounds.High)}
		}
		launch(m, row+"_f32", kernels.Flat(count, few), p)
		compare(t, row, got, want)
	}
	whole, got, want := samples[int64](count, 4), make([]int64, count), make([]int64, count)
	kern.ClampInt(want, whole, op.Bounds{IntHigh: -5, HasHigh: true})
	launch(m, "clamp_i64", kernels.Flat(count, few), kernels.Elementwise{N: count, Out: put(m, got), In: [3]uint64{put(m, whole)},
		Scalars: [2]uint64{1 << 63, 1<<64 - 5}})
	compare(t, "clamp_i64", got, want)
}

// TestStrides walks a transposed, a repeated and a constant operand to a result with gaps.
func TestStrides(t *testing.T) {
	const rows, cols, planes = 7, 5, 3
	m := &machine{t: t}
	a, b, cond := samples[float32](rows*cols, 1), samples[float32](planes, 2), make([]uint8, rows*cols)
	got, want := make([]float32, 2*rows*cols*planes), make([]float32, 2*rows*cols*planes)
	sum := make([]float32, len(got))
	for i := range cond {
		cond[i] = uint8(i % 3 & 1)
	}
	// The axes of the result, innermost first: planes, cols, rows.
	for r := range rows {
		for c := range cols {
			for k := range planes {
				at := 2 * ((r*cols+c)*planes + k)
				x, y := a[c*rows+r], b[k]
				sum[at] = x + y
				want[at] = 1.5
				if cond[r*cols+c] != 0 {
					want[at] = y
				}
			}
		}
	}
	p := kernels.Elementwise{N: rows * cols * planes, Out: put(m, got), In: [3]uint64{put(m, a), put(m, b)}, Rank: 3,
		Extents: [8]uint32{planes, cols, rows}, Strides: [4][8]int64{{2, 2 * planes, 2 * planes * cols}, {0, rows, 1}, {1, 0, 0}}}
	launch(m, "add_f32", kernels.Flat(p.N, few), p)
	compare(t, "add", got, sum)

	p.In, p.Constants = [3]uint64{put(m, cond), p.In[1], 0}, [3]uint64{2: uint64(math.Float32bits(1.5))}
	p.Strides[1], p.Strides[2] = [8]int64{0, 1, cols}, [8]int64{1, 0, 0}
	launch(m, "where_b32", kernels.Flat(p.N, few), p)
	compare(t, "where", got, want)
}

func TestCopyAndFill(t *testing.T) {
	m := &machine{t: t}
	a, got := samples[int64](count, 1), make([]int64, count)
	p := kernels.Elementwise{N: count, Out: put(m, got), In: [3]uint64{put(m, a)}}
	launch(m, "copy_b64", kernels.Flat(count, few), p)
	compare(t, "copy", got, a)
	p.In[0], p.Constants[0] = 0, 7
	launch(m, "copy_b64", kernels.Flat(count, few), p)
	for i := range a {
		a[i] = 7
	}
	compare(t, "fill", got, a)
}
