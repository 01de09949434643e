package ptx

import "math"

func f32(x uint32) float32 { return math.Float32frombits(x) }
func u32(x float32) uint32 { return math.Float32bits(x) }
func f64(x uint64) float64 { return math.Float64frombits(x) }
func u64(x float64) uint64 { return math.Float64bits(x) }

// floating is a float of the size of a word.
type floating interface{ float32 | float64 }

// floatOf and bitsOf convert between the bits of a word and a float of its size. Which size that is the compiler knows.
func floatOf[F floating, T word](x T) F {
	if uint64(^T(0)) == math.MaxUint32 {
		return F(math.Float32frombits(uint32(x)))
	}
	return F(math.Float64frombits(uint64(x)))
}

func bitsOf[T word, F floating](x F) T {
	if uint64(^T(0)) == math.MaxUint32 {
		return T(math.Float32bits(float32(x)))
	}
	return T(math.Float64bits(float64(x)))
}

//go:norace
func addFloat[F floating, T word](d, a, b, _ *[32]T) {
	for i := 0; i < 32; i += 4 {
		d[i] = bitsOf[T](floatOf[F](a[i]) + floatOf[F](b[i]))
		d[i+1] = bitsOf[T](floatOf[F](a[i+1]) + floatOf[F](b[i+1]))
		d[i+2] = bitsOf[T](floatOf[F](a[i+2]) + floatOf[F](b[i+2]))
		d[i+3] = bitsOf[T](floatOf[F](a[i+3]) + floatOf[F](b[i+3]))
	}
}

//go:norace
func subFloat[F floating, T word](d, a, b, _ *[32]T) {
	for i := range d {
		d[i] = bitsOf[T](floatOf[F](a[i]) - floatOf[F](b[i]))
	}
}

//go:norace
func mulFloat[F floating, T word](d, a, b, _ *[32]T) {
	for i := 0; i < 32; i += 4 {
		d[i] = bitsOf[T](floatOf[F](a[i]) * floatOf[F](b[i]))
		d[i+1] = bitsOf[T](floatOf[F](a[i+1]) * floatOf[F](b[i+1]))
		d[i+2] = bitsOf[T](floatOf[F](a[i+2]) * floatOf[F](b[i+2]))
		d[i+3] = bitsOf[T](floatOf[F](a[i+3]) * floatOf[F](b[i+3]))
	}
}

func divFloat[F floating, T word](d, a, b, _ *[32]T) {
	for i := range d {
		d[i] = bitsOf[T](floatOf[F](a[i]) / floatOf[F](b[i]))
	}
}

// sqrtFloat takes the root in float64, which rounds to float32 as the exact one does.
func sqrtFloat[F floating, T word](d, a, _, _ *[32]T) {
	for i := range d {
		d[i] = bitsOf[T](F(math.Sqrt(float64(floatOf[F](a[i])))))
	}
}

func reciprocal[F floating, T word](d, a, _, _ *[32]T) {
	for i := range d {
		d[i] = bitsOf[T](1 / floatOf[F](a[i]))
	}
}

//go:norace
func fmaF64(d, a, b, c *lanes64) {
	for i := range d {
		d[i] = u64(math.FMA(f64(a[i]), f64(b[i]), f64(c[i])))
	}
}

// The sign is the highest bit of a word.

func absFloat[T word](d, a, _, _ *[32]T) {
	for i := range d {
		d[i] = a[i] << 1 >> 1
	}
}

func negFloat[T word](d, a, _, _ *[32]T) {
	for i := range d {
		d[i] = a[i] ^ ^(^T(0) >> 1)
	}
}

// copysign takes the sign of a and the rest of b: the order of PTX.
func copysign[T word](d, a, b, _ *[32]T) {
	for i := range d {
		d[i] = a[i]&^(^T(0)>>1) | b[i]<<1>>1
	}
}

// minFloat and maxFloat skip NaNs and order -0 before 0; of two NaNs they make the one with all bits but the sign set.

//go:norace
func minFloat[F floating, T word](d, a, b, _ *[32]T) {
	for i := range d {
		if x, y := floatOf[F](a[i]), floatOf[F](b[i]); x == x && y == y {
			d[i] = bitsOf[T](min(x, y))
		} else {
			d[i] = theNumber(a[i], b[i], x == x, y == y)
		}
	}
}

//go:norace
func maxFloat[F floating, T word](d, a, b, _ *[32]T) {
	for i := range d {
		if x, y := floatOf[F](a[i]), floatOf[F](b[i]); x == x && y == y {
			d[i] = bitsOf[T](max(x, y))
		} else {
			d[i] = theNumber(a[i], b[i], x == x, y == y)
		}
	}
}

// theNumber returns the operand that is a number, of two of which one is none.
func theNumber[T word](a, b T, isA, isB bool) T {
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	return ^T(0) >> 1
}
