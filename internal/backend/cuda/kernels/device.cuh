// What the kernels need of a device, in place of a toolkit's headers: attributes, number types, memory, threads, shuffles.
#pragma once

#include <__clang_cuda_builtin_vars.h>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __host__ __attribute__((host))
#define INLINE static __attribute__((device, always_inline))

using i8 = signed char;
using u8 = unsigned char;
using i16 = short;
using u16 = unsigned short;
using i32 = int;
using u32 = unsigned;
using i64 = long long;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;

// uint4 is 16 bytes, the most that a thread loads or stores at once.
typedef u32 uint4 __attribute__((ext_vector_type(4)));

// TensorMap tells the TMA of a tensor. A kernel that takes one has its parameter marked grid_constant.
struct alignas(64) TensorMap {
	u8 opaque[128];
};

// Pointers to global memory by its own address space: accesses through generic pointers are slower.
template <class E> using Global = __attribute__((address_space(1))) E *;
template <class E> using Constant = const __attribute__((address_space(1))) E *;

template <class E> INLINE E load(u64 base, i64 at) { return ((Constant<E>)base)[at]; }
template <class E> INLINE void store(u64 base, i64 at, E v) { ((Global<E>)base)[at] = v; }

// A number's bits as another type of its size.
template <class To, class From> INLINE To bits(From v) {
	static_assert(sizeof(To) == sizeof(From), "sizes differ");
	return __builtin_bit_cast(To, v);
}

// This thread's number in the grid, and how many there are: loops step by them, so that any grid is right.
INLINE u64 thread() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
INLINE u64 threads() { return (u64)gridDim.x * blockDim.x; }

// divided is a / b: 64 bits take several times as long to divide, and are rarely needed.
INLINE u64 divided(u64 a, u64 b) { return (a | b) >> 32 == 0 ? (u32)a / (u32)b : a / b; }

// KERNEL starts a kernel of at most so many threads per block.
#define KERNEL(name, most) extern "C" __global__ __attribute__((launch_bounds(most))) void name

// KERNEL_OF starts one of which so many blocks of that size have to fit on a multiprocessor.
#define KERNEL_OF(name, most, blocks) extern "C" __global__ __attribute__((launch_bounds(most, blocks))) void name

// JOIN makes one name of two, after both were expanded.
#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

// The value that the lane has whose number differs in the bits of mask, or is less by some. All lanes of the warp take part, converged.
INLINE u32 fromLane(u32 v, u32 mask) { return __nvvm_shfl_sync_bfly_i32(0xffffffff, v, mask, 31); }
INLINE u64 fromLane(u64 v, u32 mask) {
	return (u64)fromLane((u32)(v >> 32), mask) << 32 | fromLane((u32)v, mask);
}
INLINE u32 fromBelow(u32 v, u32 by) { return __nvvm_shfl_sync_up_i32(0xffffffff, v, by, 0); }
INLINE u64 fromBelow(u64 v, u32 by) { return (u64)fromBelow((u32)(v >> 32), by) << 32 | fromBelow((u32)v, by); }
INLINE f64 fromBelow(f64 v, u32 by) { return bits<f64>(fromBelow(bits<u64>(v), by)); }
INLINE f32 fromBelow(f32 v, u32 by) { return bits<f32>(fromBelow(bits<u32>(v), by)); }
INLINE i64 fromBelow(i64 v, u32 by) { return (i64)fromBelow((u64)v, by); }
INLINE i32 fromBelow(i32 v, u32 by) { return (i32)fromBelow((u32)v, by); }
INLINE u8 fromBelow(u8 v, u32 by) { return (u8)fromBelow((u32)v, by); }
INLINE f64 fromLane(f64 v, u32 mask) { return bits<f64>(fromLane(bits<u64>(v), mask)); }
INLINE f32 fromLane(f32 v, u32 mask) { return bits<f32>(fromLane(bits<u32>(v), mask)); }
INLINE i64 fromLane(i64 v, u32 mask) { return (i64)fromLane((u64)v, mask); }
INLINE i32 fromLane(i32 v, u32 mask) { return (i32)fromLane((u32)v, mask); }
INLINE u8 fromLane(u8 v, u32 mask) { return (u8)fromLane((u32)v, mask); }
