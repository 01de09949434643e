package tensor

import (
	"fmt"
	"testing"

	"cresset/dtype"
	"cresset/internal/golden"
)

// promotionCases compute the expressions of testdata/promotion_torch26.txt over its operands: two elements of each dtype.
func promotionCases() map[string]func() any {
	i, f, b := Of([]int{1, 2}), Of([]float32{1, 2}), Of([]bool{true, false})
	i8, i32, u8 := Of([]int8{100, 100}), i.Int(), Of([]uint8{200, 100})
	h, d := f.Half(), f.Double()
	zero := func(v any) *Tensor { return Of(v) }
	zero64 := func(v float64) *Tensor { return On(f.Device()).As(dtype.Float64).Of(v) }
	sevens := Of([]int{7, -7})
	return map[string]func() any{
		"I+1":       func() any { return i.AddScalar(1) },
		"I+1.5":     func() any { return i.AddScalar(1.5) },
		"I+True":    func() any { return i.AddScalar(true) },
		"I*2.0":     func() any { return i.MulScalar(2.0) },
		"I/2":       func() any { return i.DivScalar(2) },
		"I//2":      func() any { return i.FloorDivideScalar(2) },
		"I%2":       func() any { return i.RemainderScalar(2) },
		"I**2":      func() any { return i.Pow(2) },
		"I**2.0":    func() any { return i.Pow(2.0) },
		"F+1":       func() any { return f.AddScalar(1) },
		"F*I":       func() any { return f.Mul(i) },
		"F+D":       func() any { return f.Add(d) },
		"H+1.5":     func() any { return h.AddScalar(1.5) },
		"H+F":       func() any { return h.Add(f) },
		"H+I":       func() any { return h.Add(i) },
		"B+1":       func() any { return b.AddScalar(1) },
		"B+1.5":     func() any { return b.AddScalar(1.5) },
		"B+B":       func() any { return b.Add(b) },
		"B*B":       func() any { return b.Mul(b) },
		"B&B":       func() any { return b.BitwiseAnd(b) },
		"I&1":       func() any { return i.BitwiseAndScalar(1) },
		"U8+U8":     func() any { return u8.Add(u8) },
		"U8+100":    func() any { return u8.AddScalar(100) },
		"U8+1000":   func() any { return u8.AddScalar(1000) },
		"I8+I8":     func() any { return i8.Add(i8) },
		"U8+I8":     func() any { return u8.Add(i8) },
		"I32+I":     func() any { return i32.Add(i) },
		"I32+1":     func() any { return i32.AddScalar(1) },
		"I32+2**40": func() any { return i32.AddScalar(1 << 40) },
		"I32/I32":   func() any { return i32.Div(i32) },
		"B/B":       func() any { return b.Div(b) },

		"I+torch.tensor(1.5)":                                     func() any { return i.Add(zero(float32(1.5))) },
		"I+torch.tensor(1.5,dtype=torch.float64)":                 func() any { return i.Add(zero64(1.5)) },
		"F+torch.tensor(1.5,dtype=torch.float64)":                 func() any { return f.Add(zero64(1.5)) },
		"I32+torch.tensor(5)":                                     func() any { return i32.Add(zero(5)) },
		"I32+torch.tensor(5.0)":                                   func() any { return i32.Add(zero(float32(5.0))) },
		"B+torch.tensor(5)":                                       func() any { return b.Add(zero(5)) },
		"F+torch.tensor(5)":                                       func() any { return f.Add(zero(5)) },
		"H+torch.tensor(5.0)":                                     func() any { return h.Add(zero(float32(5.0))) },
		"torch.tensor(1)+torch.tensor(1.5)":                       func() any { return zero(1).Add(zero(float32(1.5))) },
		"torch.tensor(1,dtype=torch.int32)+torch.tensor(1)":       func() any { return zero(1).Int().Add(zero(1)) },
		"torch.tensor(1.0)+torch.tensor(1.0,dtype=torch.float64)": func() any { return zero(float32(1.0)).Add(zero64(1)) },
		"torch.tensor(1)+1.5":                                     func() any { return zero(1).AddScalar(1.5) },
		"torch.tensor(1)/2":                                       func() any { return zero(1).DivScalar(2) },
		"torch.tensor(2**40)+I32":                                 func() any { return zero(1 << 40).Add(i32) },

		"I.sum()":               func() any { return i.Sum() },
		"B.sum()":               func() any { return b.Sum() },
		"I32.sum()":             func() any { return i32.Sum() },
		"U8.sum()":              func() any { return u8.Sum() },
		"F.sum()":               func() any { return f.Sum() },
		"H.sum()":               func() any { return h.Sum() },
		"B.float().mean()":      func() any { return b.Float().Mean() },
		"I.prod()":              func() any { return i.Prod() },
		"I.cumsum(0)":           func() any { return i.CumSum(0) },
		"B.cumsum(0)":           func() any { return b.CumSum(0) },
		"F.std()":               func() any { return f.Std() },
		"F.var()":               func() any { return f.Var() },
		"F.std(unbiased=False)": func() any { return f.StdAxes(nil, 0, false) },
		"I@I":                   func() any { return i.MatMul(i) },

		"I>1":         func() any { return i.GtScalar(1) },
		"F==1":        func() any { return f.EqScalar(1) },
		"I==I":        func() any { return i.Eq(i) },
		"I.sqrt()":    func() any { return i.Sqrt() },
		"I.exp()":     func() any { return i.Exp() },
		"I.sigmoid()": func() any { return i.Sigmoid() },
		"I.sin()":     func() any { return i.Sin() },
		"I.abs()":     func() any { return i.Abs() },
		"I.float()":   func() any { return i.Float() },

		"torch.where(B,I,F)":   func() any { return Where(b, i, f) },
		"torch.where(B,1,0)":   func() any { return Where(b, 1, 0) },
		"torch.where(B,1.5,0)": func() any { return Where(b, 1.5, 0) },
		"torch.cat([I,F])":     func() any { return Cat([]*Tensor{i, f}, 0) },
		"torch.cat([I32,I])":   func() any { return Cat([]*Tensor{i32, i}, 0) },
		"torch.stack([I,F])":   func() any { return Stack([]*Tensor{i, f}, 0) },

		"torch.tensor([7,-7])//torch.tensor([2,2])":               func() any { return sevens.FloorDivide(Of([]int{2, 2})) },
		"torch.tensor([7,-7])%torch.tensor([2,2])":                func() any { return sevens.Remainder(Of([]int{2, 2})) },
		"torch.tensor([7,-7])//-2":                                func() any { return sevens.FloorDivideScalar(-2) },
		"torch.tensor([7.,-7.])//2":                               func() any { return sevens.Float().FloorDivideScalar(2) },
		"torch.tensor([7.,-7.])%2":                                func() any { return sevens.Float().RemainderScalar(2) },
		"torch.tensor([7,-7]).remainder(-3)":                      func() any { return sevens.RemainderScalar(-3) },
		"torch.tensor([7,-7]).fmod(3)":                            func() any { return sevens.FmodScalar(3) },
		"torch.div(torch.tensor([7,-7]),2,rounding_mode='trunc')": func() any { return sevens.DivTruncScalar(2) },
		"torch.div(torch.tensor([7,-7]),2,rounding_mode='floor')": func() any { return sevens.FloorDivideScalar(2) },
		"torch.tensor([2**62])*4":                                 func() any { return Of([]int{1 << 62}).MulScalar(4) },
		"torch.tensor([2**63-1])+1":                               func() any { return Of([]int{1<<63 - 1}).AddScalar(1) },
		"torch.tensor([1,2])/0":                                   func() any { return i.DivScalar(0) },
		"torch.tensor([0])/0":                                     func() any { return Of([]int{0}).DivScalar(0) },
		"torch.true_divide(I,I)":                                  func() any { return i.Div(i) },
		"I.mul(0.5)":                                              func() any { return i.MulScalar(0.5) },
		"I.add(1,alpha=2)":                                        func() any { return i.AddScaled(zero(1), 2) },
		"I.clamp(0.5,1.5)":                                        func() any { return i.Clamp(0.5, 1.5) },
		"I.clamp(min=1.5)":                                        func() any { return i.Clamp(1.5, nil) },
		"torch.clamp(I,max=1)":                                    func() any { return i.Clamp(nil, 1) },
		"I.pow(torch.tensor([2.,3.]))":                            func() any { return i.PowTensor(Of([]float32{2, 3})) },
		"2**I":                                                    func() any { return i.RPow(2) },
		"2.0**I":                                                  func() any { return i.RPow(2.0) },
		"torch.maximum(I,F)":                                      func() any { return i.Maximum(f) },
		"torch.max(I,I32)":                                        func() any { return i.Maximum(i32) },
		"torch.tensor([2.5,3.5,-2.5,0.5]).round()":                func() any { return Of([]float32{2.5, 3.5, -2.5, 0.5}).Round() },
		"F.to(torch.int64)":                                       func() any { return f.To(dtype.Int64) },
		"torch.arange(0,1,0.3)":                                   func() any { return Arange(0, 1, 0.3) },
		"torch.arange(5,0,-2)":                                    func() any { return Arange(5, 0, -2) },
		"torch.linspace(0,1,5)":                                   func() any { return Linspace(0, 1, 5) },
		"torch.equal(I,F)":                                        func() any { return i.Equal(f) },
		"torch.allclose(F,F)":                                     func() any { return f.AllClose(f, 1e-5, 1e-8) },
		"torch.tensor([0.1,0.2]).sum().item()":                    func() any { return Of([]float32{0.1, 0.2}).Sum().Item() },
		"torch.tensor([0.1]).item()":                              func() any { return Of([]float32{0.1}).Item() },
		"torch.tensor(5).item()":                                  func() any { return zero(5).Item() },
		"torch.tensor(1).dtype":                                   func() any { return zero(1).DType() },
		"torch.result_type(I,1.5)":                                func() any { return commonType(operand{t: i}, operand{s: scalarOf("", 1.5)}) },
		"torch.promote_types(torch.float16,torch.bfloat16)":       func() any { return dtype.Promote(dtype.Float16, dtype.BFloat16) },
		"torch.promote_types(torch.uint8,torch.int8)":             func() any { return dtype.Promote(dtype.Uint8, dtype.Int8) },
		"F[0]":                func() any { return f.Select(0, 0) },
		"F[-1]":               func() any { return f.Select(0, -1) },
		"F[:1]":               func() any { return f.Slice(0, 0, 1) },
		"F[None]":             func() any { return f.Unsqueeze(0) },
		"I.new_zeros(2)":      func() any { return Like(i).Zeros(2) },
		"F.new_tensor([1,2])": func() any { return Like(f).Of([]int{1, 2}) },
	}
}

