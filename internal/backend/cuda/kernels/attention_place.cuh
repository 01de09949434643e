// Where the queries of a sequence begin among its keys, for kernels of attention that generation uses.
#pragma once

#include "element.cuh"
#include "params.cuh"

// firstOf is the place of the first query of one of the batch, which may lie in memory: a graph changes it between replays.
INLINE i64 firstOf(const Attention &p, u64 batch) {
	return p.first + (p.places == 0 ? 0 : load<i64>(p.places, (i64)batch * p.placeStep));
}
