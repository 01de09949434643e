package nninit_test

import (
	"math"
	"testing"

	"cresset/dtype"
	"cresset/nn/nninit"
	"cresset/tensor"
)

func TestOrthogonal(t *testing.T) {
	for _, c := range [][]int{{5, 5}, {3, 40}, {40, 3}, {6, 2, 3, 3}, {1, 4}, {4, 1}} {
		w := tensor.Parameter(tensor.On(tensor.Of(1.0).Device()).As(dtype.Float64).Empty(c...))
		nninit.Orthogonal(w, nninit.Gain(3))
		m := w.Detach().Flatten(1, -1)
		if m.Size(0) > m.Size(1) {
			m = m.T()
		}
		got, want := m.MM(m.T()), tensor.Like(m).Eye(m.Size(0)).MulScalar(9)
		if !got.AllClose(want, 0, 1e-12) {
			t.Errorf("%v: w·wᵀ is %v", c, got)
		}
	}
}

func TestTruncNormal(t *testing.T) {
	for name, c := range map[string]struct{ mean, std, from, to float64 }{
		"most of it":    {0, 1, -2, 2},
		"a thin slice":  {0, 1, 0.5, 0.6},
		"a tail":        {0, 1, 3, 4},
		"another place": {10, 0.1, 9.9, 10.3},
	} {
		g := tensor.NewGenerator(3)
		w := tensor.Parameter(tensor.Empty(1000))
		nninit.TruncNormal(w, c.mean, c.std, c.from, c.to, g)
		low, high := w.Detach().Min().Float64(), w.Detach().Max().Float64()
		if !(low >= c.from-1e-6 && high <= c.to+1e-6 && high-low > (c.to-c.from)/2) {
			t.Errorf("%s: drawn from %v to %v", name, low, high)
		}
	}
}

// TestGenerators: an own generator gives what the default one gives at its seed, and leaves that alone.
func TestGenerators(t *testing.T) {
	for name, draw := range map[string]func(w *tensor.Tensor, own bool) *tensor.Tensor{
		"xavier": func(w *tensor.Tensor, own bool) *tensor.Tensor {
			if own {
				return nninit.XavierNormal(w, nninit.Gain(2), nninit.With(tensor.NewGenerator(5)))
			}
			return nninit.XavierNormal(w, nninit.Gain(2))
		},
		"kaiming": func(w *tensor.Tensor, own bool) *tensor.Tensor {
			if own {
				return nninit.KaimingUniform(w, nninit.FanOut, nninit.ReLU, nninit.With(tensor.NewGenerator(5)))
			}
			return nninit.KaimingUniform(w, nninit.FanOut, nninit.ReLU)
		},
	} {
		tensor.ManualSeed(5)
		before := tensor.DefaultGenerator(tensor.Of(1.0).Device()).State()
		got := draw(tensor.Empty(4, 6), true)
		if after := tensor.DefaultGenerator(got.Device()).State(); string(after) != string(before) {
			t.Errorf("%s drew from the default generator too", name)
		}
		if want := draw(tensor.Empty(4, 6), false); !got.Equal(want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestViewsAndEmpty(t *testing.T) {
	w := tensor.Zeros(4, 6)
	nninit.Eye(w.T())
	if got := w.Sum().Float64(); got != 4 {
		t.Errorf("the identity in a view sums to %v, want 4", got)
	}
	for _, f := range []func(*tensor.Tensor){
		func(w *tensor.Tensor) { nninit.KaimingNormal(w) },
		func(w *tensor.Tensor) { nninit.KaimingUniform(w) },
		func(w *tensor.Tensor) { nninit.Orthogonal(w) },
		func(w *tensor.Tensor) { nninit.Zeros(w) },
	} {
		f(tensor.Empty(0, 3))
	}
	if got := nninit.CalculateGain(nninit.LeakyReLU, 1); math.Abs(got-1) > 1e-15 {
		t.Errorf("the gain of the identity is %v", got)
	}
}
