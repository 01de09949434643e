package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func (t *table) addMovement() {
	for dt := dtype.Bool; dt < dtype.Count; dt++ {
		t[op.Copy][dt], t[op.Fill][dt] = copyKernel, copyKernel
	}
}

// copyKernel copies between any two layouts and dtypes, or a constant; its row is that of the result's dtype.
func copyKernel(c *backend.Call) error { return convert(&c.Out()[0], &c.In()[0]) }

func convert(out, in *backend.View) error {
	from := in.DType
	if in.IsConst() {
		from = out.DType
	}
	return conversions[out.DType][from].apply(alone(out), alone(in), nil)
}

// conversions are the kernels that copy to a dtype from another, or the same.
var conversions = allConversions()

func allConversions() (all [dtype.Count][dtype.Count]elementwise) {
	for to := dtype.Bool; to < dtype.Count; to++ {
		for from := dtype.Bool; from < dtype.Count; from++ {
			cast := kern.Cast(to, from)
			all[to][from] = elementwise{
				loop:   func(dst, a, _, _, _ pointer, n int, _ any) { cast(dst, a, n) },
				dtypes: []dtype.DType{to, from}, results: 1, copies: to == from,
			}
		}
	}
	return all
}
