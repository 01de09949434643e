package op

// The ops, by family.
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

	// Elementwise, one operand.
	Abs
	Neg
	Sign
	Floor
	Ceil
	Round
	Trunc
	Reciprocal
	Square
	Sqrt
	Rsqrt
	Exp
	Expm1
	Log
	Log1p
	Sin
	Cos
	Tanh
	Sigmoid
	Erf
	ReLU
	LeakyReLU
	GELU
	GELUTanh
	SiLU
	Softplus
	Clamp
	IsNaN
	LogicalNot
	BitwiseNot

	// Gradients of activations, of (dy, saved).
	TanhGrad
	SigmoidGrad
	ReLUGrad
	LeakyReLUGrad
	GELUGrad
	GELUTanhGrad
	SiLUGrad
	SoftplusGrad

	// Elementwise, two operands, either of which may be a scalar.
	Add
	Sub
	RSub
	Mul
	Div
	FloorDivide
	DivTrunc
	Remainder
	Fmod
	Pow
	PowScalar
	RPow
	Maximum
	Minimum
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	LogicalAnd
	LogicalOr
	LogicalXor
	BitwiseAnd
	BitwiseOr
	BitwiseXor

	// Elementwise, three operands.
	Where
	MaskedFill

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
	MSELoss
	MSELossGrad
	BCEWithLogits
	BCEWithLogitsGrad

	// Optimizer steps, in place on the parameter.
	SGDStep
	AdamStep

	// Count is the number of ops, Invalid included.
	Count
)

