package conformance

// absent lists the Python names that recorded cases call and cresset lacks, with the reason. A name that no case stumbles
// over any more has to leave the list.
var absent = map[string]string{}

// withoutKernel lists the operations, and the cases by their names, that run on the CPU alone, with the reason. On a GPU they must say that there is no
// kernel.
var withoutKernel = map[string]string{
	"ctc_loss": "an item's states follow each other",

	"cholesky_solve":                factorized,
	"linalg.cholesky":               factorized,
	"linalg.cond":                   factorized,
	"linalg.det":                    factorized,
	"linalg.eigh":                   factorized,
	"linalg.eigvalsh":               factorized,
	"linalg.inv":                    factorized,
	"linalg.lstsq":                  factorized,
	"linalg.pinv":                   factorized,
	"linalg.lu":                     factorized,
	"linalg.matrix_rank":            factorized,
	"linalg.qr":                     factorized,
	"linalg.slogdet":                factorized,
	"linalg.solve":                  factorized,
	"linalg.svd":                    factorized,
	"linalg.svdvals":                factorized,
	"logdet":                        factorized,
	"solve_triangular":              factorized,
	"linalg.matrix_power(n=-2)":     factorized,
	"linalg.norm(ord='nuc')":        factorized,
	"linalg.norm(ord=2,dim=[0,1])":  factorized,
	"linalg.norm(ord=-2,dim=[0,1])": factorized,
}

// looser are the operations whose results are compared to 1e-8: decompositions, and CTC's long sums.
var looser = []string{"ctc_loss"}
