// Sums of many tensors by one launch.
//
// add_pieces takes Pieces. Grid: any number of blocks of 256 threads along x, which share each piece, and along y, which
// share the list.
// dtypes: f32 f64 f16 bf16
#include "half.cuh"
#include "pieces.cuh"

#if defined(DTYPE_f16) || defined(DTYPE_bf16)
using T = DTYPE;
#endif

//	to[i] = to[i] + term 0[from + i] + term 1[from + i] + …	// rounded after each
ROW_KERNEL(add_pieces, 256)(const Pieces o) {
#pragma unroll 1
	for (u32 k = blockIdx.y; k < o.count; k += gridDim.y) {
		Piece p = piece(o, k);
#pragma unroll 1
		for (u64 i = thread(); i < p.bytes / sizeof(T); i += threads()) {
			T sum = load<T>(p.to, i);
#pragma unroll 1
			for (u32 t = 0; t < o.terms; t++) {
				sum = Cast<T>::of(wide(sum) + wide(load<T>(load<u64>(o.bases, t) + p.from, i)));
			}
			store<T>(p.to, i, sum);
		}
	}
}
