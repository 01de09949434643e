package op

// The ops that are written by hand, by family.
const (
	Invalid Op = iota

	// Views: another layout of the same storage.
	View
	UnsafeView
	Transpose
	T
	Permute
	Expand
	Squeeze
	SqueezeAxis
	SqueezeInPlace
	Unsqueeze
	Slice
	Select
	Split
	SplitSizes
	Unbind
	Alias

	// Copies and fills.
	Copy
	Clone
	CopyInPlace
	Fill
	Arange
	Linspace

	// Random draws.
	Uniform
	Normal
	Bernoulli
	BernoulliTensor
	RandInt
	RandPerm
	Exponential
	Dropout

	// Elementwise, by the kernels of other ops, and a choice among elements of any dtype.
	RSub
	PowScalar
	RPow
	MaskedFill
	Where

	// Reductions: over all elements, over axes.
	Sum
	SumAxes
	Mean
	MeanAxes
	Prod
	ProdAxis
	Max
	MaxAxis
	Min
	MinAxis
	AMax
	AMin
	ArgMax
	ArgMin
	Var
	Std
	Norm
	LogSumExp
	AnyTrue
	AllTrue
	CountNonZero
	CumSum
	Softmax
	SoftmaxGrad
	LogSoftmax
	LogSoftmaxGrad

	// Gradients of reductions, of (dy, a value of the reduced shape, the operand); PickGrad of (dy, index), CumSumGrad of dy.
	ProdGrad
	ShareGrad
	PickGrad
	VarGrad
	StdGrad
	NormGrad
	LogSumExpGrad
	CumSumGrad

	// Products.
	MM
	BMM
	MV
	Dot
	AddMM

	// Joining, indexing and masks.
	Cat
	CatOn
	Broadcast
	Stack
	Gather
	ScatterAdd
	IndexSelect
	Index
	RavelIndex
	IndexAdd
	MaskedSelect
	NonZero
	Sort
	TopK
	Tril
	Triu
	OneHot
	Pad
	Embedding
	EmbeddingGrad

	// Layers.
	Conv
	ConvGradInput
	ConvGradWeight
	MaxPool2D
	MaxPool2DGrad
	AvgPool2D
	AvgPool2DGrad
	AdaptiveAvgPool2D
	AdaptiveAvgPool2DGrad
	BatchNorm
	BatchNormGrad
	LayerNorm
	LayerNormGrad
	NLLLoss
	NLLLoss2D
	NLLLossGrad
	CrossEntropy // NLLLoss of LogSoftmax
	CrossEntropyGrad

	// Optimizer steps, in place on the parameter.
	SGDStep
	AdamStep

	elementwise // the first of those that internal/kgen writes
)
