// What a block of a product has to do, and how asynchronous copies bring what it multiplies.
#pragma once

#include "result.cuh"
#include "stages.cuh"

// A Job is what a block has to do: its tile, from which step of the common axis on and how many, and the operands' matrices.
template <int ROWS, int COLUMNS> struct Job {
	Place at;
	u32 begin, left;
	u64 a, b;

	__device__ __attribute__((always_inline)) Job(const Product &p) : at(placeOf<ROWS, COLUMNS>(p, blockIdx.x)) {
		begin = at.part * (u32)p.part;
		left = min((u32)p.k - begin, (u32)p.part);
		a = p.a + (u64)(at.batch * p.aStrides[0]) * sizeof(E);
		b = p.b + (u64)(at.batch * p.bStrides[0]) * sizeof(E);
	}
};

// Operands copy panels of so many steps of a product's a and b, b's behind a's.
template <class A, class B, int ROWS, int COLUMNS, int STEPS> struct Operands {
	Job<ROWS, COLUMNS> job;
	A a;
	B b;

	__device__ __attribute__((always_inline)) Operands(const Product &p)
		: job(p), a(job.a, p.aStrides[1], p.aStrides[2], job.at.m, (u32)p.m, job.begin), b(job.b, p.bStrides[2], p.bStrides[1], job.at.n, (u32)p.n, job.begin) {}

	INLINE u32 panels(const Operands &o) { return (o.job.left + STEPS - 1) / STEPS; }

	INLINE void fill(Operands &o, const Product &p, u32 stage) {
		if (o.job.left > 0) {
			A::copy(o.a, stage, o.job.left, o.job.a, p.aStrides[1], p.aStrides[2]);
			B::copy(o.b, stage + A::BYTES, o.job.left, o.job.b, p.bStrides[2], p.bStrides[1]);
			o.job.left -= min(o.job.left, STEPS);
		}
	}
};

// EACH_LIE makes a kernel for each way in which operands lie: k along the common axis, m or n across it.
#define EACH_LIE(kernel, ...) \
	kernel(__VA_ARGS__, kk, true, true) kernel(__VA_ARGS__, kn, true, false) kernel(__VA_ARGS__, mk, false, true) kernel(__VA_ARGS__, mn, false, false)
