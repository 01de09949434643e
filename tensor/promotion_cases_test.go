package tensor

import "cresset/dtype"

// promotionOfOperators combine operands by an operator.
func promotionOfOperators(o promotionOperands) map[string]func() any {
	return map[string]func() any{
		"I+1":       func() any { return o.i.AddScalar(1) },
		"I+1.5":     func() any { return o.i.AddScalar(1.5) },
		"I+True":    func() any { return o.i.AddScalar(true) },
		"I*2.0":     func() any { return o.i.MulScalar(2.0) },
		"I/2":       func() any { return o.i.DivScalar(2) },
		"I//2":      func() any { return o.i.FloorDivideScalar(2) },
		"I%2":       func() any { return o.i.RemainderScalar(2) },
		"I**2":      func() any { return o.i.Pow(2) },
		"I**2.0":    func() any { return o.i.Pow(2.0) },
		"F+1":       func() any { return o.f.AddScalar(1) },
		"F*I":       func() any { return o.f.Mul(o.i) },
		"F+D":       func() any { return o.f.Add(o.d) },
		"H+1.5":     func() any { return o.h.AddScalar(1.5) },
		"H+F":       func() any { return o.h.Add(o.f) },
		"H+I":       func() any { return o.h.Add(o.i) },
		"B+1":       func() any { return o.b.AddScalar(1) },
		"B+1.5":     func() any { return o.b.AddScalar(1.5) },
		"B+B":       func() any { return o.b.Add(o.b) },
		"B*B":       func() any { return o.b.Mul(o.b) },
		"B&B":       func() any { return o.b.BitwiseAnd(o.b) },
		"I&1":       func() any { return o.i.BitwiseAndScalar(1) },
		"U8+U8":     func() any { return o.u8.Add(o.u8) },
		"U8+100":    func() any { return o.u8.AddScalar(100) },
		"U8+1000":   func() any { return o.u8.AddScalar(1000) },
		"I8+I8":     func() any { return o.i8.Add(o.i8) },
		"U8+I8":     func() any { return o.u8.Add(o.i8) },
		"I32+I":     func() any { return o.i32.Add(o.i) },
		"I32+1":     func() any { return o.i32.AddScalar(1) },
		"I32+2**40": func() any { return o.i32.AddScalar(1 << 40) },
		"I32/I32":   func() any { return o.i32.Div(o.i32) },
		"B/B":       func() any { return o.b.Div(o.b) },
	}
}

// promotionWithZeroDim have an operand without axes.
func promotionWithZeroDim(o promotionOperands) map[string]func() any {
	return map[string]func() any{
		"I+torch.tensor(1.5)":                                     func() any { return o.i.Add(Of(float32(1.5))) },
		"I+torch.tensor(1.5,dtype=torch.float64)":                 func() any { return o.i.Add(float64s.Of(1.5)) },
		"F+torch.tensor(1.5,dtype=torch.float64)":                 func() any { return o.f.Add(float64s.Of(1.5)) },
		"I32+torch.tensor(5)":                                     func() any { return o.i32.Add(Of(5)) },
		"I32+torch.tensor(5.0)":                                   func() any { return o.i32.Add(Of(float32(5.0))) },
		"B+torch.tensor(5)":                                       func() any { return o.b.Add(Of(5)) },
		"F+torch.tensor(5)":                                       func() any { return o.f.Add(Of(5)) },
		"H+torch.tensor(5.0)":                                     func() any { return o.h.Add(Of(float32(5.0))) },
		"torch.tensor(1)+torch.tensor(1.5)":                       func() any { return Of(1).Add(Of(float32(1.5))) },
		"torch.tensor(1,dtype=torch.int32)+torch.tensor(1)":       func() any { return Of(1).Int().Add(Of(1)) },
		"torch.tensor(1.0)+torch.tensor(1.0,dtype=torch.float64)": func() any { return Of(float32(1.0)).Add(float64s.Of(1)) },
		"torch.tensor(1)+1.5":                                     func() any { return Of(1).AddScalar(1.5) },
		"torch.tensor(1)/2":                                       func() any { return Of(1).DivScalar(2) },
		"torch.tensor(2**40)+I32":                                 func() any { return Of(1 << 40).Add(o.i32) },
	}
}