// promotionOmitted says why a line of the golden has no counterpart here.
var promotionOmitted = map[string]string{
	"I**-1 if False else None":                  "computes nothing",
	"B.abs() if False else None":                "computes nothing",
	"I.mean() if False else None":               "computes nothing",
	"torch.result_type(F,1j)":                   "there are no complex numbers",
	"torch.result_type(H,1j)":                   "there are no complex numbers",
	"torch.can_cast(torch.float32,torch.int32)": "dtype.CanCast and its own test",
	"torch.can_cast(torch.int64,torch.float16)": "dtype.CanCast and its own test",
	"torch.can_cast(torch.int64,torch.bool)":    "dtype.CanCast and its own test",
	"I.log2()":                                  "there is no Log2",
	"B.sum(dtype=torch.int32)":                  "Sum takes no dtype",
	"torch.tensor([3.0]).tolist()":              "Values returns a Go slice",
	"round(torch.tensor(2.5).item())":           "rounds a number of the language",
}

func TestPromotionGoldens(t *testing.T) {
	cases := promotionCases()
	for _, e := range golden.Read(t, "testdata/promotion_torch26.txt") {
		if _, omitted := promotionOmitted[e.Key]; omitted {
			continue
		}
		compute, ok := cases[e.Key]
		if !ok {
			t.Errorf("no case computes %s", e.Key)
			continue
		}
		if got := pythonText(compute()); got != e.Value {
			t.Errorf("%s prints %s, want %s", e.Key, got, e.Value)
		}
	}
}

// pythonText is how Python prints a result.
func pythonText(v any) string {
	if b, ok := v.(bool); ok {
		return map[bool]string{true: "True", false: "False"}[b]
	}
	return fmt.Sprint(v)
}
