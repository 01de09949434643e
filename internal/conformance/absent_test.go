package conformance

// absent lists the Python names that recorded cases call and cresset lacks, with the reason. A name that no case stumbles
// over any more has to leave the list.
var absent = map[string]string{
	// Pointwise.
	"torch.digamma": notThere,
	"torch.lgamma":  notThere,

	// Reductions.
	"torch.kthvalue":           notThere,
	"torch.linalg.norm":        notThere,
	"torch.median":             notThere,
	"torch.mode":               notThere,
	"torch.nanmedian":          notThere,
	"torch.nanquantile":        notThere,
	"torch.quantile":           notThere,
	"torch.unique":             notThere,
	"torch.unique_consecutive": notThere,

	// Indexing.
	"F.embedding":           notThere,
	"F.embedding_bag":       notThere,
	"Tensor.index_add":      notThere,
	"Tensor.index_copy":     notThere,
	"Tensor.index_fill":     notThere,
	"Tensor.index_put":      notThere,
	"Tensor.index_reduce":   notThere,
	"Tensor.masked_scatter": notThere,
	"Tensor.scatter":        notThere,
	"Tensor.scatter_reduce": notThere,
	"operator.getitem":      notThere,
	"slice":                 notThere,
	"torch.bucketize":       notThere,
	"torch.searchsorted":    notThere,
	"torch.select_scatter":  notThere,
	"torch.slice_scatter":   notThere,
	"torch.take":            notThere,
	"torch.take_along_dim":  notThere,

	// Products.
	"torch.linalg.cholesky":         notThere,
	"torch.linalg.cond":             notThere,
	"torch.linalg.cross":            notThere,
	"torch.linalg.det":              notThere,
	"torch.linalg.eigh":             notThere,
	"torch.linalg.eigvalsh":         notThere,
	"torch.linalg.inv":              notThere,
	"torch.linalg.lstsq":            notThere,
	"torch.linalg.lu":               notThere,
	"torch.linalg.matrix_exp":       notThere,
	"torch.linalg.matrix_norm":      notThere,
	"torch.linalg.matrix_power":     notThere,
	"torch.linalg.matrix_rank":      notThere,
	"torch.linalg.multi_dot":        notThere,
	"torch.linalg.pinv":             notThere,
	"torch.linalg.qr":               notThere,
	"torch.linalg.slogdet":          notThere,
	"torch.linalg.solve":            notThere,
	"torch.linalg.solve_triangular": notThere,
	"torch.linalg.svd":              notThere,
	"torch.linalg.svdvals":          notThere,
	"torch.linalg.vander":           notThere,
	"torch.linalg.vector_norm":      notThere,
	"torch.logdet":                  notThere,

	// Activations.

	// Layers.
	"F.affine_grid":                  notThere,
	"F.fold":                         notThere,
	"F.grid_sample":                  notThere,
	"F.max_unpool2d":                 notThere,
	"F.scaled_dot_product_attention": notThere,
	"F.unfold":                       notThere,
}

const notThere = "cresset has no such function"

// withoutKernel lists the operations that run on the CPU alone, with the reason. On a GPU they must say that there is no
// kernel.
var withoutKernel = map[string]string{
	"ctc_loss": "an item's states follow each other",
}

// looser are the operations whose results are compared to 1e-8: decompositions, and CTC's long sums.
var looser = []string{"ctc_loss"}
