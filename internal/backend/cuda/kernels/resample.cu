// Interpolations: weighted sums of few elements of each of three axes, along the first, then the second, then the third, by tables
// of places and weights. Products and sums are rounded on their own, in the CPU's order.
//
// The kernel takes Resample. Grid: blocks of 256 threads, any number of them: as many as the result has elements.
// dtypes: f32 f64
#include "dtype.cuh"
#include "params.cuh"

// tapSum is Σ weight · value(place) over the taps of element i of an axis, whose tables start at an element, or value(i) where the
// axis stays as it is.
template <class Value> INLINE T tapSum(const Resample &p, i64 width, i64 start, i64 i, Value value) {
	if (width == 0) {
		return value(i);
	}
	T sum = 0;
#pragma unroll 1
	for (i64 t = 0, at = start + i * width; t < width; t++, at++) {
		i64 place = load<i64>(p.places, at);
		if (place < 0) {
			break;
		}
		T product = load<T>(p.weights, at) * value(place);
		sum = t == 0 ? product : sum + product;
	}
	return sum;
}

// Of float32 it says how many blocks have registers: the assembler by itself spills some for more.
KERNEL_OF(JOIN(resample, DTYPE), 256, sizeof(T) == 4 ? 4 : 0)(const Resample p) {
	i64 second = p.width[0] * p.to[0], third = second + p.width[1] * p.to[1];
#pragma unroll 1
	for (u64 i = thread(); i < p.planes * p.to[0] * p.to[1] * p.to[2]; i += threads()) {
		u64 line = divided(i, (u64)p.to[2]), plane = divided(line, (u64)p.to[1]), volume = divided(plane, (u64)p.to[0]);
		i64 z = plane - volume * p.to[0], y = line - plane * p.to[1], x = i - line * p.to[2];
		i64 start = volume * p.from[0];
		T sum = tapSum(p, p.width[2], third, x, [&](i64 x) {
			return tapSum(p, p.width[1], second, y, [&](i64 y) {
				return tapSum(p, p.width[0], 0, z, [&](i64 z) { return load<T>(p.in, ((start + z) * p.from[1] + y) * p.from[2] + x); });
			});
		});
		store<T>(p.out, (i64)i, sum);
	}
}
