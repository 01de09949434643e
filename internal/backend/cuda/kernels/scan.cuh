// Scans of [outer][n][inner] along n by many threads: of neighbouring elements each thread joins its own in order, and what the threads
// before it have comes in by a fixed tree. A run may be cut into parts, whose accumulators a launch before has left in memory. So a
// result depends on the run's length, the form and the parts alone.
//
// A scan R has, beside what a reduction has (reductions.cuh): Out, what it stores; EACH, how many elements a thread takes at a time, 1 or
// 8; BACKWARD, whether it goes from the run's end on;
// INDEXED, whether it stores a place too, place(acc); fromBelow; pick, one of two accumulators, by their members, since the
// compiler would choose between the addresses of structs; and out(p, run, at, before, after), the result of an element at a
// place of the accumulators without and with it. take is told the element's number in the run, in the order of the scan.
#pragma once

#include "reductions.cuh"

#define SCAN_THREADS 256

// joinBefore joins the accumulators of the threads before this one in its row, and gives the whole row's in all. All threads of the
// block have to come here.
template <class R> INLINE typename R::Acc joinBefore(typename R::Acc acc, typename R::Acc &all) {
	using Acc = typename R::Acc;
	__shared__ Acc warps[MOST_WARPS];
	u32 lane = threadIdx.x % WARP, own = threadIdx.y * (blockDim.x / WARP);
#pragma unroll 1
	for (u32 by = 1; by < WARP; by *= 2) {
		Acc below = R::fromBelow(acc, by);
		acc = R::pick(lane >= by, R::join(below, acc), acc);
	}
	if (lane == WARP - 1) {
		warps[own + threadIdx.x / WARP] = acc;
	}
	Acc below = R::fromBelow(acc, 1);
	acc = R::zero();
	__syncthreads();
	all = R::zero();
#pragma unroll 1
	for (u32 w = 0; w < blockDim.x / WARP; w++) {
		acc = R::pick(w == threadIdx.x / WARP, all, acc);
		all = R::join(all, warps[own + w]);
	}
	__syncthreads(); // the next turn writes here
	return R::pick(lane == 0, acc, R::join(acc, below));
}

// joinAbove is joinBefore for the threads of a column.
template <class R> INLINE typename R::Acc joinAbove(typename R::Acc acc, typename R::Acc &all) {
	using Acc = typename R::Acc;
	__shared__ Acc columns[SCAN_THREADS];
	columns[threadIdx.y * blockDim.x + threadIdx.x] = acc;
	__syncthreads();
	acc = all = R::zero();
#pragma unroll 1
	for (u32 y = 0; y < blockDim.y; y++) {
		acc = R::pick(y == threadIdx.y, all, acc);
		all = R::join(all, columns[y * blockDim.x + threadIdx.x]);
	}
	__syncthreads();
	return acc;
}

// ofParts joins what this thread, one of so many that come in the order of parts, has of the parts before one.
template <class R> INLINE typename R::Acc ofParts(const Scan &p, u64 run, u64 part, u32 thread, u32 threads) {
	u64 runs = p.outer * p.inner, each = (part + threads - 1) / threads, k = thread * each, end = k + each < part ? k + each : part;
	typename R::Acc acc = R::zero();
#pragma unroll 1
	for (; run < runs && k < end; k++) {
		acc = R::join(acc, load<typename R::Acc>(p.from, (i64)(k * runs + run)));
	}
	return acc;
}

// keepPart leaves the accumulator of a run's part for the next launch. Those of a part lie side by side.
template <class R> INLINE void keepPart(const Scan &p, u64 run, u64 part, typename R::Acc acc) {
	store<typename R::Acc>(p.to, (i64)(part * p.outer * p.inner + run), acc);
}

// endOfPart is where a part of a run ends; that of a run beyond the last has no elements.
INLINE u64 endOfPart(const Scan &p, u64 run, u64 first) {
	return run >= p.outer * p.inner ? 0 : first + p.part < p.n ? first + p.part : p.n;
}

