// The parameters of launches: every kernel takes one of these structs by value, and nothing else. params.go has the same
// structs in Go; a test compares them by the checks that follow each struct.
//
// Addresses are of a view's element 0 in device memory; strides and steps are in elements. Extents are innermost first, so
// that a loop over them ends at the rank without knowing it beforehand. The struct that a kernel takes, and the grid that it
// wants, stand with the kernel.
#pragma once

#include "device.cuh"

#define OFFSET(type, field, bytes) static_assert(__builtin_offsetof(type, field) == bytes, "")
#define SIZE(type, bytes) static_assert(sizeof(type) == bytes, "")

// MAX_RANK is how many axes a strided kernel walks, after adjacent ones were merged.
#define MAX_RANK 8

// Report says where a kernel tells what is wrong with its data: word is the address of a Fault, tag a number of the
// host's choice that comes back in it. A kernel goes on after a fault, without the access that would have been wrong.
struct Report {
	u64 word;
	u32 tag;
	u32 unused;
};
SIZE(Report, 16);

// Fault is 32 bytes, all zero while nothing is wrong; the first thread that finds something wrong fills it. The host reads
// it after the device has finished, and zeroes it before it launches anything more.
struct Fault {
	u32 code;  // FAULT_*; 0 is none
	u32 tag;   // the launch's
	i64 index; // the number that is out of range
	i64 extent;
	i64 at; // the element of the operand that has it
};
SIZE(Fault, 32);
OFFSET(Fault, tag, 4);
OFFSET(Fault, index, 8);
OFFSET(Fault, extent, 16);
OFFSET(Fault, at, 24);

#define FAULT_INDEX 1       // an index outside of 0 … extent-1
#define FAULT_DIVISOR 2     // an integer divisor of zero
#define FAULT_TARGET 3      // a loss's target outside of 0 … extent-1
#define FAULT_PROBABILITY 4 // a probability outside of [0, 1]

// Elementwise: out[i] = f(in[0][i], in[1][i], in[2][i]) for i < n. With rank 0 all operands lie contiguously; otherwise
// n < 2**32, and operand k (0 is out) has strides[k]. An address of 0 stands for a constant, whose bits are in constants.
struct Elementwise {
	u64 n;
	u64 out;
	u64 in[3];
	u64 constants[3];
	u64 scalars[2]; // the op's own parameters: the bits of f64 where elements are floats, else i64
	Report report;
	u32 unused;
	u32 rank;
	u32 extents[MAX_RANK];
	i64 strides[4][MAX_RANK];
};
OFFSET(Elementwise, out, 8);
OFFSET(Elementwise, in, 16);
OFFSET(Elementwise, constants, 40);
OFFSET(Elementwise, scalars, 64);
OFFSET(Elementwise, report, 80);
OFFSET(Elementwise, unused, 96);
OFFSET(Elementwise, rank, 100);
OFFSET(Elementwise, extents, 104);
OFFSET(Elementwise, strides, 136);
SIZE(Elementwise, 392);

// Reduction: out[o][i] = the reduction of in[o][k][i] over k < n. Accumulators may be left in memory instead (to) or be
// the input (from), so that a long run can be reduced in parts and the parts joined.
struct Reduction {
	u64 outer, n, inner;
	u64 in, out;
	u64 index;            // of the extreme element, where the reduction has one; 0 where it is not wanted
	u64 from, to;         // accumulators of parts; 0 where there are none
	u64 parts;            // of a run; 1 is the whole
	i64 strides[3];       // of in, along outer, n and inner
	f64 divisor;          // sums of floats are divided by it
};
OFFSET(Reduction, in, 24);
OFFSET(Reduction, out, 32);
OFFSET(Reduction, index, 40);
OFFSET(Reduction, from, 48);
OFFSET(Reduction, to, 56);
OFFSET(Reduction, parts, 64);
OFFSET(Reduction, strides, 72);
OFFSET(Reduction, divisor, 96);
SIZE(Reduction, 104);

// Softmax: runs of n elements in [outer][n][inner], all operands contiguous. Forward: out of in. Backward: out of dy and
// the result y.
struct Softmax {
	u64 outer, n, inner;
	u64 out, in, dy, y;
};
OFFSET(Softmax, out, 24);
OFFSET(Softmax, in, 32);
OFFSET(Softmax, dy, 40);
OFFSET(Softmax, y, 48);
SIZE(Softmax, 56);

