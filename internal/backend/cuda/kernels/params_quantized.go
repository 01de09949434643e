package kernels

// Quantized is the parameter of products of x [m, k] with a quantized weight w [n, k], as op.Quantized describes it, to out [m, n]. Operands have no gaps, but for rows
// of x as int8, and of a weight that was made of one, which lie line elements apart.
type Quantized struct {
	M, N, K     uint64
	X, W, Scale uint64
	Zero, Bias  uint64 // 0 where there is none
	Out         uint64
	Steps       uint64 // of the rows of x as int8: float64
	Line        uint64
	Group       uint64 // of 4 bits
	Parts, Part uint64 // into how many parts of how many numbers the common axis is divided, of int8 on tensor cores
	Partials    uint64 // their sums: int32
	Counter     uint64 // one more than the first of the counters of last.cuh, where there are parts
}

// MappedQuantized is the parameter of product_quantized_wgmma: a product of int8, and maps of x and w in boxes of 64 rows by 128 numbers.
type MappedQuantized struct {
	MapX, MapW TensorMap
	Quantized  Quantized
}
