package rng

import (
	"slices"
	"testing"
)

func TestUint32KnownOutputs(t *testing.T) {
	rows := []struct {
		seed  uint64
		index int
		want  uint32
	}{
		{5489, 10_000, 4123659995}, // std::mt19937 in the C++ standard
		{0, 1, 2357136044},
		{123, 1, 2991312382},
		{1<<32 + 123, 1, 2991312382},
	}
	for _, r := range rows {
		g := New(r.seed)
		var got uint32
		for range r.index {
			got = g.Uint32()
		}
		if got != r.want {
			t.Errorf("seed %d: draw %d is %d, want %d", r.seed, r.index, got, r.want)
		}
	}
}

// A fill takes the words in runs; it must give what single draws give, wherever in the state it starts and ends.
func TestFillsEqualSingleDraws(t *testing.T) {
	for _, skip := range []int{0, 1, 2, 622, 623, 624} {
		for _, n := range []int{0, 1, 2, 311, 312, 313, 1500} {
			a, b := New(9), New(9)
			for range skip {
				a.Uint32()
				b.Uint32()
			}
			got := fill(n, func(d []float32) { Uniform(a, d, 0, 1) })
			want := fill(n, func(d []float32) {
				for i := range d {
					d[i] = b.Float32()
				}
			})
			if !slices.Equal(got, want) {
				t.Errorf("float32: skip %d, %d draws differ", skip, n)
			}
			got64 := fill(n, func(d []float64) { Uniform(a, d, 0, 1) })
			want64 := fill(n, func(d []float64) {
				for i := range d {
					d[i] = b.Float64()
				}
			})
			if !slices.Equal(got64, want64) {
				t.Errorf("float64: skip %d, %d draws differ", skip, n)
			}
			if *a != *b {
				t.Errorf("skip %d, %d draws: states differ", skip, n)
			}
		}
	}
}

func TestSeedDropsCachedNormal(t *testing.T) {
	g := New(3)
	want := g.NormFloat64()
	g.Seed(3)
	if got := g.NormFloat64(); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEntropy(t *testing.T) {
	a, b := Entropy(), Entropy()
	if a == b || a>>53 != 0 || b>>53 != 0 {
		t.Errorf("got %#x and %#x, want two numbers of 53 bits", a, b)
	}
}