// Runs: runs of n elements in [outer][n][inner], all operands contiguous; dy, y and index have an element for each run. x is
// the kernel's own parameter.
struct Runs {
	u64 outer, n, inner;
	u64 out, in, dy, y, index;
	f64 x;
	Report report;
};
OFFSET(Runs, out, 24);
OFFSET(Runs, in, 32);
OFFSET(Runs, dy, 40);
OFFSET(Runs, y, 48);
OFFSET(Runs, index, 56);
OFFSET(Runs, x, 64);
OFFSET(Runs, report, 72);
SIZE(Runs, 88);

// Product: out = alpha·a·b + beta·add for count matrices, a of [m][k], b of [k][n]. Strides are along the batch, rows and
// columns; add is 0 where there is none, and has strides of 0 where it is broadcast.
struct Product {
	u64 count, m, n, k;
	u64 out, a, b, add;
	i64 outStrides[3], aStrides[3], bStrides[3], addStrides[3];
	f64 alpha, beta;
};
OFFSET(Product, out, 32);
OFFSET(Product, a, 40);
OFFSET(Product, b, 48);
OFFSET(Product, add, 56);
OFFSET(Product, outStrides, 64);
OFFSET(Product, aStrides, 88);
OFFSET(Product, bStrides, 112);
OFFSET(Product, addStrides, 136);
OFFSET(Product, alpha, 160);
OFFSET(Product, beta, 168);
SIZE(Product, 176);

// Draw: n random elements, contiguous, from the Philox generator of seed, counter offset/4. in is a probability for each
// element, or Dropout's operand; mask Dropout's second result.
struct Draw {
	u64 n;
	u64 out, in, mask;
	u64 seed, offset;
	f64 a, b;  // the distribution's parameters
	u64 range; // RandInt: draws are low + a word modulo range
	i64 low;
	u32 wide;  // RandInt: words of 64 bits
	u32 width; // Dropout: elements of a thread, 1, 2 or 4
	Report report;
};
OFFSET(Draw, out, 8);
OFFSET(Draw, in, 16);
OFFSET(Draw, mask, 24);
OFFSET(Draw, seed, 32);
OFFSET(Draw, offset, 40);
OFFSET(Draw, a, 48);
OFFSET(Draw, b, 56);
OFFSET(Draw, range, 64);
OFFSET(Draw, low, 72);
OFFSET(Draw, wide, 80);
OFFSET(Draw, width, 84);
OFFSET(Draw, report, 88);
SIZE(Draw, 104);

// Rows: rows of inner elements in [outer][extent][inner], chosen by count indexes. Taking: out[o][i] = in[o][index[i]].
// Adding: out[o][index[i]] += in[o][i]. All contiguous.
struct Rows {
	u64 outer, count, extent, inner;
	u64 out, in, index;
	i64 skip; // an index that nothing is added to; -1 is none
	Report report;
};
OFFSET(Rows, out, 32);
OFFSET(Rows, in, 40);
OFFSET(Rows, index, 48);
OFFSET(Rows, skip, 56);
OFFSET(Rows, report, 64);
SIZE(Rows, 80);

// Lines: lines along one axis of operands of any strides: there are `lines`, of n indexes each; extents and strides are
// those of the other axes. Operand 0 is out, 1 is in, 2 the index. Gather: out[i] = in[index[i]]; ScatterAdd:
// out[index[i]] += in[i].
struct Lines {
	u64 lines, n, extent;
	u64 out, in, index;
	i64 steps[3]; // along the axis
	Report report;
	u32 unused;
	u32 rank;
	u32 extents[MAX_RANK];
	i64 strides[3][MAX_RANK];
};
OFFSET(Lines, out, 24);
OFFSET(Lines, in, 32);
OFFSET(Lines, index, 40);
OFFSET(Lines, steps, 48);
OFFSET(Lines, report, 72);
OFFSET(Lines, rank, 92);
OFFSET(Lines, extents, 96);
OFFSET(Lines, strides, 128);
SIZE(Lines, 320);

// Triangle: out[b][r][c] = in[b][r][c] below or above a diagonal, zero elsewhere, for n elements in all.
struct Triangle {
	u64 n, rows, cols;
	u64 out, in;
	i64 diagonal;
};
OFFSET(Triangle, out, 24);
OFFSET(Triangle, in, 32);
OFFSET(Triangle, diagonal, 40);
SIZE(Triangle, 48);

