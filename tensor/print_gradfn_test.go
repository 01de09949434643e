package tensor

import (
	"fmt"
	"math"
)

// rg is a fresh leaf: ones of shape [2, 3].
func rg() *Tensor { return Ones(2, 3).SetRequiresGrad(true) }

// printedGradFn maps the name of a golden with a gradient record to the value that prints it.
var printedGradFn = map[string]func() any{
	"rg":           func() any { return rg() },
	"x*2":          func() any { return rg().MulScalar(2) },
	"x.sum()":      func() any { return rg().Sum() },
	"x.mean()":     func() any { return rg().Mean() },
	"x@x.t()":      func() any { x := rg(); return x.MatMul(x.T()) },
	"detach":       func() any { return rg().Detach() },
	"x.view":       func() any { return rg().View(6) },
	"x[0]":         func() any { return rg().At(0) },
	"x.t()":        func() any { return rg().T() },
	"x+1":          func() any { return rg().AddScalar(1) },
	"x-1":          func() any { return rg().SubScalar(1) },
	"-x":           func() any { return rg().Neg() },
	"relu":         func() any { return rg().ReLU() },
	"clone":        func() any { return rg().Clone() },
	"to double":    func() any { return rg().Double() },
	"softmax":      func() any { return rg().Softmax(1) },
	"log_softmax":  func() any { return rg().LogSoftmax(1) },
	"reshape copy": func() any { return rg().T().Reshape(6) },
	"squeeze":      func() any { return rg().Squeeze() },
	"unsqueeze":    func() any { return rg().Unsqueeze(0) },
	"expand":       func() any { return rg().Expand(2, 3) },
	"permute":      func() any { return rg().Permute(1, 0) },
	"mv":           func() any { return rg().MV(Ones(3)) },
	"dot":          func() any { return rg().At(0).Dot(Ones(3)) },
	"bmm":          func() any { x := rg(); return x.Unsqueeze(0).BMM(x.T().Unsqueeze(0)) },
	"addmm":        func() any { x := rg(); return Ones(2, 2).AddMM(x, x.T()) },
	"sum dim":      func() any { return rg().SumAxes([]int{0}) },
	"mean dim":     func() any { return rg().MeanAxes([]int{0}) },
	"argmax":       func() any { return rg().ArgMax() },
	"select":       func() any { return rg().Select(0, 1) },
	"split":        func() any { return list("()", rg().Split(1, 0)...) },
	"chunk":        func() any { return list("()", rg().Chunk(2, 0)...) },
	"unbind":       func() any { return list("()", rg().Unbind(0)...) },
	"copy":         func() any { return rg().To(Copy(true)) },
	"contiguous":   func() any { return rg().T().Contiguous() },
	"rsub":         func() any { return rg().RSubScalar(1) },
	"dropout":      func() any { return rg().Dropout(1) },
	"ce":           func() any { return CrossEntropy(rg(), Of([]int{0, 0})) },
	"nll":          func() any { return NLLLoss(rg(), Of([]int{0, 0})) },
	"relu mod":     func() any { return rg().ReLU() },
	"flatten":      func() any { return rg().Unsqueeze(0).Flatten(1, -1) },

	"x**2":         func() any { return rg().Pow(2) },
	"x/2":          func() any { return rg().DivScalar(2) },
	"exp":          func() any { return rg().Exp() },
	"cat":          func() any { x := rg(); return Cat([]*Tensor{x, x}, 0) },
	"stack":        func() any { x := rg(); return Stack([]*Tensor{x, x}, 0) },
	"max":          func() any { return rg().Max() },
	"max dim":      func() any { values, indices := rg().MaxAxis(1); return pair("max", values, indices) },
	"sigmoid":      func() any { return rg().Sigmoid() },
	"tanh":         func() any { return rg().Tanh() },
	"abs":          func() any { return rg().Abs() },
	"sqrt":         func() any { return rg().Sqrt() },
	"log":          func() any { return rg().Log() },
	"clamp":        func() any { return rg().Clamp(0, 1) },
	"prod":         func() any { return rg().Prod() },
	"norm":         func() any { return rg().Norm() },
	"std":          func() any { return rg().Std() },
	"var":          func() any { return rg().Var() },
	"index":        func() any { return rg().Index(Of([]int{0})) },
	"where":        func() any { x := rg(); return Where(x.Detach().Bool(), x, 0) },
	"gather":       func() any { return rg().Gather(1, Of([][]int{{0}, {0}})) },
	"add_ inplace": func() any { return rg().Clone().AddScalarInPlace(1) },
	"mul_":         func() any { return rg().Clone().MulScalarInPlace(2) },
	"pow tensor":   func() any { x := rg(); return x.PowTensor(x) },
	"rpow":         func() any { return rg().RPow(2) },
	"rdiv":         func() any { return rg().RDivScalar(1) },
	"floor":        func() any { return rg().Floor() },
	"min":          func() any { return rg().Min() },
	"cumsum":       func() any { return rg().CumSum(0) },
	"mse":          func() any { return MSELoss(rg(), Zeros(2, 3)) },
	"l1":           func() any { return L1Loss(rg(), Zeros(2, 3)) },
	"bn":           func() any { return rg().BatchNorm(nil, nil, nil, nil, Training(true)) },
	"ln":           func() any { return rg().LayerNorm([]int{3}, nil, nil) },
	"maxpool":      func() any { return image().MaxPool2D(2) },
	"avgpool":      func() any { return image().AvgPool2D(2) },
	"conv":         func() any { return image().Conv2D(Full([]int{1, 1, 1, 1}, .7041), nil) },
	"emb":          func() any { return Embedding(Parameter(Of([][]float32{{.6472, .2490}})), Of([]int{0})) },

	"weight":      func() any { w, _ := linearOfSeed0(); return w },
	"bias":        func() any { _, b := linearOfSeed0(); return b },
	"weight.data": func() any { w, _ := linearOfSeed0(); return w.Detach() },
	"params":      func() any { w, b := linearOfSeed0(); return list("[]", w, b) },
	"net(x)":      func() any { w, b := linearOfSeed0(); return Ones(2, 3).Linear(w, b) },
	"3d lin":      func() any { w, b := linearOfSeed0(); return Ones(1, 2, 3).Linear(w, b) },
	"1d lin":      func() any { w, b := linearOfSeed0(); return Ones(3).Linear(w, b) },
	"nobias":      func() any { return Ones(2, 3).Linear(thirds(-.0790), nil) },
}

// linearOfSeed0 returns the parameters of torch.nn.Linear(3, 1) after torch.manual_seed(0).
func linearOfSeed0() (w, b *Tensor) {
	bound := 1 / math.Sqrt(3)
	g := NewGenerator(0)
	w = Parameter(Empty(1, 3).UniformInPlace(-bound, bound, g))
	b = Parameter(Empty(1).UniformInPlace(-bound, bound, g))
	return w, b
}

// thirds returns a parameter of shape [1, 3] whose elements sum to v; the seed of the recorded one is not known.
func thirds(v float64) *Tensor { return Parameter(Full([]int{1, 3}, v/3)) }

// image is a leaf of ones, two by two.
func image() *Tensor { return Ones(1, 1, 2, 2).SetRequiresGrad(true) }

// pair prints values and indices as PyTorch prints what max returns.
func pair(name string, values, indices *Tensor) string {
	return fmt.Sprintf("torch.return_types.%s(\nvalues=%v,\nindices=%v)", name, values, indices)
}
