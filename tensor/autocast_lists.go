package tensor

// autocastList says in which dtype an op computes under Autocast.
type autocastList uint8

const (
	unlisted  autocastList = iota // that of its operands
	inLower                       // that of Autocast
	inFloat32                     // float32
	inWidest                      // float32 where an operand has it, else that of Autocast
	banned                        // none: it is refused
)

const bannedText = "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n" +
	"Many models use a sigmoid layer right before the binary cross entropy layer.\n" +
	"In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n" +
	"or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n" +
	"safe to autocast."

// autocastLists are PyTorch's lists for CPUs and for GPUs, by PyTorch's names (aten/src/ATen/autocast_mode). Ops that PyTorch makes of
// listed ones stand here where they are one op; those of the list that promotes are missing which promote without Autocast too.
var autocastLists = func() map[string][sides]autocastList {
	lists := map[string][sides]autocastList{"binary_cross_entropy": {inFloat32, banned}}
	put := func(onCPU, onGPU autocastList, names ...string) {
		for _, name := range names {
			lists[name] = [sides]autocastList{onCPU, onGPU}
		}
	}
	put(inLower, inLower,
		"mm", "bmm", "addmm", "addbmm", "baddbmm", "matmul", "linear", "convolution", "conv_transpose", "prelu", "linalg_multi_dot",
		"scaled_dot_product_attention", "lstm")
	put(unlisted, inLower, "mv", "addmv", "addr", "einsum")
	put(inFloat32, inLower, "rnn", "gru", "lstm_cell") // a CPU adds to a float32 state what products in the lower dtype give
	put(inFloat32, inFloat32,
		"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "nll_loss", "cross_entropy", "kl_div", "binary_cross_entropy_with_logits",
		"poisson_nll_loss", "cosine_embedding_loss", "hinge_embedding_loss", "margin_ranking_loss", "soft_margin_loss", "triplet_margin_loss",
		"multi_margin_loss", "multilabel_margin_loss", "cdist", "prod")
	put(unlisted, inFloat32,
		"acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p", "reciprocal", "rsqrt", "sinh", "tan", "pow",
		"softplus", "layer_norm", "group_norm", "rms_norm", "cosine_similarity", "pdist", "logsumexp", "upsample",
		"softmax", "log_softmax", "cumprod", "cumsum", "norm", "sum")
	put(inFloat32, unlisted,
		"avg_pool3d", "max_pool3d", "adaptive_avg_pool3d", "adaptive_max_pool3d", "max_unpool2d", "max_unpool3d", "reflection_pad",
		"replication_pad", "quantile", "nanquantile", "trace", "ctc_loss", "linalg_cholesky", "linalg_solve", "linalg_inv", "linalg_inv_ex",
		"linalg_qr", "linalg_eigh", "linalg_eigvalsh", "linalg_svd", "linalg_svdvals", "linalg_lstsq")
	put(inFloat32, inWidest, "grid_sampler")
	put(inWidest, unlisted, "index_copy")
	put(unlisted, inWidest, "bilinear", "dot", "index_put", "tensordot", "scatter_add")
	return lists
}()
