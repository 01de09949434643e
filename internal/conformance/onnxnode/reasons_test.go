package onnxnode

const (
	drawn     = "its numbers are drawn by NumPy"
	graphs    = "it runs graphs"
	texts     = "it reads texts"
	complexes = "its numbers are complex"
	pictures  = "it finds things in pictures"
	trees     = "it reads tables of a model that is no network"
	unwritten = "nothing here composes it"
)

// reasons tell, by operator or by case, why cresset does not compute it.
var reasons = map[string]string{
	"Bernoulli": drawn, "training_dropout": drawn, "training_dropout_default": drawn, "training_dropout_default_mask": drawn,
	"training_dropout_mask": drawn,

	"If": graphs, "Loop": graphs, "Scan": graphs, "FlexAttention": graphs,

	"OptionalHasElement": "its input is optional", "OptionalGetElement": "its input is optional",

	"TfIdfVectorizer": texts, "DFT": complexes, "STFT": complexes,

	"NonMaxSuppression": pictures, "RoiAlign": pictures, "ImageDecoder": "it decodes pictures",
	"TreeEnsemble": trees, "MelWeightMatrix": trees,

	"reduce_max_empty_set": "PyTorch refuses the largest of nothing", "reduce_min_empty_set": "PyTorch refuses the least of nothing",

	"col2im_5d": "PyTorch folds two axes",

	"BitCast": "a view of another type is not there",

	"LinearAttention": unwritten, "CausalConvWithState": unwritten, "DeformConv": unwritten,
}
