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
		left = at.parts == 1 ? (u32)p.k : min((u32)p.k - begin, (u32)p.part);
		a = p.a + (u64)(at.batch * p.aStrides[0]) * sizeof(E);
		b = p.b + (u64)(at.batch * p.bStrides[0]) * sizeof(E);
	}
};

// Operands copy panels of so many steps of a product's a and b, b's behind a's. They are the Fill of a ring of stages; an operand says whether its panels are cut, so
// that none is whole.
template <class A, class B, int ROWS, int COLUMNS, int DEEP> struct Operands {
	using OfA = A;
	using OfB = B;
	const Product &p;
	Job<ROWS, COLUMNS> job;
	A a;
	B b;
	u32 panels, wholes;

	__device__ __attribute__((always_inline)) Operands(const Product &p)
		: p(p), job(p), a(job.a, p.aStrides[1], p.aStrides[2], job.at.m, (u32)p.m, job.begin), b(job.b, p.bStrides[2], p.bStrides[1], job.at.n, (u32)p.n, job.begin),
		  panels((job.left + DEEP - 1) / DEEP), wholes(a.cut || b.cut ? 0 : job.left / DEEP) {}

	__device__ __attribute__((always_inline)) bool whole(u32 panel) const { return panel < wholes; }

	template <bool WHOLE> __device__ __attribute__((always_inline)) void copy(u32 stage, u32 panel) {
		u32 done = panel * DEEP;
		if (WHOLE || done < job.left) {
			A::template copy<WHOLE>(a, stage, panel, job.left - done, p.aStrides[1], p.aStrides[2]);
			B::template copy<WHOLE>(b, stage + A::BYTES, panel, job.left - done, p.bStrides[2], p.bStrides[1]);
		}
	}

	// put stores what passes through registers, where copy keeps it.
	__device__ __attribute__((always_inline)) void put(u32 stage) const {
		A::put(a, stage);
		B::put(b, stage + A::BYTES);
	}
};

// EACH_LIE makes a kernel for each way in which operands lie: k along the common axis, m or n across it.
#define EACH_LIE(kernel, ...) \
	kernel(__VA_ARGS__, kk, true, true) kernel(__VA_ARGS__, kn, true, false) kernel(__VA_ARGS__, mk, false, true) kernel(__VA_ARGS__, mn, false, false)
