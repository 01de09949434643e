package kernels

// The structs below are those of params.cuh, byte for byte; what their fields mean is told there. Addresses are of device
// memory, 0 for what is absent; strides and steps count elements; extents are innermost first.

// MaxRank is how many axes a strided kernel walks, after adjacent ones were merged.
const MaxRank = 8

// A Fault is what a kernel found wrong with its data: 32 bytes of device memory, zero while nothing is wrong. The first fault
// stays, until the host zeroes it.
type Fault struct {
	Code   FaultCode
	Tag    uint32 // the launch's
	Index  int64  // the number that is out of range
	Extent int64
	At     int64 // the element of the operand that has it
}

// A FaultCode says what kind of fault a kernel found.
type FaultCode uint32

// The kinds of faults.
const (
	NoFault          FaultCode = iota
	IndexFault                 // an index outside of 0 … Extent-1
	DivisorFault               // an integer divisor of zero
	TargetFault                // a loss's target outside of 0 … Extent-1
	ProbabilityFault           // a probability outside of [0, 1]
)

// A Report says where a kernel tells faults: the address of a Fault, and a number of the caller's choice that comes back in
// it. A kernel that may fault must have one.
type Report struct {
	Word   uint64
	Tag    uint32
	Unused uint32
}

// Elementwise is the parameter of copies, casts and elementwise functions.
type Elementwise struct {
	N         uint64
	Out       uint64
	In        [3]uint64
	Constants [3]uint64 // the bits of an operand whose address is 0
	Scalars   [2]uint64 // the op's own parameters: the bits of float64 where elements are floats, else int64
	Report    Report
	Unused    uint32
	Rank      uint32
	Extents   [MaxRank]uint32
	Strides   [4][MaxRank]int64
}

// Reduction is the parameter of reductions.
type Reduction struct {
	Outer, N, Inner uint64
	In, Out         uint64
	Index           uint64
	From, To        uint64
	Parts           uint64
	Strides         [3]int64
	Divisor         float64
}

// AccumulatorBytes is room enough for an accumulator of any reduction, which Reduction.To and From point to.
const AccumulatorBytes = 16

// Softmax is the parameter of softmax and log_softmax and of their gradients.
type Softmax struct {
	Outer, N, Inner uint64
	Out, In, Dy, Y  uint64
}

// Runs is the parameter of var, std, norm and log_sum_exp, of the gradients of reductions, and of running sums.
type Runs struct {
	Outer, N, Inner       uint64
	Out, In, Dy, Y, Index uint64
	X                     float64
	Report                Report
}

// Product is the parameter of matrix products.
type Product struct {
	Count, M, N, K                             uint64
	Out, A, B, Add                             uint64
	OutStrides, AStrides, BStrides, AddStrides [3]int64
	Alpha, Beta                                float64
}

// Draw is the parameter of random draws.
type Draw struct {
	N             uint64
	Out, In, Mask uint64
	Seed, Offset  uint64
	A, B          float64
	Range         uint64
	Low           int64
	Wide          uint32
	Width         uint32
	Report        Report
}

// Rows is the parameter of take and add_rows.
type Rows struct {
	Outer, Count, Extent, Inner uint64
	Out, In, Index              uint64
	Skip                        int64
	Report                      Report
}

// Lines is the parameter of gather and scatter_add.
type Lines struct {
	Lines, N, Extent uint64
	Out, In, Index   uint64
	Steps            [3]int64
	Report           Report
	Unused           uint32
	Rank             uint32
	Extents          [MaxRank]uint32
	Strides          [3][MaxRank]int64
}

// Triangle is the parameter of tril and triu.
type Triangle struct {
	N, Rows, Cols uint64
	Out, In       uint64
	Diagonal      int64
}

// Sort is the parameter of sorts.
type Sort struct {
	Outer, N, Inner, K  uint64
	In, InFrom          uint64
	Out, OutFrom, Index uint64
	Width               uint64
	Descending, Unused  uint32
}

// NonZero is the parameter of nonzero.
type NonZero struct {
	N, Chunk        uint64
	In, Counts, Out uint64
	Rank, Unused    uint32
	Extents         [16]uint64
}

// Range is the parameter of arange and linspace.
type Range struct {
	N, Out                uint64
	Start, Step, End      float64
	WholeStart, WholeStep int64
}

// SGD is the parameter of sgd.
type SGD struct {
	N                                 uint64
	P, Buffer, Grad                   uint64
	Rate, Decay, Momentum, Keep       float64
	Nesterov, First, Maximize, Unused uint32
}

// Adam is the parameter of adam.
type Adam struct {
	N                                                       uint64
	P, M, V, Grad                                           uint64
	Step, Root, Eps, Weight1, Beta2, Weight2, Decay, Shrink float64
	Decoupled, Maximize                                     uint32
}

// Piece is an element of the list of Pieces.
type Piece struct{ To, From, Bytes uint64 }

// Pieces is the parameter of copy_pieces and add_pieces.
type Pieces struct {
	List, Bases  uint64
	Count, Terms uint32
}
