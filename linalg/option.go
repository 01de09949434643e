package linalg

// TriangleOption is an option of Cholesky, CholeskySolve, Eigh and EigvalsH: Upper.
type TriangleOption interface{ triangleOption() }

// TriangularOption is an option of SolveTriangular: Upper, Left or UniTriangular.
type TriangularOption interface{ triangularOption() }

// SolveOption is an option of Solve: Left.
type SolveOption interface{ solveOption() }

// Upper is about the upper triangle of a matrix; unless given it is the lower one that is read, computed or meant.
type Upper bool

// Left solves a·x = b, as is done unless given; Left(false) solves x·a = b.
type Left bool

// UniTriangular takes the elements on the diagonal for ones, without reading them.
type UniTriangular bool

// FullMatrices makes SVD complete its bases, as it does unless FullMatrices(false) is given.
type FullMatrices bool

func (Upper) triangleOption()           {}
func (Upper) triangularOption()         {}
func (Left) triangularOption()          {}
func (UniTriangular) triangularOption() {}
func (Left) solveOption()               {}

// upper reports whether Upper(true) is the last option.
func upper(opts []TriangleOption) bool {
	is := false
	for _, o := range opts {
		is = bool(o.(Upper))
	}
	return is
}

// Mode is what QR computes.
type Mode string

// The modes of QR. Of a matrix [m, n] with k = min(m, n):
const (
	Reduced  Mode = "reduced"  // q is [m, k] and r [k, n]
	Complete Mode = "complete" // q is [m, m] and r [m, n]
	R        Mode = "r"        // q is empty and r [k, n]
)
