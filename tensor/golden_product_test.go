package tensor

func matmulGolden(in []*Tensor) []*Tensor { return []*Tensor{in[0].MatMul(in[1])} }

var goldenProducts = map[string]goldenOp{
	"matmul: [3, 4] @ [4, 5]":          matmulGolden,
	"matmul: [4] @ [4]":                matmulGolden,
	"matmul: [3, 4] @ [4]":             matmulGolden,
	"matmul: [4] @ [4, 5]":             matmulGolden,
	"matmul: [2, 3, 4] @ [4, 5]":       matmulGolden,
	"matmul: [2, 3, 4] @ [2, 4, 5]":    matmulGolden,
	"matmul: [2, 1, 3, 4] @ [5, 4, 2]": matmulGolden,
	"matmul: [4] @ [2, 4, 5]":          matmulGolden,

	"addmm":                   func(in []*Tensor) []*Tensor { return []*Tensor{in[0].AddMM(in[1], in[2])} },
	"addmm(beta=0.5,alpha=2)": func(in []*Tensor) []*Tensor { return []*Tensor{in[0].AddMMScaled(in[1], in[2], 0.5, 2)} },
	"outer":                   func(in []*Tensor) []*Tensor { return []*Tensor{in[0].Outer(in[1])} },
	"linear":                  func(in []*Tensor) []*Tensor { return []*Tensor{in[0].Linear(in[1], in[2])} },
}
