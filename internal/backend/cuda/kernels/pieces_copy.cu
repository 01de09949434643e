// Many copies by one launch. Their pieces have any number of bytes.
//
// copy_pieces takes Pieces. Grid: any number of blocks of 256 threads along x, which share each piece, and along y, which
// share the list.
// dtypes: b8
#include "pieces.cuh"

template <class E> INLINE void copyPiece(Piece p) {
#pragma unroll 1
	for (u64 i = thread(); i < p.bytes / sizeof(E); i += threads()) {
		store<E>(p.to, i, load<E>(p.from, i));
	}
}

//	to[i] = from[i]                        // by the widest elements that the addresses allow
ROW_KERNEL(copy_pieces, 256)(const Pieces o) {
#pragma unroll 1
	for (u32 k = blockIdx.y; k < o.count; k += gridDim.y) {
		Piece p = piece(o, k);
		u64 odd = p.to | p.from | p.bytes;
		if (odd % 8 == 0) {
			copyPiece<u64>(p);
		} else if (odd % 4 == 0) {
			copyPiece<u32>(p);
		} else {
			copyPiece<u8>(p);
		}
	}
}
