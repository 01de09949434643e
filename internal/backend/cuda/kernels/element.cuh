// The elements E of products, and the type Sum in which those add: float64 for itself, else float32, to which half types are widened on the way in and
// rounded once on the way out.
#pragma once

#include "dtype.cuh"
#include "half.cuh"

#if defined(DTYPE_f64)
using E = f64;
using Sum = f64;
#else
using Sum = f32;
#endif
#if defined(DTYPE_f32)
using E = f32;
#elif defined(DTYPE_f16)
using E = f16;
#elif defined(DTYPE_bf16)
using E = bf16;
#endif

// widen is exact.
INLINE Sum widen(E v) {
#if defined(DTYPE_f16)
	return (f32)__builtin_bit_cast(_Float16, v.bits);
#else
	return wide(v);
#endif
}

INLINE u32 min(u32 a, u32 b) { return a < b ? a : b; }

typedef Sum Four __attribute__((ext_vector_type(4)));

// fours loads 4 neighbours at once, from an address that is a multiple of their size.
INLINE Four fours(u64 from) {
#if defined(DTYPE_f32) || defined(DTYPE_f64)
	return load<Four>(from, 0);
#else
	typedef u16 Halves __attribute__((ext_vector_type(4)));
	Halves h = load<Halves>(from, 0);
	return {widen(E{h[0]}), widen(E{h[1]}), widen(E{h[2]}), widen(E{h[3]})};
#endif
}

#if defined(DTYPE_f32)
// four loads neighbours from an address in shared memory at once, which the compiler would do one by one.
INLINE Four four(u32 at) {
	Four v;
	asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
				 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(at) : "memory");
	return v;
}
#endif

INLINE Sum element(u64 base, i64 at) { return widen(load<E>(base, at)); }
