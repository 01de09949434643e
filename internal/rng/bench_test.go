package rng

import "testing"

const benchElems = 1_000_000

func BenchmarkFill(b *testing.B) {
	f32, f64, i64 := make([]float32, benchElems), make([]float64, benchElems), make([]int64, benchElems)
	rows := []struct {
		name string
		fill func(g *MT19937)
	}{
		{"Uniform/float32", func(g *MT19937) { Uniform(g, f32, 0, 1) }},
		{"Uniform/float32/-1..1", func(g *MT19937) { Uniform(g, f32, -1, 1) }},
		{"Uniform/float64", func(g *MT19937) { Uniform(g, f64, 0, 1) }},
		{"Normal/float32", func(g *MT19937) { Normal(g, f32, 0, 1) }},
		{"Normal/float64", func(g *MT19937) { Normal(g, f64, 0, 1) }},
		{"NormalEach/float32", func(g *MT19937) { NormalEach(g, f32, 0, 1) }},
		{"RandInt/int64", func(g *MT19937) { _ = RandInt(g, i64, 0, 10) }},
		{"Perm", func(g *MT19937) { Perm(g, i64) }},
		{"Bernoulli/float32", func(g *MT19937) { Bernoulli(g, f32, .5) }},
		{"Exponential/float32", func(g *MT19937) { Exponential(g, f32, 1) }},
	}
	for _, r := range rows {
		b.Run(r.name, func(b *testing.B) {
			g := New(0)
			for b.Loop() {
				r.fill(g)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchElems, "ns/elem")
		})
	}
}