// storeAll stores neighbouring values, 16 bytes at a time where they lie for it.
template <class E, int EACH> INLINE void storeAll(u64 base, i64 at, const E (&v)[EACH]) {
	const int MANY = lanes<E>();
	if (EACH % MANY != 0 || (base + (u64)at * sizeof(E)) % 16 != 0) {
#pragma unroll
		for (int e = 0; e < EACH; e++) {
			store<E>(base, at + e, v[e]);
		}
		return;
	}
#pragma unroll
	for (int g = 0; g < EACH; g += MANY) {
		Lanes<E, MANY> group;
#pragma unroll
		for (int lane = 0; lane < MANY && g + lane < EACH; lane++) {
			group.put(lane, v[g + lane]);
		}
		group.store(base, at + g);
	}
}

// A Backup is the scan that takes over where accumulators of R are not finite, and whose accumulators are left in memory: R itself where they hold all there is.
template <class R> struct Backup {
	using As = R;
	INLINE typename R::Acc of(typename R::Acc acc) { return acc; }
	INLINE typename R::Acc from(typename R::Acc acc) { return acc; }
	INLINE bool holds(typename R::Acc) { return true; }
};

// startWith is what comes before a part, of which this thread, one of so many, joins some.
template <class R, class Join> INLINE typename R::Acc startWith(const Scan &p, u64 run, u64 part, u32 thread, u32 threads, Join join) {
	if (p.from == 0) {
		return R::zero();
	}
	typename Backup<R>::As::Acc all;
	join(ofParts<typename Backup<R>::As>(p, run, part, thread, threads), all);
	return Backup<R>::from(all);
}

// again scans by R, and then by its backup the runs in which some thread's accumulator was not finite: by is told whether to leave a run out. No scan is in
// place, so its input is still there.
template <class R, class By> INLINE void again(u32 of, By by) {
	bool held = by(R{}, false);
	if constexpr (!__is_same(R, typename Backup<R>::As)) {
		__shared__ u32 beyond[SCAN_THREADS], any;
		beyond[threadIdx.y * blockDim.x + threadIdx.x] = any = 0;
		__syncthreads();
		if (!held) {
			beyond[of] = any = 1;
		}
		__syncthreads();
		if (any) {
			by(typename Backup<R>::As{}, beyond[of] == 0);
		}
	}
}

// scanRow has a row of threads for each part of each run of contiguous elements, each of which takes some neighbours at a time.
template <class R> INLINE bool scanRow(const Scan &p, bool none) {
	using Acc = typename R::Acc;
	const int EACH = R::EACH < GROUP && R::EACH > 1 ? GROUP : R::EACH;
	u64 run = p.parts == 1 ? row() : row() / p.parts, part = row() - run * p.parts;
	run = none ? p.outer * p.inner : run;
	u64 begin = part * p.part, end = endOfPart(p, run, begin);
	i64 start = (i64)(run * p.n);
	bool aligned = EACH >= GROUP && isWhole(p.in, start, 1) && (!R::BACKWARD || p.n % GROUP == 0);
	Acc carry = startWith<R>(p, run, part, threadIdx.x, blockDim.x, [](auto acc, auto &all) { joinBefore<typename Backup<R>::As>(acc, all); });
	bool held = true;
#pragma unroll 1
	for (u64 turn = 0; turn < p.part; turn += blockDim.x * EACH) {
		u64 k = begin + turn + threadIdx.x * EACH;
		i64 lowest = start + (i64)(R::BACKWARD ? p.n - k - EACH : k); // of the thread's neighbours
		bool full = k + EACH <= end;
		T v[EACH]; // from the lowest on
		if (full && aligned) {
#pragma unroll
			for (int g = 0; g < EACH; g += GROUP) {
				Lanes<T, GROUP> group = Lanes<T, GROUP>::load(p.in, lowest + g);
#pragma unroll
				for (int lane = 0; lane < GROUP && lane < EACH; lane++) {
					v[g + lane] = group.at(lane);
				}
			}
		} else {
#pragma unroll
			for (int e = 0; e < EACH; e++) {
				if (k + (R::BACKWARD ? EACH - 1 - e : e) < end) {
					v[e] = load<T>(p.in, lowest + e);
				}
			}
		}
		Acc own = R::zero(), all;
#pragma unroll
		for (int e = 0; e < EACH; e++) {
			own = R::pick(k + e < end, R::take(own, v[R::BACKWARD ? EACH - 1 - e : e], k + e), own);
		}
		Acc acc = R::join(carry, joinBefore<R>(own, all));
		carry = R::join(carry, all);
		if (p.to != 0) {
			held &= Backup<R>::holds(carry);
			continue;
		}
		typename R::Out results[EACH];
		i64 places[EACH];
#pragma unroll
		for (int e = 0; e < EACH; e++) {
			int at = R::BACKWARD ? EACH - 1 - e : e;
			if (k + e < end) {
				Acc next = R::take(acc, v[at], k + e);
				results[at] = R::out(p, run, lowest + at, acc, next);
				places[at] = R::place(next);
				acc = next;
			}
		}
		held &= Backup<R>::holds(acc);
		if (full) {
			storeAll(p.out, lowest, results);
			if (R::INDEXED) {
				storeAll(p.index, lowest, places);
			}
			continue;
		}
#pragma unroll
		for (int e = 0; e < EACH; e++) {
			if (k + (R::BACKWARD ? EACH - 1 - e : e) < end) {
				store<typename R::Out>(p.out, lowest + e, results[e]);
				if (R::INDEXED) {
					store<i64>(p.index, lowest + e, places[e]);
				}
			}
		}
	}
	if (p.to != 0 && threadIdx.x == 0 && run < p.outer * p.inner) {
		keepPart<typename Backup<R>::As>(p, run, part, Backup<R>::of(carry));
	}
	return held;
}

