// Scans along runs: those of the table in internal/kgen/recipe, running extremes, logarithms of running sums, and gradients.
//
// Every kernel takes Scan. name_rows_dtype gives each part of each run of contiguous elements a row of threads: those of RowGrid, for
// outer*inner*parts rows. name_columns_dtype lets neighbouring threads take neighbouring runs: blocks of x times y threads, 256 or
// fewer, x runs for each block along x, and a part for each along y. Floats are added and multiplied as in float64; sums of integers are
// int64.
// dtypes: f32 f64 i64 i32 u8
#include "elementary.cuh"
#include "math.cuh"
#include "scan.cuh"
#include "twofold_exp.cuh"

// Inclusive is the scan of a reduction F: the result of an element is that of the elements up to it.
template <class F> struct Inclusive : F {
	using Out = Result;
	static const int EACH = 8;
	static const bool BACKWARD = false, INDEXED = false;
	INLINE i64 place(typename F::Acc) { return 0; }
	INLINE Out out(const Scan &, u64, i64, typename F::Acc, typename F::Acc after) { return (Out)after; }
};

#ifdef DTYPE_f32
// InTwofold is a scan F that adds, by units for float32.
template <class F> struct InTwofold : F {
	using Acc = Twofold;
	INLINE Acc zero() { return {0, 0}; }
	INLINE Acc pick(bool first, Acc a, Acc b) { return {first ? a.high : b.high, first ? a.low : b.low}; }
	INLINE Acc fromBelow(Acc acc, u32 by) { return {::fromBelow(acc.high, by), ::fromBelow(acc.low, by)}; }
	INLINE Acc join(Acc a, Acc b) { return settled(add(a, b)); }
	INLINE Acc take(Acc acc, T v, u64) { return add(acc, v); }
	INLINE i64 place(Acc) { return 0; }
	INLINE T out(const Scan &, u64, i64, Acc, Acc after) { return after.high + after.low; }
};

// ByTwofold is one that multiplies. A product that two float32 do not hold is NaN, so that the backup takes over.
template <class F> struct ByTwofold : InTwofold<F> {
	using Acc = Twofold;
	INLINE Acc zero() { return {1, 0}; }
	INLINE Acc join(Acc a, Acc b) { return product(a, b); }
	INLINE Acc take(Acc acc, T v, u64) { return product(acc, {v, 0}); }
};

template <class F> struct InFloat64 {
	using As = F;
	INLINE f64 of(Twofold acc) { return whole(acc); }
	INLINE Twofold from(f64 acc) { return twofold(acc); }
	INLINE bool holds(Twofold acc) { return isFinite(acc); }
};
template <class F> struct Backup<InTwofold<F>> : InFloat64<F> {};
template <class F> struct Backup<ByTwofold<F>> : InFloat64<F> {
	INLINE Twofold from(f64 acc) { return product(twofold(acc), {1, 0}); }
};
#else
template <class F> using InTwofold = F;
template <class F> using ByTwofold = F;
#endif
INLINE f64 times(f64 a, T b) { return a * (f64)b; }
INLINE T rounded(f64 v) { return (T)v; }
#ifdef DTYPE_f32
INLINE T rounded(Twofold v) { return isFinite(v) ? v.high + v.low : v.high; }

// FactorsOf is ByTwofold of a scan that has an out of its own.
template <class F> struct FactorsOf : ByTwofold<F> {
	INLINE T out(const Scan &p, u64 run, i64 at, Twofold before, Twofold after) { return F::out(p, run, at, before, after); }
};
template <class F> struct Backup<FactorsOf<F>> : Backup<ByTwofold<F>> {};
#else
template <class F> using FactorsOf = F;
#endif
template <class F> struct ScanOf {
	using Type = Inclusive<F>;
};
template <> struct ScanOf<Sum> {
	using Type = InTwofold<Inclusive<Sum>>;
};
#if FLOATS
template <> struct ScanOf<Prod> {
	using Type = ByTwofold<Inclusive<Prod>>;
};
#endif

