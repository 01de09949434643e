package recipe

import (
	"math"
	"slices"
)

// activations are the loops of internal/kern/activation.go.
func activations() []*Loop {
	return slices.Concat(plainActivations(), each(softplusScaled), each(siluGrad), each(softplusGrad), each(geluGrad), each(geluTanhGrad))
}

// plainActivations are those without elementary functions.
func plainActivations() []*Loop {
	return []*Loop{
		unary("ReLU", "max(a, 0), NaN where a is", func(b *builder, x float) float {
			return b.If(b.Less(x, b.Const(0)), b.Const(0), x)
		}),
		leakyReLU(),
		grad("ReLUGrad", "dy where y > 0, else 0", floats, "y", func(b *builder, dy, y float) float {
			return b.If(b.LessEqual(y, b.Const(0)), b.Const(0), dy)
		}),
		grad("TanhGrad", "dy·(1 - y²)", floats, "y", func(b *builder, dy, y float) float {
			return b.Mul(dy, b.Sub(b.Const(1), b.Mul(y, y)))
		}),
		grad("SigmoidGrad", "dy·(1 - y)·y", floats, "y", func(b *builder, dy, y float) float {
			return b.Mul(b.Mul(dy, b.Sub(b.Const(1), y)), y)
		}),
		leakyReLUGrad(),
	}
}

// grad is a loop over an activation's gradient and its operand x or its result y.
func grad(name, doc string, elems []Elem, saved string, f func(b *builder, dy, saved float) float) *Loop {
	d := describe(name, doc, elems, "dy", saved)
	return d.dst(f(d.builder, d.Param(0), d.Param(1)))
}

func leakyReLU() *Loop {
	d := describe("LeakyReLU", "a where a > 0, else a·slope", floats, "a")
	x := d.Param(0)
	return d.dst(d.If(d.Less(d.Const(0), x), x, d.Mul(x, d.scalar("slope"))))
}

func leakyReLUGrad() *Loop {
	d := describe("LeakyReLUGrad", "dy where x > 0, else dy·slope", floats, "dy", "x")
	dy, x := d.Param(0), d.Param(1)
	return d.dst(d.If(d.Less(d.Const(0), x), dy, d.Mul(dy, d.scalar("slope"))))
}

func softplusScaled(elems []Elem) *Loop {
	d := describe("SoftplusScaled", "log(1 + e**(beta·a)) / beta, a itself where beta·a > threshold", elems, "a")
	x, beta, threshold := d.Param(0), d.scalar("beta"), d.scalar("threshold")
	scaled := d.Mul(x, beta)
	return d.dst(d.If(d.Less(threshold, scaled), x, d.Div(d.Apply(d.of(Softplus, Softplus64), scaled), beta)))
}

func softplusGrad(elems []Elem) *Loop {
	d := describe("SoftplusGrad", "dy/(1 + e**-(beta·x)), dy itself where beta·x > threshold", elems, "dy", "x")
	dy, x, beta, threshold := d.Param(0), d.Param(1), d.scalar("beta"), d.scalar("threshold")
	scaled := d.Mul(x, beta)
	return d.dst(d.If(d.Less(threshold, scaled), dy, d.Mul(dy, d.Apply(d.of(Sigmoid, Sigmoid64), scaled))))
}

func geluGrad(elems []Elem) *Loop {
	return grad("GELUGrad", "dy·(Φ(x) + x·φ(x))", elems, "x", func(b *builder, dy, x float) float {
		return b.Mul(dy, b.Apply(b.of(GELUSlope, GELUSlope64), x))
	})
}

func geluTanhGrad(elems []Elem) *Loop {
	return grad("GELUTanhGrad", "dy times the derivative of x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))", elems, "x", geluTanhSlope)
}

func geluTanhSlope(b *builder, dy, x float) float {
	const cubic = 0.044715
	scale, one, half := b.Rounded(math.Sqrt2*math.SqrtPi/math.Pi), b.Const(1), b.Const(0.5)
	square := b.Mul(x, x)
	t := b.Apply(b.of(Tanh, Tanh64), b.Mul(scale, b.Add(x, b.Mul(b.Rounded(cubic), b.Mul(square, x)))))
	du := b.Mul(scale, b.Add(one, b.Mul(b.Rounded(3*cubic), square)))
	left := b.Mul(b.Add(one, t), half)
	right := b.Mul(b.Mul(b.Mul(half, x), b.Sub(one, b.Mul(t, t))), du)
	return b.Mul(dy, b.Add(left, right))
}

func siluGrad(elems []Elem) *Loop {
	return grad("SiLUGrad", "dy·s·(1 + x·(1 - s)) with s = 1/(1 + e**-x)", elems, "x", func(b *builder, dy, x float) float {
		s, one := b.Apply(b.of(Sigmoid, Sigmoid64), x), b.Const(1)
		return b.Mul(b.Mul(dy, s), b.Add(one, b.Mul(x, b.Sub(one, s))))
	})
}

// losses are the loops of internal/kern/loss.go.
func losses() []*Loop {
	return slices.Concat(each(bce), each(bceGrad), []*Loop{
		binary("SquaredError", "(a - b)²", func(b *builder, x, y float) float {
			d := b.Sub(x, y)
			return b.Mul(d, d)
		}),
		squaredErrorGrad(),
	})
}

func squaredErrorGrad() *Loop {
	d := describe("SquaredErrorGrad", "scale·(a - b)·dy", floats, "dy", "a", "b")
	return d.dst(d.Mul(d.Mul(d.scalar("scale"), d.Sub(d.Param(1), d.Param(2))), d.Param(0)))
}

func bce(elems []Elem) *Loop {
	d := describe("BCE", "(1-t)·x + (1 + (p-1)·t)·log(1 + e**-x)", elems, "x", "t", "p")
	x, t, p, one := d.Param(0), d.Param(1), d.Param(2), d.Const(1)
	weight := d.Add(one, d.Mul(d.Sub(p, one), t))
	return d.dst(d.Add(d.Mul(d.Sub(one, t), x), d.Mul(weight, d.Apply(d.of(Softplus, Softplus64), d.Neg(x)))))
}

func bceGrad(elems []Elem) *Loop {
	d := describe("BCEGrad", "(1 + (p-1)·t)·σ(x) - p·t", elems, "x", "t", "p")
	x, t, p := d.Param(0), d.Param(1), d.Param(2)
	positive := d.Mul(p, t)
	return d.dst(d.Sub(d.Mul(d.Sub(d.Add(positive, d.Const(1)), t), d.Apply(d.of(Sigmoid, Sigmoid64), x)), positive))
}
