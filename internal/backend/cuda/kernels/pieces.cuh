// Pieces of memory that one launch works through.
#pragma once

#include "dtype.cuh"
#include "params.cuh"

INLINE Piece piece(const Pieces &o, u32 k) {
	return {load<u64>(o.list, 3 * k), load<u64>(o.list, 3 * k + 1), load<u64>(o.list, 3 * k + 2)};
}