// Sort: lines of n elements of [outer][n][inner], of whose sorted elements the first k go to out and their places in the line
// to index, both [outer][k][inner]. Where index is 0 all of them go to out and, as u32, to outFrom, line by line, for
// sort_merge to read as in and inFrom. Runs have width elements: a power of two.
struct Sort {
	u64 outer, n, inner, k;
	u64 in, inFrom;
	u64 out, outFrom, index;
	u64 width;
	u32 descending, unused;
};
OFFSET(Sort, in, 32);
OFFSET(Sort, out, 48);
OFFSET(Sort, width, 72);
OFFSET(Sort, descending, 80);
SIZE(Sort, 88);

// NonZero: the indexes of the true elements of a contiguous mask of n elements, a row of rank each, outermost first. counts has
// a number for each chunk of the mask. Extents are outermost first, and all axes count.
struct NonZero {
	u64 n, chunk;
	u64 in, counts, out;
	u32 rank, unused;
	u64 extents[16];
};
OFFSET(NonZero, in, 16);
OFFSET(NonZero, rank, 40);
OFFSET(NonZero, extents, 48);
SIZE(NonZero, 176);

// Range: Arange's start + i·step, in whole numbers for integers; Linspace's n equal steps from start to end.
struct Range {
	u64 n, out;
	f64 start, step, end;
	i64 wholeStart, wholeStep;
};
OFFSET(Range, out, 8);
OFFSET(Range, start, 16);
OFFSET(Range, step, 24);
OFFSET(Range, end, 32);
OFFSET(Range, wholeStart, 40);
OFFSET(Range, wholeStep, 48);
SIZE(Range, 56);

// SGD: one step of n parameters. buffer is 0 without momentum. rate is -lr, keep is 1-dampening.
struct SGD {
	u64 n;
	u64 p, buffer, grad;
	f64 rate, decay, momentum, keep;
	u32 nesterov, first, maximize, unused;
};
OFFSET(SGD, p, 8);
OFFSET(SGD, buffer, 16);
OFFSET(SGD, grad, 24);
OFFSET(SGD, rate, 32);
OFFSET(SGD, decay, 40);
OFFSET(SGD, momentum, 48);
OFFSET(SGD, keep, 56);
OFFSET(SGD, nesterov, 64);
OFFSET(SGD, first, 68);
OFFSET(SGD, maximize, 72);
SIZE(SGD, 80);

// Adam: one step of n parameters, with what the step number gives computed by the host in float64:
// step = -lr/(1-β1ᵗ), root = √(1-β2ᵗ), weight1 = 1-β1, weight2 = 1-β2, shrink = 1 - lr·decay.
struct Adam {
	u64 n;
	u64 p, m, v, grad;
	f64 step, root, eps, weight1, beta2, weight2, decay, shrink;
	u32 decoupled, maximize;
};
OFFSET(Adam, p, 8);
OFFSET(Adam, m, 16);
OFFSET(Adam, v, 24);
OFFSET(Adam, grad, 32);
OFFSET(Adam, step, 40);
OFFSET(Adam, root, 48);
OFFSET(Adam, eps, 56);
OFFSET(Adam, weight1, 64);
OFFSET(Adam, beta2, 72);
OFFSET(Adam, weight2, 80);
OFFSET(Adam, decay, 88);
OFFSET(Adam, shrink, 96);
OFFSET(Adam, decoupled, 104);
OFFSET(Adam, maximize, 108);
SIZE(Adam, 112);

// Piece is contiguous memory that is written, and where what it is written from lies: in Pieces with terms, how many bytes
// behind the base of each term.
struct Piece {
	u64 to, from, bytes;
};
OFFSET(Piece, from, 8);
OFFSET(Piece, bytes, 16);
SIZE(Piece, 24);

// Pieces is work on many pieces: list is the address of count of them, bases that of the terms' base addresses.
struct Pieces {
	u64 list, bases;
	u32 count, terms;
};
OFFSET(Pieces, bases, 8);
OFFSET(Pieces, count, 16);
OFFSET(Pieces, terms, 20);
SIZE(Pieces, 24);

// report tells a fault, unless there was one before.
INLINE void report(const Report &r, u32 code, i64 index, i64 extent, i64 at) {
	Global<Fault> f = (Global<Fault>)r.word;
	u32 none = 0;
	if (__atomic_compare_exchange_n(&f->code, &none, code, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		f->tag = r.tag;
		f->index = index;
		f->extent = extent;
		f->at = at;
	}
}

// within tells whether an index is in 0 … extent-1, and reports it where it is not.
INLINE bool within(const Report &r, i64 index, u64 extent, i64 at) {
	if ((u64)index < extent) {
		return true;
	}
	report(r, FAULT_INDEX, index, (i64)extent, at);
	return false;
}