// Best is an element and its place in the run; a place of -1 is none yet.
struct Best {
	T value;
	i64 at;
};

// Running is the most extreme of the elements up to one, and the last place of it; NaN is beyond any number. Reaches tells of a number
// whether it is at least as extreme as another.
template <class Reaches> struct Running {
	using Acc = Best;
	using Out = T;
	static const int EACH = 8;
	static const bool BACKWARD = false, INDEXED = true;
	INLINE Best zero() { return {0, -1}; }
	INLINE Best pick(bool first, Best a, Best b) { return {first ? a.value : b.value, first ? a.at : b.at}; }
	INLINE Best fromBelow(Best acc, u32 by) { return {::fromBelow(acc.value, by), ::fromBelow(acc.at, by)}; }
	INLINE Best join(Best a, Best b) {
		return pick(b.at >= 0 && (a.at < 0 || Reaches::by(b.value, a.value) || b.value != b.value), b, a);
	}
	INLINE Best take(Best acc, T v, u64 k) { return join(acc, {v, (i64)k}); }
	INLINE i64 place(Best acc) { return acc.at; }
	INLINE T out(const Scan &, u64, i64, Best, Best after) { return after.value; }
};
struct AtLeast {
	INLINE bool by(T a, T b) { return a >= b; }
};
struct AtMost {
	INLINE bool by(T a, T b) { return a <= b; }
};