// scanColumn has neighbouring threads take neighbouring runs, and the threads of a column some elements of a part at a time.
template <class R> INLINE bool scanColumn(const Scan &p, bool none) {
	using Acc = typename R::Acc;
	const int EACH = R::EACH;
	u64 run = none ? p.outer * p.inner : (u64)blockIdx.x * blockDim.x + threadIdx.x, part = blockIdx.y, begin = part * p.part, end = endOfPart(p, run, begin);
	i64 start = startOf(p, run), step = (i64)p.inner;
	if (R::BACKWARD) {
		start += (i64)(p.n - 1) * step;
		step = -step;
	}
	Acc carry = startWith<R>(p, run, part, threadIdx.y, blockDim.y, [](auto acc, auto &all) { joinAbove<typename Backup<R>::As>(acc, all); });
	bool held = true;
#pragma unroll 1
	for (u64 turn = 0; turn < p.part; turn += blockDim.y * EACH) {
		u64 k = begin + turn + threadIdx.y * EACH;
		i64 first = start + (i64)k * step;
		T v[EACH];
#pragma unroll
		for (int e = 0; e < EACH; e++) {
			if (k + e < end) {
				v[e] = load<T>(p.in, first + e * step);
			}
		}
		Acc own = R::zero(), all;
#pragma unroll
		for (int e = 0; e < EACH; e++) {
			own = R::pick(k + e < end, R::take(own, v[e], k + e), own);
		}
		Acc acc = R::join(carry, joinAbove<R>(own, all));
		carry = R::join(carry, all);
#pragma unroll
		for (int e = 0; e < EACH; e++) {
			if (k + e < end && p.to == 0) {
				Acc next = R::take(acc, v[e], k + e);
				i64 at = first + e * step;
				store<typename R::Out>(p.out, at, R::out(p, run, at, acc, next));
				if (R::INDEXED) {
					store<i64>(p.index, at, R::place(next));
				}
				acc = next;
			}
		}
		held &= Backup<R>::holds(acc) && Backup<R>::holds(carry);
	}
	if (p.to != 0 && threadIdx.y == 0 && run < p.outer * p.inner) {
		keepPart<typename Backup<R>::As>(p, run, part, Backup<R>::of(carry));
	}
	return held;
}

template <class R> INLINE void scanRows(const Scan &p) {
	again<R>(threadIdx.y, [&](auto r, bool none) __attribute__((always_inline)) { return scanRow<decltype(r)>(p, none); });
}
template <class R> INLINE void scanColumns(const Scan &p) {
	again<R>(threadIdx.x, [&](auto r, bool none) __attribute__((always_inline)) { return scanColumn<decltype(r)>(p, none); });
}
