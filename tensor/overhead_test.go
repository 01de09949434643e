package tensor_test

import (
	"testing"

	"cresset/internal/race"
	"cresset/tensor"
)

// BenchmarkOverhead times ops on four elements, where what surrounds the kernel is all there is: BenchmarkOverhead/add.
// On an idle machine an add should stay below 170 ns, any op below 300 ns, with a gradient record below 700 ns.
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
		{"select and item", func() { x.Select(0, 1).Item() }},
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

func TestSmallOpsAllocateLittle(t *testing.T) {
	if race.Enabled || tensor.Poisons {
		t.Skip("the race detector makes pools forget at random")
	}
	x, y, m := tensor.Ones(4), tensor.Ones(4), tensor.Ones(2, 2)
	leaf := tensor.Ones(4).SetRequiresGrad(true)
	large := tensor.Ones(1000)
	large.Add(large).Release() // the pool has a block now
	for _, tc := range []struct {
		name string
		f    func()
		most float64
	}{
		{"add", func() { x.Add(y) }, 1},
		{"add to memory of the pool", func() { large.Add(large).Release() }, 1},
		{"add with record", func() { x.Add(leaf) }, 3},
		{"add in place", func() { y.AddInPlace(x) }, 0},
		{"view", func() { x.View(2, 2) }, 1},
		{"view of four axes", func() { x.View(1, 2, 2, -1) }, 1},
		{"permute", func() { m.Permute(1, 0) }, 1},
		{"t", func() { m.T() }, 1},
		{"unsqueeze", func() { m.Unsqueeze(0) }, 1},
		{"narrow", func() { m.Narrow(0, 0, 1) }, 1},
		{"select", func() { m.Select(0, 1) }, 1},
		{"transpose", func() { m.Transpose(0, 1) }, 1},
		{"select and item", func() { x.Select(0, 1).Item() }, 2},
	} {
		if got := testing.AllocsPerRun(100, tc.f); got > tc.most {
			t.Errorf("%s makes %v allocations, want at most %v", tc.name, got, tc.most)
		}
	}
}
