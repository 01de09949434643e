// Sums of many tensors by one launch.
//
// add_pieces takes Pieces. Grid: any number of blocks of 256 threads along x, which share each piece, and along y, which
// share the list.
// dtypes: f32 f64
#include "pieces.cuh"

//	to[i] = to[i] + term 0[from + i] + term 1[from + i] + …
ROW_KERNEL(add_pieces, 256)(const Pieces o) {
#pragma unroll 1
	for (u32 k = blockIdx.y; k < o.count; k += gridDim.y) {
		Piece p = piece(o, k);
#pragma unroll 1
		for (u64 i = thread(); i < p.bytes / sizeof(T); i += threads()) {
			T sum = load<T>(p.to, i);
#pragma unroll 1
			for (u32 t = 0; t < o.terms; t++) {
				sum += load<T>(load<u64>(o.bases, t) + p.from, i);
			}
			store<T>(p.to, i, sum);
		}
	}
}
