package kernels

// Every kernel takes one of these structs by value; go generate writes params.cuh from them, where fields begin in lower case.
// Addresses are those of a view's element 0 in device memory, 0 for what is absent. Strides and steps count elements. Extents
// are innermost first, so that a loop over them ends at the rank without knowing it beforehand. Which struct a kernel takes,
// and which grid, stands with the kernel.

// MaxRank is how many axes a strided kernel walks, after adjacent ones were merged.
const MaxRank = 8

// Fault is in the device's memory, zero but for the flag while nothing is wrong; the first thread that finds something wrong fills it,
// and sets the flag. The host reads it after the device has finished, and zeroes it before it launches anything more.
type Fault struct {
	Code   FaultCode
	Tag    uint32 // the launch's
	Index  int64  // the number that is out of range
	Extent int64
	At     int64  // the element of the operand that has it
	Flag   uint64 // the address of a word in host memory; 0 for none
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

// A Report says where a kernel tells what is wrong with its data: the address of a Fault, and a number of the caller's choice
// that comes back in it. After a fault a kernel goes on without the access that would have been wrong.
type Report struct {
	Word   uint64
	Tag    uint32
	Unused uint32
}

// TensorMap tells the TMA of a tensor. A struct has its maps at offsets that 64 divides, as it divides the struct's size.
type TensorMap [128]byte

// Elementwise is the parameter of copies, casts and elementwise functions: out[i] = f(in[0][i], in[1][i], in[2][i]) for
// i < n. With rank 0 all operands lie contiguously; otherwise n < 2**32, and operand k (0 is out) has strides[k]. An address of
// 0 stands for a constant, whose bits are in constants.
type Elementwise struct {
	N         uint64
	Out       uint64
	In        [3]uint64
	Constants [3]uint64
	Scalars   [2]uint64 // the op's own parameters: the bits of float64 where elements are floats, else int64
	Report    Report
	Lanes     uint32 // elements that can be moved at once, 16 bytes of the widest; 1 where operands do not lie for it
	Rank      uint32
	Extents   [MaxRank]uint32
	Strides   [4][MaxRank]int64
}

// Reduction is the parameter of reductions: out[o][i] = the reduction of in[o][k][i] over k < n. Accumulators may be left in
// memory instead (to) or be the input (from), so that a long run can be reduced in parts and the parts joined.
type Reduction struct {
	Outer, N, Inner uint64
	In, Out         uint64
	Index           uint64   // of the extreme element, where the reduction has one; 0 where it is not wanted
	From, To        uint64   // accumulators of parts; 0 where there are none
	Parts, Part     uint64   // of a run, and elements of a part; 1 is the whole
	Strides         [3]int64 // of in, along outer, n and inner
	Total           uint64   // the elements of a run, where n is the number of its parts
	Counter         uint64   // 0, or one more than the first of the counters of last.cuh, where the last block of a column joins the parts
}

// MostCounts is how many counters a module has for blocks whose last one joins parts: last.cuh.
const MostCounts = 12 << 10

// AccumulatorBytes is room enough for an accumulator of any reduction or scan, which Reduction's and Scan's To and From point to.
const AccumulatorBytes = 16

// Softmax is the parameter of softmax and log_softmax and of their gradients: runs of n elements in [outer][n][inner], all
// operands contiguous. Forward: out of in. Backward: out of dy and the result y.
type Softmax struct {
	Outer, N, Inner uint64
	Out, In, Dy, Y  uint64
}

// Scan is the parameter of scans of runs of n elements in [outer][n][inner], all operands contiguous: out, and for running extremes their
// places in index, of in; dy has an element for each run. A run has so many parts, each but the last of part elements. Where to is
// not 0 the launch stores nothing but the accumulator of each part of each run there, [parts][outer][inner]; where from is not 0 those of
// the parts before come first.
type Scan struct {
	Outer, N, Inner    uint64
	Out, In, Dy, Index uint64
	Parts, Part        uint64
	To, From           uint64
}

// Runs is the parameter of var, std, norm and log_sum_exp, and of the gradients of reductions: runs of n elements in
// [outer][n][inner], all operands contiguous; dy, y and index have an element for each run. x is the kernel's own parameter.
type Runs struct {
	Outer, N, Inner       uint64
	Out, In, Dy, Y, Index uint64
	X                     float64
	Report                Report
}

// An Activation is what a product's elements y pass through on their way out: a function of them, or the gradient of that function, of
// y, which is dy then, and of x.
type Activation uint32

// The activations, in the order of their gradients, which take them by their distance.
const (
	Identity Activation = iota
	Relu
	Gelu
	GeluTanh
	Silu
	ReluGrad
	GeluGrad
	GeluTanhGrad
	SiluGrad
)

// A Joining is what becomes of a product's elements z behind their activation, and of those of other.
type Joining uint32

// The joinings. Gated is of the gradient of f(x)·other, f being the function whose gradient the activation is: y·f(x) goes to aside, and the
// gradient of y·other goes on. Widened has no activation: out is of float32, as is other, which is added where it is given.
const (
	Unjoined Joining = iota
	Added
	Multiplied
	Gated
	Widened
)

// Product is the parameter of matrix products: y = alpha·a·b + beta·add for count matrices, a of [m][k], b of [k][n], and what follows, each
// step rounded as an op of its own: out = joined(activation(y, x), other). Strides are along the batch, rows and columns; add is 0
// where there is none, and has strides of 0 where it is broadcast; x, other and aside lie as out does. Aside takes y, where it is not 0. Tiles
// may divide the common axis into parts, each but the last of so many elements: where there are more than one, their products go to partials,
// [parts][count][m][n], which the block of a tile that ends last adds and finishes, or product_join, for which part is how many elements lie apart.
// Where `whole` is not 0 so many tiles, the first, are not divided, and partials are [tiles][parts][rows][columns] of the others.
type Product struct {
	Count, M, N, K                             uint64
	Out, A, B, Add                             uint64
	OutStrides, AStrides, BStrides, AddStrides [3]int64
	Alpha, Beta                                float64
	Parts, Part                                uint64
	Whole                                      uint64
	Activation                                 Activation
	Joining                                    Joining
	X, Other, Aside                            uint64
	Partials                                   uint64
	Counter                                    uint64 // 0, or one more than the first of the counters of last.cuh, one for each tile, where its last block adds the parts
}

// MappedProduct is the parameter of product_wgmma and product_tcgen05: a product, and maps of its operands and its result in boxes of 64 by 64, whose third axis
// is the batch. The fastest axis is that along which an operand lies.
type MappedProduct struct {
	MapA, MapB, MapOut TensorMap
	Product            Product
	BatchA, BatchB     uint32 // 0 where all matrices are the same, else 1
}

// Draw is the parameter of random draws: n random elements, contiguous, from the Philox generator of seed, counter offset/4.
// in is a probability for each element, or Dropout's operand; mask Dropout's second result.
type Draw struct {
	N             uint64
	Out, In, Mask uint64
	Seed, Offset  uint64
	A, B          float64 // the distribution's parameters
	Range         uint64  // RandInt: draws are low + a word modulo range
	Low           int64
	Wide          uint32 // RandInt: words of 64 bits
	Width         uint32 // Dropout: elements of a thread, 1, 2 or 4
	Residual      uint64 // Dropout: what is added; 0 for nothing
	Report        Report
}

// Rows is the parameter of take, add_rows, put_rows and the _sorted kernels: rows of inner elements in [outer][extent][inner], chosen by
// count indexes. Taking: out[o][i] = in[o][index[i]]. Adding: out[o][index[i]] += in[o][i]. All contiguous. Sorted holds the
// indexes in order, places where each stood, and joined, of chunks of SortedChunk of them that name one place, what is joined of each column.
type Rows struct {
	Outer, Count, Extent, Inner uint64
	Out, In, Index              uint64
	Sorted, Places, Joined      uint64
	Skip                        int64 // an index that nothing is added to; -1 is none
	Report                      Report
	Level, Unused               uint32 // of chunks, from 0 on
}

// Lines is the parameter of gather and scatters: lines along one axis of operands of any strides: there are `lines`, fewer than
// 2**32, of n indexes each; extents and strides are those of the other axes. Operand 0 is out, 1 is in, 2 the index. Gather: out[i] =
// in[index[i]]; ScatterAdd: out[index[i]] += in[i]. sorted, places and joined are those of Rows, [lines][n] and
// [lines][n/SortedChunk], of the kernels that take these.
type Lines struct {
	Lines, N, Extent uint64
	Out, In, Index   uint64
	Sorted, Places   uint64
	Joined           uint64
	Steps            [3]int64 // along the axis
	Report           Report
	Level            uint32 // of chunks, from 0 on
	Rank             uint32
	Extents          [MaxRank]uint32
	Strides          [3][MaxRank]int64
}

// Triangle is the parameter of tril and triu: out[b][r][c] = in[b][r][c] below or above a diagonal, zero elsewhere, for n
// elements in all.
type Triangle struct {
	N, Rows, Cols uint64
	Out, In       uint64
	Diagonal      int64
}

// Rotation is the parameter of rotate: of each row of in the elements i and i + points, i < points, are turned by the angle whose cosine and sine
// stand at i of the row's tables, and rest elements behind them are copied. Each of n items, fewer than 2**32, is lanes pairs or lanes elements that are copied;
// operand 0 is out, 1 is in, 2 and 3 are cosines and sines. Extents and strides are those of the axes of rows.
type Rotation struct {
	N            uint64
	Out, In      uint64
	Cosines      uint64
	Sines        uint64
	Points, Rest uint32
	Lanes        uint32   // elements that are moved at once, 16 bytes of the widest, where all operands lie for it; else 1
	Back         uint32   // 1 for the angles with their signs changed
	Steps        [4]int64 // along rows
	Unused       uint32
	Rank         uint32
	Extents      [MaxRank]uint32
	Strides      [4][MaxRank]int64
}

// Sort is the parameter of sorts: lines of n elements of [outer][n][inner], of whose sorted elements the first k go to out
// and their places in the line to index, both [outer][k][inner]. Where index is 0 all of them go to out and, as uint32, to
// outFrom, line by line; where inFrom is not 0, that is how in and inFrom lie. Runs have width elements: a power of two. In a radix
// sort a tile counts its elements of each digit, of the bits of keys from shift on, in counts [lines][digits][tiles], int32, and
// offsets are the running sums of these along a line, int64. most is the largest key of integers from 0 on, as which larger and negative
// ones count, or 0 for keys of any size. top_parts cuts lines into so many parts, each but the last of part elements.
type Sort struct {
	Outer, N, Inner, K  uint64
	In, InFrom          uint64
	Out, OutFrom, Index uint64
	Width               uint64
	Counts, Offsets     uint64
	Most                uint64
	Parts, Part         uint64
	Descending, Shift   uint32
}

// RadixTile is how many elements a block of a radix sort takes at once.
const RadixTile = 4096

// Search is the parameter of search: for each of n values, count to a line, how many of the extent elements of a sorted line are less or,
// with right, not larger. There are as many sorted lines as lines of values; a count of 0 says that there is one for all.
type Search struct {
	N, Count, Extent uint64
	Out, In, Sorted  uint64
	Right, Unused    uint32
}

// NonZero is the parameter of nonzero: the indexes of the true elements of a contiguous mask of n elements, a row of rank
// each, outermost first. counts has a number for each chunk of the mask. Extents are outermost first, and all axes count.
type NonZero struct {
	N, Chunk        uint64
	In, Counts, Out uint64
	Rank, Unused    uint32
	Extents         [16]uint64
}

// Range is the parameter of arange and linspace: Arange's start + i·step, in whole numbers for integers; Linspace's n equal
// steps from start to end.
type Range struct {
	N, Out                uint64
	Start, Step, End      float64
	WholeStart, WholeStep int64
}

// SGD is the parameter of sgd and sgd_all: one step of n parameters. buffer is 0 without momentum. rate is -lr, keep is 1-dampening.
type SGD struct {
	N                                 uint64
	P, Buffer, Grad                   uint64
	Rate, Decay, Momentum, Keep       float64
	Nesterov, First, Maximize, Unused uint32
	Skip                              uint64 // the address of a float32 that says that nothing is updated where it is not 0; 0 for none
}

// Adam is the parameter of adam and adam_all: one step of n parameters, with what the step number gives computed by the host in float64:
// step = -lr/(1-β1ᵗ), root = √(1-β2ᵗ), weight1 = 1-β1, weight2 = 1-β2, shrink = 1 - lr·decay.
type Adam struct {
	N                                                       uint64
	P, M, V, Grad                                           uint64
	Step, Root, Eps, Weight1, Beta2, Weight2, Decay, Shrink float64
	Decoupled, Maximize                                     uint32
	Skip                                                    uint64 // as SGD's
}

// Chunk is a part of a parameter in a list: the addresses of n elements of it, of what an optimizer keeps of them (sgd's buffer, 0
// without momentum; adam's m and v), and of their gradient.
type Chunk struct {
	N, P  uint64
	State [3]uint64
	Grad  uint64
}

// Update is the parameter of the kernels of update.cu: one step of a parameter, or of the chunks of a list where that is not 0. The
// numbers are op.Update's.
type Update struct {
	List, Count                  uint64
	One                          Chunk
	Rate, Sign, Decay, Shrink    float64
	Part, Share, Rest, Root, Eps float64
	Ahead, Momentum, Rectified   float64
	Minus, Plus, Low, High       float64
	Skip                         uint64 // as SGD's
}

// Unscale is the parameter of unscale: gradients, which are the parameters of a list of chunks as in Update, are multiplied by the inverse
// of the float32 at scale, and the float32 at found becomes 1 where an element is not finite.
type Unscale struct {
	List, Count  uint64
	One          Chunk
	Scale, Found uint64
}

// GradNorm is the parameter of grad_norm: list is the address of count Chunks of gradients, of which grad is read, and of one more Chunk
// for each of the gradients: the n sums from number state[0] on are its, and p is the address of its norm, a float64. There is
// a sum for each chunk.
type GradNorm struct {
	List, Count, Gradients uint64
	Sums                   uint64
	Counter                uint64 // of last.cuh
}

// ClipGrad is the parameter of clip_grad: gradients, which are the parameters of a list of chunks, are multiplied by most over the float64
// at norm, where that is less than 1.
type ClipGrad struct {
	List, Count uint64
	Norm        uint64
	Most        float64
}

// Piece is contiguous memory that is written, and where what it is written from lies: in Pieces with terms, how many bytes
// behind the base of each term.
type Piece struct {
	To, From, Bytes uint64
}

// Pieces is work on many pieces: list is the address of count of them, bases that of the terms' base addresses.
type Pieces struct {
	List, Bases  uint64
	Count, Terms uint32
}