// promotionOfReductions reduce an operand.
func promotionOfReductions(o promotionOperands) map[string]func() any {
	return map[string]func() any{
		"I.sum()":               func() any { return o.i.Sum() },
		"B.sum()":               func() any { return o.b.Sum() },
		"I32.sum()":             func() any { return o.i32.Sum() },
		"U8.sum()":              func() any { return o.u8.Sum() },
		"F.sum()":               func() any { return o.f.Sum() },
		"H.sum()":               func() any { return o.h.Sum() },
		"B.float().mean()":      func() any { return o.b.Float().Mean() },
		"I.prod()":              func() any { return o.i.Prod() },
		"I.cumsum(0)":           func() any { return o.i.CumSum(0) },
		"B.cumsum(0)":           func() any { return o.b.CumSum(0) },
		"F.std()":               func() any { return o.f.Std() },
		"F.var()":               func() any { return o.f.Var() },
		"F.std(unbiased=False)": func() any { return o.f.StdAxes(nil, Correction(0)) },
		"I@I":                   func() any { return o.i.MatMul(o.i) },
	}
}

// promotionOfFunctions compare, or compute elementwise.
func promotionOfFunctions(o promotionOperands) map[string]func() any {
	return map[string]func() any{
		"I>1":         func() any { return o.i.GtScalar(1) },
		"F==1":        func() any { return o.f.EqScalar(1) },
		"I==I":        func() any { return o.i.Eq(o.i) },
		"I.sqrt()":    func() any { return o.i.Sqrt() },
		"I.exp()":     func() any { return o.i.Exp() },
		"I.sigmoid()": func() any { return o.i.Sigmoid() },
		"I.sin()":     func() any { return o.i.Sin() },
		"I.abs()":     func() any { return o.i.Abs() },
		"I.float()":   func() any { return o.i.Float() },
	}
}

// promotionOfJoins take elements from several operands.
func promotionOfJoins(o promotionOperands) map[string]func() any {
	return map[string]func() any{
		"torch.where(B,I,F)":   func() any { return Where(o.b, o.i, o.f) },
		"torch.where(B,1,0)":   func() any { return Where(o.b, 1, 0) },
		"torch.where(B,1.5,0)": func() any { return Where(o.b, 1.5, 0) },
		"torch.cat([I,F])":     func() any { return Cat([]*Tensor{o.i, o.f}, 0) },
		"torch.cat([I32,I])":   func() any { return Cat([]*Tensor{o.i32, o.i}, 0) },
		"torch.stack([I,F])":   func() any { return Stack([]*Tensor{o.i, o.f}, 0) },
	}
}

