// The elementary functions of float64, within 2 ulp (1 was measured). Unlike those of float32 they are not the CPU's, bit
// for bit.
#pragma once

#include "rounding.cuh"

#define INF64 bits<f64>(0x7ff0000000000000ull)
#define NAN64 bits<f64>(0x7ff8000000000000ull)

INLINE f64 fma(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
INLINE f64 abs64(f64 v) { return __builtin_fabs(v); }

// horner is c[0] + x*(c[1] + x*(c[2] + ...)).
template <int N> INLINE f64 horner(f64 x, const f64 (&c)[N]) {
	f64 y = c[N - 1];
#pragma unroll
	for (int k = N - 2; k >= 0; k--) {
		y = fma(y, x, c[k]);
	}
	return y;
}

// power2 is 2**n for a normal result.
INLINE f64 power2(i32 n) { return bits<f64>((u64)(n + 1023) << 52); }

// An Exponent is x as n*log(2) + r + rest, and rest also holds the terms of e**r - 1 that follow r.
struct Exponent {
	i32 n;
	f64 r, rest;
};

// split takes |x| < 2**10; the series is Taylor's, as long as |r| < 0.35 needs it.
INLINE Exponent split(f64 x) {
	f64 n = __builtin_rint(x * 0x1.71547652b82fep+0);
	f64 head = fma(-n, 0x1.62e42fefa2000p-1, x), tail = n * 0x1.9ef35793c7673p-41;
	f64 r = head - tail;
	const f64 c[] = {1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,
		1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0, 1.0 / 87178291200.0};
	return {(i32)n, r, fma(r * r, horner(r, c), (head - r) - tail)};
}

INLINE f64 exp64(f64 x) {
	if (x != x) {
		return x;
	}
	if (x > 709.79) {
		return INF64;
	}
	if (x < -745.14) {
		return 0;
	}
	Exponent e = split(x);
	i32 half = e.n >> 1; // 2**n itself may not be a normal number
	return (1 + (e.r + e.rest)) * power2(half) * power2(e.n - half);
}

INLINE f64 expm164(f64 x) {
	if (x != x || abs64(x) < 0x1p-54) {
		return x;
	}
	if (x > 709.79) {
		return INF64;
	}
	if (x < -40) {
		return -1;
	}
	Exponent e = split(x);
	f64 scale = power2(e.n - 1);
	return 2 * fma(scale, e.rest, fma(scale, e.r, scale - 0.5));
}

INLINE f64 log64(f64 x) {
	if (!(x > 0)) {
		return x == 0 ? -INF64 : NAN64;
	}
	if (x == INF64) {
		return x;
	}
	i32 e = 0;
	if (x < 0x1p-1022) {
		x *= 0x1p54;
		e = -54;
	}
	u64 word = bits<u64>(x) + (0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull); // from sqrt(1/2) on the next power counts
	e += (i32)(word >> 52) - 1023;
	f64 f = bits<f64>((word & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull) - 1;

	// log(1+f) = f - f*f/2 + s*(f*f/2 + R), s = f/(2+f), R the series of atanh(s) from s**3 on.
	f64 s = f / (2 + f), square = s * s, half = 0.5 * f * f;
	const f64 c[] = {2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21,
		2.0 / 23, 2.0 / 25};
	f64 series = square * horner(square, c);
	return e * 0x1.62e42fefa2000p-1 - ((half - (s * (half + series) + e * 0x1.9ef35793c7673p-41)) - f);
}

INLINE f64 log1p64(f64 x) {
	if (abs64(x) < 0x1p-54 || x == INF64) {
		return x;
	}
	if (!(x > -1)) {
		return x == -1 ? -INF64 : NAN64;
	}
	f64 u = 1 + x;
	f64 lost = x >= 1 ? 1 - (u - x) : x - (u - 1);
	return log64(u) + lost / u;
}

INLINE f64 tanh64(f64 x) {
	f64 a = abs64(x);
	if (!(a >= 0x1p-28)) {
		return x;
	}
	if (a > 22) {
		return withSign(1.0, x);
	}
	f64 t = expm164(a < 1 ? -2 * a : 2 * a);
	return withSign(a < 1 ? -t / (t + 2) : 1 - 2 / (t + 2), x);
}

// twoProduct and twoSum are a rounded result and its error.
INLINE f64 twoProduct(f64 x, f64 y, f64 &rest) {
	f64 product = x * y;
	rest = fma(x, y, -product);
	return product;
}
INLINE f64 twoSum(f64 x, f64 y, f64 &rest) {
	f64 sum = x + y, part = sum - x;
	rest = (x - (sum - part)) + (y - part);
	return sum;
}

// logistic is the sigmoid, as a number and its error, of v+rest or, where negative, of -(v+rest), for v >= 0.
INLINE f64 logistic(f64 v, f64 rest, bool negative, f64 &qRest) {
	f64 e = exp64(-v);
	e -= e * rest;
	f64 d = 1 + e, dRest = e - (d - 1), over = negative ? e : 1;
	f64 q = over / d;
	qRest = (fma(-q, d, over) - q * dRest) / d;
	return q;
}

INLINE f64 sigmoid64(f64 x) {
	f64 rest, q = logistic(abs64(x), 0, x < 0, rest);
	return q + rest;
}

// gated is x times the sigmoid of x's sign and the size of v+rest.
INLINE f64 gated(f64 x, f64 v, f64 rest) {
	if (x != x || x == -INF64) {
		return NAN64;
	}
	if (x > 800) {
		return x;
	}
	if (x < 0 && v > 1000) {
		return -0.0;
	}
	if (x < 0 && v > 600) { // the sigmoid is the exponential there, and is kept from being subnormal before x multiplies it
		f64 e = exp64(100 - v);
		return x * (e - e * rest) * 0x1.a8c1f14e2af5dp-145;
	}
	f64 qRest, q = logistic(v, rest, x < 0, qRest);
	return fma(x, q, x * qRest);
}

INLINE f64 silu64(f64 x) { return gated(x, abs64(x), 0); }

INLINE f64 gelutanh64(f64 x) {
	// sqrt(8/pi) and 0.044715*sqrt(8/pi), each with what float64 leaves of it.
	f64 a = abs64(x) < 100 ? abs64(x) : 100, squareRest, cRest, rest, lost;
	f64 square = twoProduct(a, a, squareRest);
	f64 c = twoProduct(square, 0x1.2444f2a4d8b4bp-4, cRest);
	cRest += squareRest * 0x1.2444f2a4d8b4bp-4 + square * -0x1.6c843a29d1c70p-61 + -0x1.cbc0d30ebfd15p-54;
	c = twoSum(0x1.9884533d43651p+0, c, lost);
	f64 v = twoProduct(a, c, rest);
	return gated(x, v, rest + a * (cRest + lost));
}

INLINE f64 softplus64(f64 x) { return (x > 0 ? x : 0) + log1p64(exp64(-abs64(x))); }

// The error function's coefficients are those of FreeBSD's s_erf.c (Sun Microsystems, 1993): erf(x) = x + x*P(x*x) up to
// 0.84375, head + P(x-1) up to 1.25, and 1 - tail(x) beyond.
#define ERF_HEAD 8.45062911510467529297e-01
INLINE f64 erfNear(f64 square) {
	const f64 p[] = {0.12837916709551256, -0.3250421072470015, -0.02848174957559851, -0.005770270296489442,
		-2.3763016656650163e-05};
	const f64 q[] = {1, 0.39791722395915535, 0.0650222499887673, 0.005081306281875766, 0.00013249473800432164,
		-3.960228278775368e-06};
	return horner(square, p) / horner(square, q);
}
INLINE f64 erfMiddle(f64 s) {
	const f64 p[] = {-0.0023621185607526594, 0.41485611868374833, -0.3722078760357013, 0.31834661990116175,
		-0.11089469428239668, 0.035478304325618236, -0.002166375594868791};
	const f64 q[] = {1, 0.10642088040084423, 0.540397917702171, 0.07182865441419627, 0.12617121980876164,
		0.01363708391202905, 0.011984499846799107};
	return horner(s, p) / horner(s, q);
}
// erfTail is erfc(x) for x >= 1.25.
INLINE f64 erfTail(f64 x) {
	f64 s = 1 / (x * x), ratio;
	if (x < 1 / 0.35) {
		const f64 p[] = {-0.009864944034847148, -0.6938585727071818, -10.558626225323291, -62.375332450326006,
		-162.39666946257347, -184.60509290671104, -81.2874355063066, -9.814329344169145};
		const f64 q[] = {1, 19.651271667439257, 137.65775414351904, 434.56587747522923, 645.3872717332679, 429.00814002756783,
		108.63500554177944, 6.570249770319282, -0.0604244152148581};
		ratio = horner(s, p) / horner(s, q);
	} else {
		const f64 p[] = {-0.0098649429247001, -0.799283237680523, -17.757954917754752, -160.63638485582192,
		-637.5664433683896, -1025.0951316110772, -483.5191916086514};
		const f64 q[] = {1, 30.33806074348246, 325.7925129965739, 1536.729586084437, 3199.8582195085955, 2553.0504064331644,
		474.52854120695537, -22.44095244658582};
		ratio = horner(s, p) / horner(s, q);
	}
	f64 z = bits<f64>(bits<u64>(x) & 0xffffffff00000000ull); // its square is exact
	return exp64(-z * z - 0.5625) * exp64((z - x) * (z + x) + ratio) / x;
}

INLINE f64 erf64(f64 x) {
	f64 a = abs64(x);
	if (!(a >= 0.84375)) {
		return a < 0x1p-28 ? x + x * 1.28379167095512586316e-01 : x + x * erfNear(x * x);
	}
	if (a < 1.25) {
		return withSign(ERF_HEAD + erfMiddle(a - 1), x);
	}
	return withSign(a < 6 ? 1 - erfTail(a) : 1.0, x);
}

INLINE f64 erfc64(f64 x) {
	f64 a = abs64(x);
	if (!(a >= 0.84375)) {
		f64 y = erfNear(x * x);
		return x < 0.25 ? 1 - (x + x * y) : 0.5 - (x * y + (x - 0.5));
	}
	if (a < 1.25) {
		f64 y = erfMiddle(a - 1);
		return x > 0 ? (1 - ERF_HEAD) - y : 1 + (ERF_HEAD + y);
	}
	f64 tail = a < 28 ? erfTail(a) : 0;
	return x > 0 ? tail : 2 - tail;
}

// geluFar is x*Phi(x) for -40 <= x < -37.5, where Phi becomes subnormal before the result does, by Laplace's continued
// fraction: Phi(-a) = phi(a) / (a + 1/(a + 2/(a + ...))).
INLINE f64 geluFar(f64 x) {
	f64 tail = -x, rest;
	for (f64 n = 8; n >= 1; n--) {
		tail = -x + n / tail;
	}
	f64 square = twoProduct(x, x / 2, rest), e = exp64(100 - square);
	return x / tail * (e - e * rest) * (0x1.a8c1f14e2af5dp-145 * 0.3989422804014327);
}

INLINE f64 gelu64(f64 x) {
	if (x == -INF64) {
		return NAN64;
	}
	if (x < -40) {
		return -0.0;
	}
	if (x < -37.5) {
		return geluFar(x);
	}
	if (x > 40) {
		return x;
	}
	// erfc(z+rest) = erfc(z) - rest * 2/sqrt(pi) * e**(-z*z), to first order.
	f64 rest, z = twoProduct(-x, 0x1.6a09e667f3bcdp-1, rest);
	rest -= x * -0x1.bdd3413b26456p-55;
	return x / 2 * (erfc64(z) - rest * 1.1283791670955126 * exp64(-z * z));
}

// geluslope64 is Phi(x) + x*phi(x), the derivative of gelu64.
INLINE f64 geluslope64(f64 x) {
	f64 below = (1 + erf64(x * 0.70710678118654752440)) * 0.5;
	return below + x * (exp64(x * x * -0.5) * 0.39894228040143267794);
}

// A Quarter is an angle as n*pi/2 + head + tail with |head| <= pi/4.
struct Quarter {
	u64 n;
	f64 head, tail;
};

// The bits of 2/pi after the point, behind 64 zeros.
static __device__ const u64 twoOverPi64[21] = {
	0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
	0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
	0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
	0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
	0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
	0xf0cfbc209af4361d,
};

INLINE u64 mulHigh(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }

// window is 64 bits of 2/pi from bit 64*word + shift on.
INLINE u64 window(u32 word, u32 shift) {
	u64 second = shift == 0 ? 0 : twoOverPi64[word + 1] >> (64 - shift);
	return twoOverPi64[word] << shift | second;
}

// quarters reduces a finite a > pi/4 (Payne and Hanek): a is m * 2**e, and of 2/pi only the 192 bits count from which m
// makes less than a multiple of 4 and not too little.
INLINE Quarter quarters(f64 a) {
	u64 all = bits<u64>(a), m = (all & 0xfffffffffffffull) | 0x10000000000000ull;
	u32 at = (u32)(all >> 52) - 1075 + 62, word = at / 64, shift = at % 64;
	u64 second = window(word + 1, shift);
	u64 high = mulHigh(m, second), low = m * second, carried = low + mulHigh(m, window(word + 2, shift));
	high += m * window(word, shift) + (carried < low);
	low = carried;

	u64 n = high >> 62;
	high = high << 2 | low >> 62, low <<= 2;
	f64 sign = 1;
	if (high >> 63) { // more than half a quarter: back from the next one
		n++, sign = -1;
		high = ~high, low = ~low;
	}
	i32 zeros = 0;
	if (high == 0) {
		high = low, low = 0, zeros = 64;
	}
	i32 more = high == 0 ? 0 : __builtin_clzll(high);
	high = more == 0 ? high : high << more | low >> (64 - more);
	low <<= more;
	zeros += more;
	f64 scale = power2(-53 - zeros);
	f64 turn = sign * (f64)(high >> 11) * scale;
	f64 turnTail = sign * (f64)((high & 0x7ff) << 42 | low >> 22) * (scale * 0x1p-53);
	f64 head = turn * 0x1.921fb54442d18p+0;
	return {n, head, fma(turn, 0x1.921fb54442d18p+0, -head) + (turn * 0x1.1a62633145c07p-54 + turnTail * 0x1.921fb54442d18p+0)};
}

// sinNear and cosNear are of head + tail with |head| <= pi/4; the series are Taylor's.
INLINE f64 sinNear(f64 head, f64 tail) {
	const f64 c[] = {-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362880.0, -1.0 / 39916800.0, 1.0 / 6227020800.0,
		-1.0 / 1307674368000.0, 1.0 / 355687428096000.0};
	f64 square = head * head;
	return head + fma(head * square, horner(square, c), tail * (1 - 0.5 * square));
}
INLINE f64 cosNear(f64 head, f64 tail) {
	const f64 c[] = {1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0, -1.0 / 3628800.0, 1.0 / 479001600.0, -1.0 / 87178291200.0,
		1.0 / 20922789888000.0, -1.0 / 6402373705728000.0};
	f64 square = head * head, half = 0.5 * square, first = 1 - half;
	return first + (((1 - first) - half) + fma(square * square, horner(square, c), -head * tail));
}

// sinQuarters is the sine of n*pi/2 + head + tail.
INLINE f64 sinQuarters(Quarter q) {
	f64 y = q.n & 1 ? cosNear(q.head, q.tail) : sinNear(q.head, q.tail);
	return q.n & 2 ? -y : y;
}

INLINE f64 sin64(f64 x) {
	f64 a = abs64(x);
	if (!(a > 0.7853981633974483)) {
		return x == 0 ? x : sinNear(x, 0); // the sum has no -0
	}
	if (a == INF64) {
		return NAN64;
	}
	f64 y = sinQuarters(quarters(a));
	return x < 0 ? -y : y;
}

INLINE f64 cos64(f64 x) {
	f64 a = abs64(x);
	if (!(a > 0.7853981633974483)) {
		return cosNear(x, 0);
	}
	if (a == INF64) {
		return NAN64;
	}
	Quarter q = quarters(a);
	q.n++;
	return sinQuarters(q);
}

// productPair is the product of two numbers with errors.
INLINE f64 productPair(f64 x, f64 xRest, f64 y, f64 yRest, f64 &rest) {
	f64 product = twoProduct(x, y, rest);
	rest += x * yRest + xRest * y;
	return product;
}

// logPair is log(x) for finite x > 0 as a rounded number and its error: x = 2**e * m, s = (m-1)/(m+1) and
// log(m) = 2*(s + s**3*(1/3 + s**2*(1/5 + s**2*q(s**2)))), the errors of all but q carried along.
INLINE f64 logPair(f64 x, f64 &rest) {
	i32 exponent = 0;
	if (x < 0x1p-1022) {
		x *= 0x1p54;
		exponent = -54;
	}
	u64 word = bits<u64>(x) + (0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull);
	f64 e = exponent + (i32)(word >> 52) - 1023;
	f64 m = bits<f64>((word & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull);

	f64 over = m - 1, under = m + 1, underRest = m - (under - 1);
	f64 s = over / under, sRest = (fma(-s, under, over) - s * underRest) / under;
	f64 squareRest, square = twoProduct(s, s, squareRest);
	squareRest += 2 * s * sRest;

	const f64 c[] = {1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
	f64 rRest, lost, r = twoSum(0x1.999999999999ap-3, square * horner(square, c), rRest);
	rRest += -0x1.999999999999ap-57;
	r = productPair(square, squareRest, r, rRest, rRest);
	f64 third = twoSum(0x1.5555555555555p-2, r, lost);
	r = productPair(square, squareRest, third, lost + rRest + 0x1.5555555555555p-56, rRest);
	r = productPair(s, sRest, r, rRest, rRest);
	f64 half = twoSum(s, r, lost), halfRest = lost + rRest + sRest;

	f64 log = twoSum(e * 0x1.62e42fefa2000p-1, 2 * half, lost);
	return twoSum(log, lost + (2 * halfRest + e * 0x1.9ef35793c7673p-41), rest);
}

// powSpecial is x**y where x or y is 0, infinite or NaN, by the rules of C99.
INLINE f64 powSpecial(f64 x, f64 y) {
	bool whole = __builtin_trunc(y) == y, odd = whole && abs64(y) < 0x1p53 && ((i64)y & 1);
	if (x == 1 || y == 0) {
		return 1;
	}
	if (x != x || y != y) {
		return NAN64;
	}
	if (abs64(y) == INF64) {
		f64 a = abs64(x);
		return a == 1 ? 1 : (a > 1) == (y > 0) ? INF64 : 0;
	}
	f64 size = (x == 0) == (y < 0) ? INF64 : 0;
	return odd ? withSign(size, x) : size;
}

// pow64 is e**(y*log|x|), the logarithm and the product as pairs of numbers.
INLINE f64 pow64(f64 x, f64 y) {
	f64 a = abs64(x);
	if (x == 1 || y == 0 || x == 0 || x != x || y != y || a == INF64 || abs64(y) == INF64) {
		return powSpecial(x, y);
	}
	if (y == 1) {
		return x;
	}
	if (y == 2) {
		return x * x;
	}
	if (x < 0 && __builtin_trunc(y) != y) {
		return NAN64;
	}
	f64 rest, log = logPair(a, rest), t = log * y, size = exp64(t);
	if (size != 0 && size != INF64) {
		size += size * (fma(log, y, -t) + rest * y);
	}
	return x < 0 && abs64(y) < 0x1p53 && ((i64)y & 1) ? -size : size;
}
