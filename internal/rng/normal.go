package rng

import (
	"math"

	"cresset/dtype"
)

// blockElems is the number of elements that the block recipe transforms at once, and the least number for which it is used.
const blockElems = 16

// Normal fills dst, the elements of a contiguous tensor, with draws of the
// given mean and standard deviation. Fewer than 16 elements are drawn as
// NormalEach does. From 16 on, dst is filled with uniform draws u and each
// block of 16 is transformed in place by Box and Muller: with
// r = √(-2 ln(1-u[j])) and θ = 2π u[j+8], element j becomes r cos θ and
// element j+8 becomes r sin θ. If a part of a block is left, the last 16
// elements are drawn and transformed anew. So 15 and 16 draws after the same
// seed have nothing in common.
func Normal[T Real](g *MT19937, dst []T, mean, std float64) {
	NormalBy(g, dst, mean, std, func(blocks []T) {
		transform := boxMuller[T]()
		for ; len(blocks) > 0; blocks = blocks[blockElems:] {
			transform((*[blockElems]T)(blocks), mean, std)
		}
	})
}

// NormalBy is Normal with a transformation of blocks that the caller has.
func NormalBy[T Real](g *MT19937, dst []T, mean, std float64, transform func(blocks []T)) {
	if len(dst) < blockElems {
		NormalEach(g, dst, mean, std)
		return
	}
	Uniform(g, dst, 0, 1)
	transform(dst[:len(dst)/blockElems*blockElems])
	if len(dst)%blockElems != 0 {
		tail := dst[len(dst)-blockElems:]
		Uniform(g, tail, 0, 1)
		transform(tail)
	}
}

// NormalEach fills dst with draws made one at a time, as PyTorch draws for a tensor that is not contiguous, in the order of
// its memory.
func NormalEach[T Real](g *MT19937, dst []T, mean, std float64) {
	round := rounder[T]()
	for i := range dst {
		dst[i] = round(math.FMA(g.NormFloat64(), std, mean))
	}
}

// NormFloat64 returns a draw of mean 0 and standard deviation 1. It makes two at a time; the second waits in the generator
// for the next call.
func (g *MT19937) NormFloat64() float64 {
	if g.hasCached {
		g.hasCached = false
		return g.cached
	}
	turn := g.Float64()
	radius := math.Sqrt(-2 * math.Log1p(-g.Float64()))
	sin, cos := math.Sincos(2 * math.Pi * turn)
	g.cached, g.hasCached = radius*sin, true
	return radius * cos
}

// boxMuller returns T's transformation of a block of uniform draws.
func boxMuller[T Real]() func(d *[blockElems]T, mean, std float64) {
	var f any
	switch any(*new(T)).(type) {
	case float32:
		f = boxMuller32
	case float64:
		f = boxMuller64
	case dtype.F16:
		f = boxMullerHalf[dtype.F16]
	case dtype.BF16:
		f = boxMullerHalf[dtype.BF16]
	}
	return f.(func(*[blockElems]T, float64, float64))
}

func boxMuller32(d *[blockElems]float32, mean, std float64) {
	for j := range blockElems / 2 {
		d[j], d[j+8] = BoxMuller(d[j], d[j+8], mean, std)
	}
}

// BoxMuller returns the two normal draws that Normal makes of two uniform ones in a block of float32, with the steps and
// roundings of PyTorch's AVX2 kernel.
func BoxMuller(u, v float32, mean, std float64) (x, y float32) {
	mean, std = rounded(mean), rounded(std)
	radius := rounded(math.Sqrt(-2 * logf(1-u)))
	sin, cos := sincosf(2 * math.Pi * v)
	return float32(step(rounded(radius*cos), std, mean)), float32(step(rounded(radius*sin), std, mean))
}

func boxMuller64(d *[blockElems]float64, mean, std float64) {
	for j := range blockElems / 2 {
		radius := math.Sqrt(-2 * math.Log(1-d[j]))
		sin, cos := math.Sincos(2 * math.Pi * d[j+8])
		d[j] = math.FMA(radius*cos, std, mean)
		d[j+8] = math.FMA(radius*sin, std, mean)
	}
}

// boxMullerHalf rounds to T after every step, as C++ does with PyTorch's half types.
func boxMullerHalf[T half](d *[blockElems]T, mean, std float64) {
	to := rounder[T]()
	round := func(x float64) float64 { return float64(to(x).Float32()) }
	mean, std = round(mean), round(std)
	for j := range blockElems / 2 {
		u1 := round(1 - float64(d[j].Float32()))
		radius := round(math.Sqrt(round(-2 * round(math.Log(u1)))))
		theta := round(2 * math.Pi * float64(d[j+8].Float32()))
		sin, cos := math.Sincos(theta)
		d[j] = to(round(round(radius*round(cos))*std) + mean)
		d[j+8] = to(round(round(radius*round(sin))*std) + mean)
	}
}
