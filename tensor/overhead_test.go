package tensor_test

import (
	"testing"

	"cresset/tensor"
)

// BenchmarkOverhead times ops on four elements, where what surrounds the kernel is all there is: BenchmarkOverhead/add.
// On an idle machine an op should stay below 300 ns, with a gradient record below 700 ns.
func BenchmarkOverhead(b *testing.B) {
	x, y := tensor.Ones(4), tensor.Ones(4)
	leaf := tensor.Ones(4).SetRequiresGrad(true)
	ops := []struct {
		name string
		f    func()
	}{
		{"add", func() { x.Add(y) }},
		{"add with record", func() { x.Add(leaf) }},
		{"add scalar", func() { x.AddScalar(2) }},
		{"add in place", func() { y.AddInPlace(x) }},
		{"mul scalar in place", func() { y.MulScalarInPlace(0.5) }},
		{"exp", func() { x.Exp() }},
		{"view", func() { x.View(2, 2) }},
		{"lt scalar", func() { x.LtScalar(2) }},
		{"where", func() { tensor.Where(x.Lt(y), x, 0) }},
		{"mul sum backward", func() { x.Mul(leaf).Sum().Backward() }},
	}
	for _, o := range ops {
		b.Run(o.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				o.f()
			}
		})
	}
}