// promotionOfDivisions divide, clamp and raise to powers.
func promotionOfDivisions(o promotionOperands) map[string]func() any {
	return map[string]func() any{
		"torch.tensor([7,-7])//torch.tensor([2,2])":               func() any { return o.sevens.FloorDivide(Of([]int{2, 2})) },
		"torch.tensor([7,-7])%torch.tensor([2,2])":                func() any { return o.sevens.Remainder(Of([]int{2, 2})) },
		"torch.tensor([7,-7])//-2":                                func() any { return o.sevens.FloorDivideScalar(-2) },
		"torch.tensor([7.,-7.])//2":                               func() any { return o.sevens.Float().FloorDivideScalar(2) },
		"torch.tensor([7.,-7.])%2":                                func() any { return o.sevens.Float().RemainderScalar(2) },
		"torch.tensor([7,-7]).remainder(-3)":                      func() any { return o.sevens.RemainderScalar(-3) },
		"torch.tensor([7,-7]).fmod(3)":                            func() any { return o.sevens.FmodScalar(3) },
		"torch.div(torch.tensor([7,-7]),2,rounding_mode='trunc')": func() any { return o.sevens.DivTruncScalar(2) },
		"torch.div(torch.tensor([7,-7]),2,rounding_mode='floor')": func() any { return o.sevens.FloorDivideScalar(2) },
		"torch.tensor([2**62])*4":                                 func() any { return Of([]int{1 << 62}).MulScalar(4) },
		"torch.tensor([2**63-1])+1":                               func() any { return Of([]int{1<<63 - 1}).AddScalar(1) },
		"torch.tensor([1,2])/0":                                   func() any { return o.i.DivScalar(0) },
		"torch.tensor([0])/0":                                     func() any { return Of([]int{0}).DivScalar(0) },
		"torch.true_divide(I,I)":                                  func() any { return o.i.Div(o.i) },
		"I.mul(0.5)":                                              func() any { return o.i.MulScalar(0.5) },
		"I.add(1,alpha=2)":                                        func() any { return o.i.AddScaled(Of(1), 2) },
		"I.clamp(0.5,1.5)":                                        func() any { return o.i.Clamp(0.5, 1.5) },
		"I.clamp(min=1.5)":                                        func() any { return o.i.Clamp(1.5, nil) },
		"torch.clamp(I,max=1)":                                    func() any { return o.i.Clamp(nil, 1) },
		"I.pow(torch.tensor([2.,3.]))":                            func() any { return o.i.PowTensor(Of([]float32{2, 3})) },
		"2**I":                                                    func() any { return o.i.RPow(2) },
		"2.0**I":                                                  func() any { return o.i.RPow(2.0) },
		"torch.maximum(I,F)":                                      func() any { return o.i.Maximum(o.f) },
		"torch.max(I,I32)":                                        func() any { return o.i.Maximum(o.i32) },
		"torch.tensor([2.5,3.5,-2.5,0.5]).round()":                func() any { return Of([]float32{2.5, 3.5, -2.5, 0.5}).Round() },
		"F.to(torch.int64)":                                       func() any { return o.f.To(dtype.Int64) },
	}
}

// promotionOfTheRest make, read and cast tensors.
func promotionOfTheRest(o promotionOperands) map[string]func() any {
	return map[string]func() any{
		"torch.arange(0,1,0.3)":                             func() any { return Arange(0, 1, 0.3) },
		"torch.arange(5,0,-2)":                              func() any { return Arange(5, 0, -2) },
		"torch.linspace(0,1,5)":                             func() any { return Linspace(0, 1, 5) },
		"torch.equal(I,F)":                                  func() any { return o.i.Equal(o.f) },
		"torch.allclose(F,F)":                               func() any { return o.f.AllClose(o.f, 1e-5, 1e-8) },
		"torch.tensor([0.1,0.2]).sum().item()":              func() any { return Of([]float32{0.1, 0.2}).Sum().Item() },
		"torch.tensor([0.1]).item()":                        func() any { return Of([]float32{0.1}).Item() },
		"torch.tensor(5).item()":                            func() any { return Of(5).Item() },
		"torch.tensor(1).dtype":                             func() any { return Of(1).DType() },
		"torch.result_type(I,1.5)":                          func() any { return commonType(operand{t: o.i}, operand{s: scalarOf("", 1.5)}) },
		"torch.promote_types(torch.float16,torch.bfloat16)": func() any { return dtype.Promote(dtype.Float16, dtype.BFloat16) },
		"torch.promote_types(torch.uint8,torch.int8)":       func() any { return dtype.Promote(dtype.Uint8, dtype.Int8) },
		"F[0]":                func() any { return o.f.Select(0, 0) },
		"F[-1]":               func() any { return o.f.Select(0, -1) },
		"F[:1]":               func() any { return o.f.Slice(0, 0, 1) },
		"F[None]":             func() any { return o.f.Unsqueeze(0) },
		"I.new_zeros(2)":      func() any { return Like(o.i).Zeros(2) },
		"F.new_tensor([1,2])": func() any { return Like(o.f).Of([]int{1, 2}) },
		"torch.can_cast(torch.float32,torch.int32)": func() any { return dtype.CanCast(dtype.Float32, dtype.Int32) },
		"torch.can_cast(torch.int64,torch.float16)": func() any { return dtype.CanCast(dtype.Int64, dtype.Float16) },
		"torch.can_cast(torch.int64,torch.bool)":    func() any { return dtype.CanCast(dtype.Int64, dtype.Bool) },
	}
}
