// The dtype that a module is compiled for: T, its name in kernels, and what kind of number it is.
#pragma once

#include "device.cuh"

#if defined(DTYPE_f32)
using T = f32;
#define DTYPE f32
#define FLOATS 1
#define NUMBERS 1
#elif defined(DTYPE_f64)
using T = f64;
#define DTYPE f64
#define FLOATS 1
#define NUMBERS 1
#elif defined(DTYPE_i64)
using T = i64;
#define DTYPE i64
#define INTEGERS 1
#define NUMBERS 1
#elif defined(DTYPE_i32)
using T = i32;
#define DTYPE i32
#define INTEGERS 1
#define NUMBERS 1
#elif defined(DTYPE_u8)
using T = u8;
#define DTYPE u8
#define INTEGERS 1
#define NUMBERS 1
#elif defined(DTYPE_bool)
using T = u8; // 0 or 1
#define DTYPE bool
#define BOOLS 1
#elif defined(DTYPE_i8) // for casts and draws, as are the next: these say what they compute in
#define DTYPE i8
#elif defined(DTYPE_i16)
#define DTYPE i16
#elif defined(DTYPE_f16)
#define DTYPE f16
#elif defined(DTYPE_bf16)
#define DTYPE bf16
#elif defined(DTYPE_b8) // elements that are moved and not looked at, by size
using T = u8;
#define DTYPE b8
#elif defined(DTYPE_b16)
using T = u16;
#define DTYPE b16
#elif defined(DTYPE_b32)
using T = u32;
#define DTYPE b32
#elif defined(DTYPE_b64)
using T = u64;
#define DTYPE b64
#endif

// ROW_KERNEL starts the kernel name_dtype.
#define ROW_KERNEL(name, most) KERNEL(JOIN(name, DTYPE), most)

// HELD_KERNEL starts one whose threads hold many elements in registers, few enough for so many blocks.
#define HELD_KERNEL(name, blocks) KERNEL_OF(JOIN(name, DTYPE), 512, blocks)