// SCAN is both kernels of a scan, of which so many blocks have to fit on a multiprocessor; 0 leaves the number to the assembler.
#define SCAN_OF(name, R, blocks)                                                         \
	KERNEL_OF(JOIN(name##_rows, DTYPE), 256, blocks)(const Scan p) { scanRows<R>(p); }   \
	KERNEL_OF(JOIN(name##_columns, DTYPE), 256, blocks)(const Scan p) { scanColumns<R>(p); }
#define SCAN(name, R) SCAN_OF(name, R, 0)
#define INCLUSIVE(name, F) SCAN_OF(name, ScanOf<F>::Type, sizeof(T) == 1)
EACH_SCAN(INCLUSIVE)
SCAN_OF(cummax, Running<AtLeast>, sizeof(T) == 8 ? 2 : 0)
SCAN_OF(cummin, Running<AtMost>, sizeof(T) == 8 ? 2 : 0)

#if FLOATS
// Exponentials is a sum of e**v, which counts in units of e**most, so that nothing overflows. An infinite most counts how often it is there.
struct Exponentials {
	f64 most, sum;
};

// LogSum is log Σ e**v of the elements up to one.
struct LogSum {
	using Acc = Exponentials;
	using Out = T;
	static const int EACH = 1; // a join is long
	static const bool BACKWARD = false, INDEXED = false;
	INLINE Acc zero() { return {-INFINITY, 0}; }
	INLINE Acc pick(bool first, Acc a, Acc b) { return {first ? a.most : b.most, first ? a.sum : b.sum}; }
	INLINE Acc fromBelow(Acc acc, u32 by) { return {::fromBelow(acc.most, by), ::fromBelow(acc.sum, by)}; }
	INLINE Acc join(Acc a, Acc b) {
		bool up = b.most > a.most;
		f64 most = up ? b.most : a.most, kept = up ? b.sum : a.sum, scaled = up ? a.sum : b.sum;
		f64 factor = a.most == b.most ? 1 : exp((up ? a.most : b.most) - most); // 1 also where both are infinite
		return {most, kept + scaled * factor};
	}
	// A NaN is in the sum.
	INLINE Acc take(Acc acc, T v, u64) { return pick(v != v, {acc.most, (f64)v}, join(acc, {(f64)v, 1})); }
	INLINE i64 place(Acc) { return 0; }
	INLINE T out(const Scan &, u64, i64, Acc, Acc after) { return (T)(after.most + log(after.sum)); }
};
#ifdef DTYPE_f32
// LogSumInTwofold is LogSum by units for float32. A sum is Scaled, so that joins multiply by powers of two alone, and is no exponent's where it is of nothing.
struct LogSumInTwofold {
	using Acc = Scaled;
	using Out = T;
	static const int EACH = 1;
	static const bool BACKWARD = false, INDEXED = false;
	static const i32 NONE = -(1 << 20); // far below all exponents
	INLINE Acc zero() { return {{0, 0}, NONE}; }
	INLINE Acc pick(bool first, Acc a, Acc b) {
		return {{first ? a.of.high : b.of.high, first ? a.of.low : b.of.low}, first ? a.exponent : b.exponent};
	}
	INLINE Acc fromBelow(Acc acc, u32 by) { return {{::fromBelow(acc.of.high, by), ::fromBelow(acc.of.low, by)}, ::fromBelow(acc.exponent, by)}; }
	INLINE Acc join(Acc a, Acc b) {
		i32 most = a.exponent > b.exponent ? a.exponent : b.exponent;
		f32 ofA = twoTo(a.exponent - most), ofB = twoTo(b.exponent - most);
		return {settled(add(Twofold{a.of.high * ofA, a.of.low * ofA}, Twofold{b.of.high * ofB, b.of.low * ofB})), most};
	}
	// element is e**v, and NaN where that is not scaled.
	INLINE Acc element(T v) {
		bool scaled = abs(v) <= MOST_EXPONENT;
		Acc e = exponential({scaled ? v : 0, 0});
		return {{scaled ? e.of.high : v == -INFINITY ? 0 : __builtin_nanf(""), scaled ? e.of.low : 0}, scaled ? e.exponent : NONE};
	}
	INLINE Acc take(Acc acc, T v, u64) { return join(acc, element(v)); }
	INLINE i64 place(Acc) { return 0; }
	INLINE T out(const Scan &, u64, i64, Acc, Acc after) {
		Twofold y = logarithm(after);
		return after.of.high == 0 ? -(T)INFINITY : y.high + y.low;
	}
};
template <> struct Backup<LogSumInTwofold> {
	using As = LogSum;
	INLINE Exponentials of(Scaled acc) { return {acc.exponent == LogSumInTwofold::NONE ? -INFINITY : acc.exponent * 0x1.62e42fefa39efp-1, whole(acc.of)}; }
	INLINE Scaled from(Exponentials acc) {
		if (acc.most == -INFINITY) {
			return LogSumInTwofold::zero();
		}
		if (!(abs(acc.most) <= MOST_EXPONENT)) {
			return {{__builtin_nanf(""), 0}, 0};
		}
		i32 n = (i32)(acc.most * 0x1.71547652b82fep+0);
		return {twofold(acc.sum * exp(acc.most - n * 0x1.62e42fefa39efp-1)), n};
	}
	INLINE bool holds(Scaled acc) { return isFinite(acc.of); }
};
SCAN(logcumsumexp, LogSumInTwofold)
#else
SCAN(logcumsumexp, LogSum)
#endif

// The gradient of cumsum for in = dy: out[k] = in[k] + … + in[n-1].
struct FromEnd : Inclusive<Sum> {
	static const bool BACKWARD = true;
};
SCAN(cumsum_grad, InTwofold<FromEnd>)

// The gradient of prod is dy · Π in[j] over j ≠ k, in two launches: of the products before each element, and then of those behind it, so
// that zeros are no exception. The second reads what the first wrote as dy.
struct Before : Inclusive<Prod> {
	template <class A> INLINE T out(const Scan &p, u64 run, i64, A before, A) { return rounded(times(before, load<T>(p.dy, (i64)run))); }
};
struct Behind : Inclusive<Prod> {
	static const bool BACKWARD = true;
	template <class A> INLINE T out(const Scan &p, u64, i64 at, A behind, A) { return rounded(times(behind, load<T>(p.dy, at))); }
};
SCAN_OF(prod_before, FactorsOf<Before>, 2)
SCAN_OF(prod_behind, FactorsOf<Behind>, 2)
#endif
