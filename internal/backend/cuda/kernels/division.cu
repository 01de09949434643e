// Divisions with rounding, and their remainders: by hand, since integers report a divisor of zero, and the remainder of floats,
// which is exact however far apart the operands are, takes a loop; so does the power of an integer.
// dtypes: f32 f64 i64 i32 u8
#include "elementwise.cuh"
#include "math.cuh"

#if INTEGERS
// quotient and rest have a meaning for the least number by -1 too.
INLINE T quotient(T a, T b) { return b + 1 == 0 ? (T)(0 - a) : (T)(a / b); }
INLINE T rest(T a, T b) { return b + 1 == 0 ? (T)0 : (T)(a % b); }

INLINE T floorDivide(T a, T b) {
	T q = quotient(a, b), r = rest(a, b);
	return r != 0 && (r < 0) != (b < 0) ? (T)(q - 1) : q;
}

INLINE T remainder(T a, T b) {
	T r = rest(a, b);
	return r != 0 && (r < 0) != (b < 0) ? (T)(r + b) : r;
}

// power is x**n, which wraps; negative powers are 0 but for those of 1 and -1.
INLINE T power(T x, T n) {
	if (n < 0) {
		return x == 1 ? (T)1 : (T)(x + 1) != 0 ? (T)0 : n % 2 == 0 ? (T)1 : x;
	}
	T product = 1;
	for (; n > 0; n = (T)(n >> 1)) {
		if (n & 1) {
			product = (T)(product * x);
		}
		x = (T)(x * x);
	}
	return product;
}

DIVISION(floor_divide, T, floorDivide(a, b))
DIVISION(div_trunc, T, quotient(a, b))
DIVISION(remainder, T, remainder(a, b))
DIVISION(fmod, T, rest(a, b))
BINARY(pow, T, power(a, b))
#endif

#if FLOATS
// An IEEE number's parts: fraction bits, and as many bits more as a long division can take at once.
struct Format32 {
	using Word = u32;
	static const int fraction = 23, exponents = 0xff, step = 40;
};
struct Format64 {
	using Word = u64;
	static const int fraction = 52, exponents = 0x7ff, step = 11;
};
template <int size> struct FormatOf { using Type = Format32; };
template <> struct FormatOf<8> { using Type = Format64; };
using Format = FormatOf<sizeof(T)>::Type;
using Word = Format::Word;

// A Whole is |v| as mantissa * 2**exponent.
struct Whole {
	u64 mantissa;
	i32 exponent;
};

INLINE Whole whole(Word magnitude) {
	u64 mantissa = magnitude & (((Word)1 << Format::fraction) - 1);
	i32 exponent = (i32)(magnitude >> Format::fraction);
	if (exponent == 0) {
		return {mantissa, 1};
	}
	return {mantissa | (u64)1 << Format::fraction, exponent};
}

// rest is a - trunc(a/b)*b, by long division of the mantissas: exact, with a's sign.
INLINE T rest(T a, T b) {
	const Word sign = (Word)1 << (8 * sizeof(T) - 1), infinity = (Word)Format::exponents << Format::fraction;
	Word x = bits<Word>(a) & ~sign, y = bits<Word>(b) & ~sign;
	if (x >= infinity || y > infinity || y == 0) {
		return (a * b) / (a * b); // NaN
	}
	if (x < y) {
		return a;
	}
	Whole n = whole(x), d = whole(y);
	u64 r = n.mantissa % d.mantissa;
#pragma unroll 1
	for (i32 left = n.exponent - d.exponent; left > 0 && r != 0; left -= Format::step) {
		r = (r << (left < Format::step ? left : Format::step)) % d.mantissa;
	}
	if (r == 0) {
		return bits<T>((Word)(bits<Word>(a) & sign));
	}
	i32 shift = __builtin_clzll(r) - (63 - Format::fraction), exponent = d.exponent - shift;
	Word word;
	if (exponent > 0) {
		word = (Word)(r << shift) - ((Word)1 << Format::fraction) + ((Word)exponent << Format::fraction);
	} else {
		word = (Word)(r << (d.exponent - 1)); // subnormal
	}
	return bits<T>((Word)(word | (bits<Word>(a) & sign)));
}

INLINE T remainder(T a, T b) {
	T r = rest(a, b);
	return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

// floorDivide is taken from the rest, so that rounding of the quotient cannot lift it over an integer.
INLINE T floorDivide(T a, T b) {
	if (b == 0) {
		return a / b;
	}
	T r = rest(a, b), q = (a - r) / b;
	if (r != 0 && (r < 0) != (b < 0)) {
		q -= 1;
	}
	if (q == 0) {
		return copysign((T)0, a / b);
	}
	T whole = floor(q);
	return q - whole > (T)0.5 ? whole + 1 : whole;
}

BINARY(floor_divide, T, floorDivide(a, b))
BINARY(remainder, T, remainder(a, b))
BINARY(fmod, T, rest(a, b))
#endif
