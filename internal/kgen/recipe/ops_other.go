package recipe

// Other describes an op that no recipe says: its kernels are written by hand.
type Other struct {
	Op, Name   string // the constant of package op, and the name in errors
	Kernel     string // PyTorch's name of the CPU's kernel, where it is another
	Doc        string // what it computes, where the name does not tell
	GradFn     string // what PyTorch prints for its gradient; empty where it has none
	View       bool   // another layout of the same storage
	Composed   bool   // computed by the kernels of other ops
	Derivative string // the op that computes its gradient, of dy and of what was saved, where one does
}

// Others returns the ops that are written by hand, by family.
func Others() []Other { return others }

var others = []Other{
	// Views: another layout of the same storage.
	{Op: "View", Name: "view", GradFn: "ViewBackward0", View: true},
	{Op: "UnsafeView", Name: "unsafe_view", GradFn: "UnsafeViewBackward0", View: true},
	{Op: "Transpose", Name: "transpose", GradFn: "TransposeBackward0", View: true},
	{Op: "T", Name: "t", GradFn: "TBackward0", View: true},
	{Op: "Permute", Name: "permute", GradFn: "PermuteBackward0", View: true},
	{Op: "Expand", Name: "expand", GradFn: "ExpandBackward0", View: true},
	{Op: "Squeeze", Name: "squeeze", GradFn: "SqueezeBackward0", View: true},
	{Op: "SqueezeAxis", Name: "squeeze", GradFn: "SqueezeBackward1", View: true},
	{Op: "SqueezeInPlace", Name: "squeeze_", GradFn: "SqueezeBackward4", View: true},
	{Op: "Unsqueeze", Name: "unsqueeze", GradFn: "UnsqueezeBackward0", View: true},
	{Op: "Slice", Name: "slice", GradFn: "SliceBackward0", View: true},
	{Op: "Select", Name: "select", GradFn: "SelectBackward0", View: true},
	{Op: "Split", Name: "split", GradFn: "SplitBackward0", View: true},
	{Op: "SplitSizes", Name: "split_with_sizes", GradFn: "SplitWithSizesBackward0", View: true},
	{Op: "Unbind", Name: "unbind", GradFn: "UnbindBackward0", View: true},
	{Op: "Alias", Name: "alias", GradFn: "AliasBackward0", View: true},
	{Op: "Diagonal", Name: "diagonal", GradFn: "DiagonalBackward0", View: true},
	{Op: "Unfold", Name: "unfold", GradFn: "UnfoldBackward0", View: true},

	// Copies and fills.
	{Op: "Copy", Name: "to", GradFn: "ToCopyBackward0"},
	{Op: "Clone", Name: "clone", GradFn: "CloneBackward0", Composed: true},
	{Op: "CopyInPlace", Name: "copy_", GradFn: "CopyBackwards", Composed: true},
	{Op: "Fill", Name: "fill_", GradFn: "FillBackward0"},
	{Op: "Arange", Name: "arange", Kernel: "arange_cpu"},
	{Op: "Linspace", Name: "linspace", Kernel: "linspace_cpu"},

	// Random draws.
	{Op: "Uniform", Name: "uniform_", GradFn: "UniformBackward0"},
	{Op: "Normal", Name: "normal_", GradFn: "NormalBackward0"},
	{Op: "Bernoulli", Name: "bernoulli_", GradFn: "BernoulliBackward2"},
	{Op: "BernoulliTensor", Name: "bernoulli", GradFn: "BernoulliBackward0"},
	{Op: "RandInt", Name: "random_", GradFn: "RandomBackward0"},
	{Op: "RandPerm", Name: "randperm"},
	{Op: "Exponential", Name: "exponential_", GradFn: "ExponentialBackward0"},
	{Op: "Dropout", Name: "native_dropout", GradFn: "NativeDropoutBackward0", Composed: true},

	// Elementwise, by the kernels of other ops, and a choice among elements of any dtype.
	{Op: "RSub", Name: "rsub", GradFn: "RsubBackward1", Composed: true},
	{Op: "PowScalar", Name: "pow", GradFn: "PowBackward0", Composed: true},
	{Op: "RPow", Name: "rpow", GradFn: "PowBackward2", Composed: true},
	{Op: "MaskedFill", Name: "masked_fill", GradFn: "MaskedFillBackward0", Composed: true},
	{Op: "Hardtanh", Name: "hardtanh", GradFn: "HardtanhBackward0", Composed: true, Derivative: "HardtanhGrad", Doc: "Clamp, whose bounds get no gradient"},
	{Op: "ClampTensor", Name: "clamp", GradFn: "ClampBackward0", Composed: true},
	{Op: "NaNToNum", Name: "nan_to_num", GradFn: "NanToNumBackward0", Composed: true},
	{Op: "LerpScalar", Name: "lerp", GradFn: "LerpBackward0", Composed: true},
	{Op: "GLU", Name: "glu", GradFn: "GluBackward0", Composed: true},
	{Op: "Where", Name: "where", GradFn: "WhereBackward0"},

	// Reductions: over all elements, over axes.
	{Op: "Max", Name: "max", GradFn: "MaxBackward1", Derivative: "ShareGrad"},
	{Op: "MaxAxis", Name: "max", GradFn: "MaxBackward0", Derivative: "PickGrad"},
	{Op: "Min", Name: "min", GradFn: "MinBackward1", Derivative: "ShareGrad"},
	{Op: "MinAxis", Name: "min", GradFn: "MinBackward0", Derivative: "PickGrad"},
	{Op: "AMax", Name: "amax", GradFn: "AmaxBackward0", Derivative: "ShareGrad"},
	{Op: "AMin", Name: "amin", GradFn: "AminBackward0", Derivative: "ShareGrad"},
	{Op: "ArgMax", Name: "argmax"},
	{Op: "ArgMin", Name: "argmin"},
	{Op: "Var", Name: "var", GradFn: "VarBackward0"},
	{Op: "Std", Name: "std", GradFn: "StdBackward0", Derivative: "StdGrad"},
	{Op: "Median", Name: "median", GradFn: "MedianBackward0", Composed: true, Derivative: "ShareGrad"},
	{Op: "MedianAxis", Name: "median", GradFn: "MedianBackward1", Composed: true, Derivative: "PickGrad"},
	{Op: "NaNMedian", Name: "nanmedian", GradFn: "NanmedianBackward0", Composed: true, Derivative: "ShareGrad"},
	{Op: "NaNMedianAxis", Name: "nanmedian", GradFn: "NanmedianBackward1", Composed: true, Derivative: "PickGrad"},
	{Op: "KthValue", Name: "kthvalue", GradFn: "KthvalueBackward0", Composed: true, Derivative: "PickGrad"},
	{Op: "Mode", Name: "mode", GradFn: "ModeBackward0", Composed: true, Derivative: "PickGrad"},
	{Op: "NaNSum", Name: "nansum", GradFn: "NansumBackward0", Composed: true},
	{Op: "Norm", Name: "norm", GradFn: "LinalgVectorNormBackward0", Derivative: "NormGrad"},
	{Op: "LogSumExp", Name: "logsumexp", GradFn: "LogsumexpBackward0", Derivative: "LogSumExpGrad"},
	{Op: "Softmax", Name: "softmax", GradFn: "SoftmaxBackward0", Derivative: "SoftmaxGrad"},
	{Op: "SoftmaxGrad", Name: "softmax_backward"},
	{Op: "LogSoftmax", Name: "log_softmax", GradFn: "LogSoftmaxBackward0", Derivative: "LogSoftmaxGrad"},
	{Op: "LogSoftmaxGrad", Name: "log_softmax_backward"},

	// Scans whose result is not one accumulator.
	{Op: "CumMax", Name: "cummax", GradFn: "CummaxBackward0"},
	{Op: "CumMin", Name: "cummin", GradFn: "CumminBackward0"},
	{Op: "LogCumSumExp", Name: "logcumsumexp", GradFn: "LogcumsumexpBackward0"},

	// Gradients of reductions, of (dy, a value of the reduced shape, the operand); PickGrad of (dy, index), CumSumGrad of dy.
	{Op: "ProdGrad", Name: "prod_backward"},
	{Op: "ShareGrad", Name: "evenly_distribute_backward"},
	{Op: "PickGrad", Name: "value_selecting_reduction_backward"},
	{Op: "VarGrad", Name: "var_backward"},
	{Op: "StdGrad", Name: "std_backward"},
	{Op: "NormGrad", Name: "norm_backward"},
	{Op: "LogSumExpGrad", Name: "logsumexp_backward"},
	{Op: "CumSumGrad", Name: "cumsum_backward"},

	// Products.
	{Op: "MM", Name: "mm", GradFn: "MmBackward0"},
	{Op: "BMM", Name: "bmm", GradFn: "BmmBackward0"},
	{Op: "MV", Name: "mv", GradFn: "MvBackward0"},
	{Op: "Dot", Name: "dot", GradFn: "DotBackward0"},
	{Op: "AddMM", Name: "addmm", GradFn: "AddmmBackward0"},

	// Joining, indexing and masks.
	{Op: "Cat", Name: "cat", GradFn: "CatBackward0", Composed: true},
	{Op: "CatOn", Name: "gather", GradFn: "GatherBackward", Composed: true},
	{Op: "Broadcast", Name: "broadcast", GradFn: "BroadcastBackward", Composed: true},
	{Op: "Function", Name: "function", Composed: true},
	{Op: "Stack", Name: "stack", GradFn: "StackBackward0", Composed: true},
	{Op: "Gather", Name: "gather", GradFn: "GatherBackward0"},
	{Op: "ScatterAdd", Name: "scatter_add", GradFn: "ScatterAddBackward0"},
	{Op: "Scatter", Name: "scatter", GradFn: "ScatterBackward0"},
	{Op: "ScatterValue", Name: "scatter", GradFn: "ScatterBackward1", Composed: true},
	{Op: "ScatterReduce", Name: "scatter_reduce", GradFn: "ScatterReduceBackward0", Composed: true},
	{Op: "ScatterProd", Name: "scatter_reduce"},
	{Op: "ScatterAMax", Name: "scatter_reduce"},
	{Op: "ScatterAMin", Name: "scatter_reduce"},
	{Op: "MaskedScatter", Name: "masked_scatter", GradFn: "MaskedScatterBackward0", Composed: true},
	{Op: "SelectScatter", Name: "select_scatter", GradFn: "SelectScatterBackward0", Composed: true},
	{Op: "SliceScatter", Name: "slice_scatter", GradFn: "SliceScatterBackward0", Composed: true},
	{Op: "IndexCopy", Name: "index_copy", GradFn: "IndexCopyBackward0"},
	{Op: "IndexFill", Name: "index_fill", GradFn: "IndexFillBackward0", Composed: true},
	{Op: "IndexPut", Name: "index_put", GradFn: "IndexPutBackward0", Composed: true},
	{Op: "SetIndex", Name: "index_put_", GradFn: "CopySlices", Composed: true},
	{Op: "IndexSelect", Name: "index_select", GradFn: "IndexSelectBackward0"},
	{Op: "Index", Name: "index", GradFn: "IndexBackward0", Composed: true},
	{Op: "RavelIndex", Name: "ravel_index"},
	{Op: "IndexAdd", Name: "index_add", GradFn: "IndexAddBackward0"},
	{Op: "MaskedSelect", Name: "masked_select", GradFn: "MaskedSelectBackward0", Composed: true},
	{Op: "NonZero", Name: "nonzero"},
	{Op: "Sort", Name: "sort", GradFn: "SortBackward0"},
	{Op: "TopK", Name: "topk", GradFn: "TopkBackward0"},
	{Op: "SearchSorted", Name: "searchsorted"},
	{Op: "Tril", Name: "tril", GradFn: "TrilBackward0"},
	{Op: "Triu", Name: "triu", GradFn: "TriuBackward0"},
	{Op: "OneHot", Name: "one_hot"},
	{Op: "Pad", Name: "pad", GradFn: "ConstantPadNdBackward0", Composed: true},
	{Op: "Embedding", Name: "embedding", GradFn: "EmbeddingBackward0"},
	{Op: "EmbeddingGrad", Name: "embedding_dense_backward"},

	// Rearrangements, by copies.
	{Op: "Roll", Name: "roll", GradFn: "RollBackward0", Composed: true},
	{Op: "Flip", Name: "flip", GradFn: "FlipBackward0", Composed: true},
	{Op: "Rot90", Name: "rot90", GradFn: "Rot90Backward0", Composed: true},
	{Op: "Repeat", Name: "repeat", GradFn: "RepeatBackward0", Composed: true},
	{Op: "DiagEmbed", Name: "diag_embed", GradFn: "DiagEmbedBackward0", Composed: true},
	{Op: "BlockDiag", Name: "block_diag", GradFn: "BlockDiagBackward0", Composed: true},
	{Op: "Trace", Name: "trace", GradFn: "TraceBackward0", Composed: true},

	// Layers.
	{Op: "Conv", Name: "convolution", GradFn: "ConvolutionBackward0"},
	{Op: "ConvGradInput", Name: "convolution_backward_input"},
	{Op: "ConvGradWeight", Name: "convolution_backward_weight"},
	{Op: "MaxPool2D", Name: "max_pool2d", GradFn: "MaxPool2DWithIndicesBackward0", Derivative: "MaxPool2DGrad"},
	{Op: "MaxPool2DGrad", Name: "max_pool2d_backward"},
	{Op: "AdaptiveMaxPool2D", Name: "adaptive_max_pool2d", GradFn: "AdaptiveMaxPool2DBackward0", Derivative: "AdaptiveMaxPool2DGrad"},
	{Op: "AdaptiveMaxPool2DGrad", Name: "adaptive_max_pool2d_backward"},
	{Op: "AvgPool2D", Name: "avg_pool2d", GradFn: "AvgPool2DBackward0", Derivative: "AvgPool2DGrad"},
	{Op: "AvgPool2DGrad", Name: "avg_pool2d_backward"},
	{Op: "AdaptiveAvgPool2D", Name: "adaptive_avg_pool2d", GradFn: "AdaptiveAvgPool2DBackward0", Derivative: "AdaptiveAvgPool2DGrad"},
	{Op: "AdaptiveAvgPool2DGrad", Name: "adaptive_avg_pool2d_backward"},
	{Op: "BatchNorm", Name: "batch_norm", GradFn: "NativeBatchNormBackward0"},
	{Op: "BatchNormGrad", Name: "batch_norm_backward"},
	{Op: "GroupNorm", Name: "group_norm", GradFn: "NativeGroupNormBackward0"},
	{Op: "LayerNorm", Name: "layer_norm", GradFn: "NativeLayerNormBackward0"},
	{Op: "LayerNormGrad", Name: "layer_norm_backward"},
	{Op: "RNN", Name: "rnn", Composed: true},
	{Op: "GRU", Name: "gru", Composed: true},
	{Op: "LSTM", Name: "lstm", Composed: true},
	{Op: "NLLLoss", Name: "nll_loss_forward", GradFn: "NllLossBackward0", Derivative: "NLLLossGrad"},
	{Op: "NLLLoss2D", Name: "nll_loss2d_forward", GradFn: "NllLoss2DBackward0", Composed: true, Derivative: "NLLLossGrad"},
	{Op: "NLLLossGrad", Name: "nll_loss_backward"},
	{Op: "CrossEntropy", Name: "cross_entropy_loss", GradFn: "NllLossBackward0", Doc: "NLLLoss of LogSoftmax"},
	{Op: "CrossEntropyGrad", Name: "cross_entropy_loss_backward"},
	{Op: "CTCLoss", Name: "ctc_loss", GradFn: "CtcLossBackward0"},
	{Op: "CTCLossGrad", Name: "ctc_loss_backward"},
	{Op: "BCE", Name: "binary_cross_entropy", GradFn: "BinaryCrossEntropyBackward0", Composed: true},

	// Linear algebra: factors of matrices, and what is made of them.
	{Op: "Cholesky", Name: "linalg_cholesky", GradFn: "LinalgCholeskyExBackward0"},
	{Op: "SolveTriangular", Name: "linalg_solve_triangular", GradFn: "LinalgSolveTriangularBackward0"},
	{Op: "LUFactor", Name: "linalg_lu_factor", Doc: "L and U in one matrix, the order of the rows and its sign"},
	{Op: "LUSolve", Name: "linalg_lu_solve"},
	{Op: "QR", Name: "linalg_qr", GradFn: "LinalgQrBackward0"},
	{Op: "Eigh", Name: "linalg_eigh", GradFn: "LinalgEighBackward0"},
	{Op: "SVD", Name: "linalg_svd", GradFn: "LinalgSvdBackward0"},
	{Op: "LU", Name: "linalg_lu", GradFn: "LinalgLuBackward0", Composed: true},
	{Op: "Solve", Name: "linalg_solve", GradFn: "LinalgSolveExBackward0", Composed: true},
	{Op: "Inv", Name: "linalg_inv", GradFn: "LinalgInvExBackward0", Composed: true},
	{Op: "Det", Name: "linalg_det", GradFn: "LinalgDetBackward0", Composed: true},
	{Op: "SlogDet", Name: "linalg_slogdet", GradFn: "LinalgSlogdetBackward0", Composed: true},
	{Op: "Pinv", Name: "linalg_pinv", GradFn: "LinalgPinvBackward0", Composed: true},

	// Optimizer steps, in place on the parameter.
	{Op: "SGDStep", Name: "sgd_step"},
	{Op: "AdamStep", Name: "adam_step"},
}
