package kern

import (
	"math"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

// SGD updates p by its gradient, in PyTorch's order of operations:
//
//	g += weightDecay·p
//	buf = momentum·buf + (1-dampening)·g   // buf = g in the first step
//	p -= lr·(g + momentum·buf)             // Nesterov; lr·buf without it, lr·g without momentum
//
// buf is nil without momentum.
func SGD[T dtype.Float](p, buf, grad []T, o op.SGD) {
	lr, decay, momentum, keep := T(-o.LR), T(o.WeightDecay), T(o.Momentum), T(1-o.Dampening)
	grad = grad[:len(p)]
	for i := sgdVector(p, buf, grad, o, lr, decay, momentum, keep); i < len(p); i++ {
		g := grad[i]
		if o.Maximize {
			g = -g
		}
		if o.WeightDecay != 0 {
			g += T(decay * p[i])
		}
		if buf != nil {
			b := g
			if !o.First {
				b = T(momentum*buf[i]) + T(keep*g)
			}
			buf[i] = b
			if o.Nesterov {
				g += T(momentum * b)
			} else {
				g = b
			}
		}
		p[i] += T(lr * g)
	}
}

// sgdVector is how many elements the vector loop for these options computed.
func sgdVector[T dtype.Float](p, buf, grad []T, o op.SGD, lr, decay, momentum, keep T) int {
	loops := [3]vec.Loop{vec.SGD, vec.SGDMomentum, vec.SGDNesterov}
	if o.WeightDecay != 0 {
		loops = [3]vec.Loop{vec.SGDDecay, vec.SGDMomentumDecay, vec.SGDNesterovDecay}
	}
	switch sign := signOf[T](o.Maximize); {
	case buf == nil:
		return vec.Unary(loops[0], p, grad, lr, sign, decay, momentum, keep)
	case o.First:
		return 0
	case o.Nesterov:
		return vec.Binary(loops[2], p, buf, grad, lr, sign, decay, momentum, keep)
	default:
		return vec.Binary(loops[1], p, buf, grad, lr, sign, decay, momentum, keep)
	}
}

// signOf is what a gradient is multiplied by.
func signOf[T dtype.Float](maximize bool) T {
	if maximize {
		return -1
	}
	return 1
}

// Adam updates p by its gradient, in PyTorch's order of operations; m and v are the running means of the gradient and of
// its square:
//
//	g += weightDecay·p                      // AdamW: p *= 1 - lr·weightDecay
//	m += (1-β1)·(g-m);  v = β2·v + (1-β2)·g²
//	p -= lr/(1-β1ᵗ) · m / (√v/√(1-β2ᵗ) + ε)
func Adam[T dtype.Float](p, m, v, grad []T, o op.Adam) {
	correction1 := 1 - math.Pow(o.Beta1, float64(o.Step))
	correction2 := math.Sqrt(1 - math.Pow(o.Beta2, float64(o.Step)))
	step, root, eps := T(-o.LR/correction1), T(correction2), T(o.Eps)
	weight1, beta2, weight2 := T(1-o.Beta1), T(o.Beta2), T(1-o.Beta2)
	decay, shrink := T(o.WeightDecay), T(1-o.LR*o.WeightDecay)
	m, v, grad = m[:len(p)], v[:len(p)], grad[:len(p)]
	loop := vec.Adam
	switch {
	case o.WeightDecay == 0:
	case o.Decoupled:
		loop = vec.AdamShrink
	default:
		loop = vec.AdamDecay
	}
	done := vec.Ternary(loop, p, m, v, grad, step, signOf[T](o.Maximize), decay, shrink, weight1, beta2, weight2, root, 1/root, eps)
	for i := done; i < len(p); i++ {
		g, x := grad[i], p[i]
		if o.Maximize {
			g = -g
		}
		switch {
		case o.WeightDecay == 0:
		case o.Decoupled:
			x *= shrink
		default:
			g += T(decay * x)
		}
		mi := m[i] + T(weight1*(g-m[i]))
		vi := T(v[i]*beta2) + T(T(weight2*g)*g)
		m[i], v[i] = mi, vi
		p[i] = x + T(T(step*mi)/(T(T(math.Sqrt(float64(vi)))/root)+eps))
	}
}

// Unscale multiplies a gradient by the inverse of a scale, which it rounds to float32 first, and reports whether all elements are finite.
func Unscale[T dtype.Float](grad []T, inverse float64) bool {
	by, finite := T(float32(inverse)), true
	for i, g := range grad {
		finite = finite && g-g == 0
		grad[i] = g * by
	}
	return finite
}