// rows gives each op its name and what grad_fn prints for it.
var rows = [Count]row{
	Invalid: {name: "invalid"},

	View:           {name: "view", grad: "ViewBackward0", view: true},
	UnsafeView:     {name: "unsafe_view", grad: "UnsafeViewBackward0", view: true},
	Transpose:      {name: "transpose", grad: "TransposeBackward0", view: true},
	T:              {name: "t", grad: "TBackward0", view: true},
	Permute:        {name: "permute", grad: "PermuteBackward0", view: true},
	Expand:         {name: "expand", grad: "ExpandBackward0", view: true},
	Squeeze:        {name: "squeeze", grad: "SqueezeBackward0", view: true},
	SqueezeAxis:    {name: "squeeze", grad: "SqueezeBackward1", view: true},
	SqueezeInPlace: {name: "squeeze_", grad: "SqueezeBackward4", view: true},
	Unsqueeze:      {name: "unsqueeze", grad: "UnsqueezeBackward0", view: true},
	Slice:          {name: "slice", grad: "SliceBackward0", view: true},
	Select:         {name: "select", grad: "SelectBackward0", view: true},
	Split:          {name: "split", grad: "SplitBackward0", view: true},
	SplitSizes:     {name: "split_with_sizes", grad: "SplitWithSizesBackward0", view: true},
	Unbind:         {name: "unbind", grad: "UnbindBackward0", view: true},
	Alias:          {name: "alias", grad: "AliasBackward0", view: true},

	Copy:        {name: "to", grad: "ToCopyBackward0"},
	Clone:       {name: "clone", grad: "CloneBackward0", composed: true},
	CopyInPlace: {name: "copy_", grad: "CopyBackwards", composed: true},
	Fill:        {name: "fill_", grad: "FillBackward0"},
	Arange:      {name: "arange"},
	Linspace:    {name: "linspace"},

	Uniform:         {name: "uniform_", grad: "UniformBackward0"},
	Normal:          {name: "normal_", grad: "NormalBackward0"},
	Bernoulli:       {name: "bernoulli_", grad: "BernoulliBackward2"},
	BernoulliTensor: {name: "bernoulli", grad: "BernoulliBackward0"},
	RandInt:         {name: "random_", grad: "RandomBackward0"},
	RandPerm:        {name: "randperm"},
	Exponential:     {name: "exponential_", grad: "ExponentialBackward0"},
	Dropout:         {name: "native_dropout", grad: "NativeDropoutBackward0", composed: true},

	Abs:        {name: "abs", grad: "AbsBackward0"},
	Neg:        {name: "neg", grad: "NegBackward0"},
	Sign:       {name: "sign", grad: "SignBackward0"},
	Floor:      {name: "floor", grad: "FloorBackward0"},
	Ceil:       {name: "ceil", grad: "CeilBackward0"},
	Round:      {name: "round", grad: "RoundBackward0"},
	Trunc:      {name: "trunc", grad: "TruncBackward0"},
	Reciprocal: {name: "reciprocal", grad: "ReciprocalBackward0"},
	Square:     {name: "square", grad: "PowBackward0"},
	Sqrt:       {name: "sqrt", grad: "SqrtBackward0"},
	Rsqrt:      {name: "rsqrt", grad: "RsqrtBackward0"},
	Exp:        {name: "exp", grad: "ExpBackward0"},
	Expm1:      {name: "expm1", grad: "Expm1Backward0"},
	Log:        {name: "log", grad: "LogBackward0"},
	Log1p:      {name: "log1p", grad: "Log1PBackward0"},
	Sin:        {name: "sin", grad: "SinBackward0"},
	Cos:        {name: "cos", grad: "CosBackward0"},
	Tanh:       {name: "tanh", grad: "TanhBackward0"},
	Sigmoid:    {name: "sigmoid", grad: "SigmoidBackward0"},
	Erf:        {name: "erf", grad: "ErfBackward0"},
	ReLU:       {name: "relu", grad: "ReluBackward0"},
	LeakyReLU:  {name: "leaky_relu", grad: "LeakyReluBackward0"},
	GELU:       {name: "gelu", grad: "GeluBackward0"},
	GELUTanh:   {name: "gelu_tanh", grad: "GeluBackward0"},
	SiLU:       {name: "silu", grad: "SiluBackward0"},
	Softplus:   {name: "softplus", grad: "SoftplusBackward0"},
	Clamp:      {name: "clamp", grad: "ClampBackward1"},
	IsNaN:      {name: "isnan"},
	LogicalNot: {name: "logical_not"},
	BitwiseNot: {name: "bitwise_not"},

	TanhGrad:      {name: "tanh_backward"},
	SigmoidGrad:   {name: "sigmoid_backward"},
	ReLUGrad:      {name: "threshold_backward"},
	LeakyReLUGrad: {name: "leaky_relu_backward"},
	GELUGrad:      {name: "gelu_backward"},
	GELUTanhGrad:  {name: "gelu_tanh_backward"},
	SiLUGrad:      {name: "silu_backward"},
	SoftplusGrad:  {name: "softplus_backward"},

	Add:         {name: "add", grad: "AddBackward0"},
	Sub:         {name: "sub", grad: "SubBackward0"},
	RSub:        {name: "rsub", grad: "RsubBackward1", composed: true},
	Mul:         {name: "mul", grad: "MulBackward0"},
	Div:         {name: "div", grad: "DivBackward0"},
	FloorDivide: {name: "floor_divide"},
	DivTrunc:    {name: "div_trunc", grad: "DivBackward2"},
	Remainder:   {name: "remainder", grad: "RemainderBackward0"},
	Fmod:        {name: "fmod", grad: "FmodBackward0"},
	Pow:         {name: "pow", grad: "PowBackward1"},
	PowScalar:   {name: "pow", grad: "PowBackward0", composed: true},
	RPow:        {name: "rpow", grad: "PowBackward2", composed: true},
	Maximum:     {name: "maximum", grad: "MaximumBackward0"},
	Minimum:     {name: "minimum", grad: "MinimumBackward0"},
	Eq:          {name: "eq"},
	Ne:          {name: "ne"},
	Lt:          {name: "lt"},
	Le:          {name: "le"},
	Gt:          {name: "gt"},
	Ge:          {name: "ge"},
	LogicalAnd:  {name: "logical_and"},
	LogicalOr:   {name: "logical_or"},
	LogicalXor:  {name: "logical_xor"},
	BitwiseAnd:  {name: "bitwise_and"},
	BitwiseOr:   {name: "bitwise_or"},
	BitwiseXor:  {name: "bitwise_xor"},

	Where:      {name: "where", grad: "WhereBackward0"},
	MaskedFill: {name: "masked_fill", grad: "MaskedFillBackward0", composed: true},

	Sum:            {name: "sum", grad: "SumBackward0"},
	SumAxes:        {name: "sum", grad: "SumBackward1"},
	Mean:           {name: "mean", grad: "MeanBackward0"},
	MeanAxes:       {name: "mean", grad: "MeanBackward1"},
	Prod:           {name: "prod", grad: "ProdBackward0"},
	ProdAxis:       {name: "prod", grad: "ProdBackward1"},
	Max:            {name: "max", grad: "MaxBackward1"},
	MaxAxis:        {name: "max", grad: "MaxBackward0"},
	Min:            {name: "min", grad: "MinBackward1"},
	MinAxis:        {name: "min", grad: "MinBackward0"},
	AMax:           {name: "amax", grad: "AmaxBackward0"},
	AMin:           {name: "amin", grad: "AminBackward0"},
	ArgMax:         {name: "argmax"},
	ArgMin:         {name: "argmin"},
	Var:            {name: "var", grad: "VarBackward0"},
	Std:            {name: "std", grad: "StdBackward0"},
	Norm:           {name: "norm", grad: "LinalgVectorNormBackward0"},
	LogSumExp:      {name: "logsumexp", grad: "LogsumexpBackward0"},
	AnyTrue:        {name: "any"},
	AllTrue:        {name: "all"},
	CountNonZero:   {name: "count_nonzero"},
	CumSum:         {name: "cumsum", grad: "CumsumBackward0"},
	Softmax:        {name: "softmax", grad: "SoftmaxBackward0"},
	SoftmaxGrad:    {name: "softmax_backward"},
	LogSoftmax:     {name: "log_softmax", grad: "LogSoftmaxBackward0"},
	LogSoftmaxGrad: {name: "log_softmax_backward"},

	ProdGrad:      {name: "prod_backward"},
	ShareGrad:     {name: "evenly_distribute_backward"},
	PickGrad:      {name: "value_selecting_reduction_backward"},
	VarGrad:       {name: "var_backward"},
	StdGrad:       {name: "std_backward"},
	NormGrad:      {name: "norm_backward"},
	LogSumExpGrad: {name: "logsumexp_backward"},
	CumSumGrad:    {name: "cumsum_backward"},

	MM:    {name: "mm", grad: "MmBackward0"},
	BMM:   {name: "bmm", grad: "BmmBackward0"},
	MV:    {name: "mv", grad: "MvBackward0"},
	Dot:   {name: "dot", grad: "DotBackward0"},
	AddMM: {name: "addmm", grad: "AddmmBackward0"},

	Cat:           {name: "cat", grad: "CatBackward0", composed: true},
	Stack:         {name: "stack", grad: "StackBackward0", composed: true},
	Gather:        {name: "gather", grad: "GatherBackward0"},
	ScatterAdd:    {name: "scatter_add", grad: "ScatterAddBackward0"},
	IndexSelect:   {name: "index_select", grad: "IndexSelectBackward0"},
	Index:         {name: "index", grad: "IndexBackward0", composed: true},
	RavelIndex:    {name: "ravel_index"},
	IndexAdd:      {name: "index_add", grad: "IndexAddBackward0"},
	MaskedSelect:  {name: "masked_select", grad: "MaskedSelectBackward0", composed: true},
	NonZero:       {name: "nonzero"},
	Sort:          {name: "sort", grad: "SortBackward0"},
	TopK:          {name: "topk", grad: "TopkBackward0"},
	Tril:          {name: "tril", grad: "TrilBackward0"},
	Triu:          {name: "triu", grad: "TriuBackward0"},
	OneHot:        {name: "one_hot"},
	Pad:           {name: "pad", grad: "ConstantPadNdBackward0", composed: true},
	Embedding:     {name: "embedding", grad: "EmbeddingBackward0"},
	EmbeddingGrad: {name: "embedding_dense_backward"},

	Conv:                  {name: "convolution", grad: "ConvolutionBackward0"},
	ConvGradInput:         {name: "convolution_backward_input"},
	ConvGradWeight:        {name: "convolution_backward_weight"},
	MaxPool2D:             {name: "max_pool2d", grad: "MaxPool2DWithIndicesBackward0"},
	MaxPool2DGrad:         {name: "max_pool2d_backward"},
	AvgPool2D:             {name: "avg_pool2d", grad: "AvgPool2DBackward0"},
	AvgPool2DGrad:         {name: "avg_pool2d_backward"},
	AdaptiveAvgPool2D:     {name: "adaptive_avg_pool2d", grad: "AdaptiveAvgPool2DBackward0"},
	AdaptiveAvgPool2DGrad: {name: "adaptive_avg_pool2d_backward"},
	BatchNorm:             {name: "batch_norm", grad: "NativeBatchNormBackward0"},
	BatchNormGrad:         {name: "batch_norm_backward"},
	LayerNorm:             {name: "layer_norm", grad: "NativeLayerNormBackward0"},
	LayerNormGrad:         {name: "layer_norm_backward"},
	NLLLoss:               {name: "nll_loss_forward", grad: "NllLossBackward0"},
	NLLLoss2D:             {name: "nll_loss2d_forward", grad: "NllLoss2DBackward0", composed: true},
	NLLLossGrad:           {name: "nll_loss_backward"},
	MSELoss:               {name: "mse_loss", grad: "MseLossBackward0"},
	MSELossGrad:           {name: "mse_loss_backward"},
	BCEWithLogits:         {name: "binary_cross_entropy_with_logits", grad: "BinaryCrossEntropyWithLogitsBackward0"},
	BCEWithLogitsGrad:     {name: "binary_cross_entropy_with_logits_backward"},

	SGDStep:  {name: "sgd_step"},
	AdamStep: {name: "adam_step"},
}
