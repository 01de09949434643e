// Where a mask is true, in row-major order.
//
// Every kernel takes NonZero. Grid: blocks of 256 threads, one for each chunk of the mask. nonzero_count notes how many are true
// in each chunk; nonzero writes their indexes behind those of the chunks before.
// dtypes: bool
#include "reduction.cuh"

// A Stretch is neighbours, all of one thread.
struct Stretch {
	u64 first, end;
};

INLINE Stretch stretch(const NonZero &p) {
	u64 each = p.chunk / blockDim.x, first = blockIdx.x * p.chunk + threadIdx.x * each, end = first + each;
	return {first, end < p.n ? end : p.n};
}

INLINE u64 countOf(const NonZero &p, const Stretch &s) {
	u64 count = 0;
#pragma unroll 1
	for (u64 i = s.first; i < s.end; i++) {
		count += load<T>(p.in, (i64)i) != 0;
	}
	return count;
}

ROW_KERNEL(nonzero_count, 256)(const NonZero p) {
	u64 count = joinRow<Total<u64>>(countOf(p, stretch(p)));
	if (threadIdx.x == 0) {
		store<u64>(p.counts, blockIdx.x, count);
	}
}

ROW_KERNEL(nonzero, 256)(const NonZero p) {
	__shared__ u64 counts[256];
	Stretch s = stretch(p);
	u64 before = 0, own = countOf(p, s);
#pragma unroll 1
	for (u64 c = threadIdx.x; c < blockIdx.x; c += blockDim.x) {
		before += load<u64>(p.counts, (i64)c);
	}
	before = joinRow<Total<u64>>(before);
	counts[threadIdx.x] = own;
#pragma unroll 1
	for (u32 apart = 1; apart < 256; apart *= 2) {
		__syncthreads();
		u64 more = threadIdx.x >= apart ? counts[threadIdx.x - apart] : 0;
		__syncthreads();
		counts[threadIdx.x] += more;
	}
	u64 row = before + counts[threadIdx.x] - own;
#pragma unroll 1
	for (u64 i = s.first; i < s.end; i++) {
		if (load<T>(p.in, (i64)i) == 0) {
			continue;
		}
		u64 rest = i;
#pragma unroll 1
		for (u32 axis = p.rank; axis > 0; axis--) {
			u64 next = rest / p.extents[axis - 1];
			store<i64>(p.out, (i64)(row * p.rank + axis - 1), (i64)(rest - next * p.extents[axis - 1]));
			rest = next;
		}
		row++;
	}
}
