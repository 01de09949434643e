package kernels_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
)

// unlike are rows whose sums float32 gets wrong: one number again and again, sums in which nearly all cancels, numbers of all sizes, parts that overflow, squares
// that float32 is too small or too large for, and what is not finite.
func unlike(n int) map[string][]float32 {
	r, inf := rand.New(rand.NewPCG(1, uint64(n))), float32(math.Inf(1))
	of := func(value func(i int) float32) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = value(i)
		}
		return x
	}
	random := of(func(int) float32 { return float32(r.NormFloat64()) })
	with := func(v ...float32) []float32 { return append(v, random[len(v):]...) }
	return map[string][]float32{
		"random":     random,
		"the same":   of(func(int) float32 { return 0.1 }),
		"cancelling": of(func(i int) float32 { return random[i/2] * float32(1-2*(i%2)) * (1 + float32(i%2)/1024) }),
		"all sizes":  of(func(i int) float32 { return float32(math.Ldexp(float64(random[i]), i%40-20)) }),
		"large":      of(func(i int) float32 { return 3e38 * float32(1-2*(i/2%2)) }),
		"denormal":   of(func(i int) float32 { return random[i] * 1e-40 }),
		"tiny":       of(func(i int) float32 { return random[i] * 1e-25 }),
		"infinite":   with(1, inf),
		"both signs": with(-inf, 1, inf),
		"NaN":        with(float32(math.NaN())),
		"zeros":      of(func(int) float32 { return float32(math.Copysign(0, -1)) }),
	}
}

// TestSumsAreAsOfFloat64 holds sums, means, variances and norms of float32 to the bits of exact ones, rounded once: k additions are off by k·2**-47·Σ|v|, which
// decides only where a sum lies so near to the middle between two float32, as none does here.
func TestSumsAreAsOfFloat64(t *testing.T) {
	for _, n := range []int{3, 1000, 5000} {
		for name, x := range unlike(n) {
			sum, squares := exactly(x, func(v float64) float64 { return v }), exactly(x, func(v float64) float64 { return v * v })
			mean := sum / float64(n)
			spread := exactly(x, func(v float64) float64 { return (v - mean) * (v - mean) }) / float64(n)
			m := &machine{t: t}
			in, got := put(m, x), make([]float32, 1)
			out := put(m, got)
			check := func(what string, want float64) {
				t.Helper()
				if !same(got[0], float32(want)) {
					t.Errorf("%s of %d, %s: got %v, want %v", what, n, name, got[0], float32(want))
				}
			}
			for _, columns := range []bool{false, true} {
				reduce(m, kernelOf[float32]("sum", columns), columns, 1, uint64(n), 1, kernels.Reduction{In: in, Out: out})
				check("sum", sum)
				reduce(m, kernelOf[float32]("mean", columns), columns, 1, uint64(n), 1, kernels.Reduction{In: in, Out: out, Total: uint64(n)})
				check("mean", mean)
				for what, factors := range map[string][]float32{"product": x, "product near 1": nearOne(x)} {
					if what == "product" && name == "all sizes" && n > 1000 {
						continue // what a thread multiplies leaves the range of float64
					}
					reduce(m, kernelOf[float32]("prod", columns), columns, 1, uint64(n), 1, kernels.Reduction{In: put(m, factors), Out: out})
					check(what, productOf(factors))
				}
			}
			g, _ := kernels.RowGrid(1, uint64(n))
			p := kernels.Runs{Outer: 1, N: uint64(n), Inner: 1, Out: out, In: in, X: 2}
			launch(m, "norm_f32", g, p)
			check("norm", math.Sqrt(squares))
			p.X = 3
			launch(m, "norm_f32", g, p)
			check("norm of cubes", math.Pow(exactly(x, func(v float64) float64 { return math.Abs(v * v * v) }), 1./3))
			for _, e := range []float64{2.5, 0.5, -1.5} {
				p.X = e
				launch(m, "norm_f32", g, p)
				check(fmt.Sprintf("norm of powers of %v", e), math.Pow(exactly(x, func(v float64) float64 { return math.Pow(math.Abs(v), e) }), 1/e))
			}
			p.X = 0
			launch(m, "std_f32", g, p)
			check("std", math.Sqrt(spread))
		}
	}
}

// TestScansAndGradientsAreAsOfFloat64 holds what is added, or multiplied, for each element to exact numbers, off by the bound of such sums and rounded once.
func TestScansAndGradientsAreAsOfFloat64(t *testing.T) {
	const n = 1500
	random := unlike(n)["random"]
	for name, x := range unlike(n) {
		check := func(what string, i int, got float32, want, size float64) {
			t.Helper()
			if e := n * 0x1p-46 * size; !same(got, float32(want)) && !(float32(want-e) <= got && got <= float32(want+e)) {
				t.Errorf("%s, %s: element %d: got %v, want %v", what, name, i, got, float32(want))
			}
		}
		got := make([]float32, 2*n)
		for _, scan := range []string{"cumsum", "cumsum_grad"} {
			of := slices.Clone(x)
			inEachForm(t, []string{scan}, "_f32", [3]uint64{1, n, 1}, func(m *machine) kernels.Scan {
				return kernels.Scan{In: put(m, of), Out: put(m, got)}
			}, func(form string) {
				var sum exactSum
				for k := range x {
					i := k
					if scan == "cumsum_grad" {
						i = n - 1 - k
					}
					sum.add(float64(x[i]))
					check(form, i, got[i], sum.value(), sum.size)
				}
			})
		}

		// Running products: of these rows, which leave float32 sooner or later, and of factors near 1.
		for what, factors := range map[string][]float32{"cumprod": x, "cumprod near 1": nearOne(x)} {
			of := slices.Clone(factors)
			inEachForm(t, []string{"cumprod"}, "_f32", [3]uint64{1, n, 1}, func(m *machine) kernels.Scan {
				return kernels.Scan{In: put(m, of), Out: put(m, got)}
			}, func(form string) {
				product := 1.
				for i, v := range factors {
					product *= float64(v)
					check(what+", "+form, i, got[i], product, math.Abs(product))
				}
			})
		}

		// Logarithms of running sums, of which each exponential and the logarithm are off by 2**-40 at most: of these rows, and of numbers that lie far apart.
		for what, by := range map[string]float32{"logcumsumexp": 1, "logcumsumexp, far apart": 3000} {
			of, wide, logs := slices.Clone(x), make([]float64, n), make([]float64, n)
			for i := range of {
				of[i] *= by
				wide[i] = float64(of[i])
			}
			kern.LogCumSumExp(wide, logs)
			inEachForm(t, []string{"logcumsumexp"}, "_f32", [3]uint64{1, n, 1}, func(m *machine) kernels.Scan {
				return kernels.Scan{In: put(m, of), Out: put(m, got)}
			}, func(form string) {
				for i, want := range logs {
					check(what+", "+form, i, got[i], want, max(1, math.Abs(want))/16)
				}
			})
		}

		// The gradients of a layer norm of one column for its weight and bias, for x as dy.
		m := &machine{t: t}
		mean, invstd := slices.Repeat([]float32{0.3}, n), slices.Repeat([]float32{1.7}, n)
		dweight, dbias := make([]float32, 1), make([]float32, 1)
		p := kernels.LayerNorm{
			Rows: n, Columns: 1, Each: 1, Groups: 1, Parts: 1, SumBlocks: 1, X: put(m, random), Mean: put(m, mean), Invstd: put(m, invstd),
			Dy: put(m, x), Dx: put(m, got), Dweight: put(m, dweight), Dbias: put(m, dbias),
		}
		g, _ := kernels.NormGradGrid(n, 2, p.SumBlocks)
		launch(m, "layer_norm_grad_f32", g, p)
		var dot, sum exactSum
		for i, dy := range x {
			dot.add(float64(dy), float64(random[i])-float64(mean[i]), float64(invstd[i]))
			sum.add(float64(dy))
		}
		check("dweight", 0, dweight[0], dot.value(), dot.size)
		check("dbias", 0, dbias[0], sum.value(), sum.size)

		// The gradient of cross entropy at targets of no probability.
		targets, weight, total, logits := make([]int64, n), []float32{1.3, 0.7}, []float32{1234.5}, slices.Repeat([]float32{-200}, 2*n)
		for i := range targets {
			targets[i] = int64(i % 2)
		}
		launch(m, "cross_entropy_grad_f32", kernels.Flat(2*n, few), kernels.NLL{
			Batch: n, Classes: 2, Inner: 1, Ignore: -100, Mean: 1, Each: 1, X: put(m, logits), Targets: put(m, targets), Weight: put(m, weight),
			Total: put(m, total), Dy: put(m, x), Out: put(m, got),
		})
		for i, dy := range x {
			want := -float64(weight[i%2]) / float64(total[0]) * float64(dy)
			if math.IsInf(want, 0) {
				want = math.NaN() // the product with the probability
			}
			check("cross_entropy_grad", i, got[2*i+i%2], want, math.Abs(want)/n)
		}

		cubes := kernels.Runs{Outer: 1, N: n, Inner: 1, Out: put(m, got), In: put(m, x), Y: put(m, []float32{3.5}), Dy: put(m, []float32{0.7}), X: 3}
		launch(m, "norm_grad_f32", g, cubes)
		for i, v := range x {
			want := math.Copysign(float64(float32(0.7))/(3.5*3.5)*float64(v)*float64(v), float64(v))
			check("norm_grad of cubes", i, got[i], want, math.Abs(want)/n)
		}

		roots := cubes
		roots.X = 2.5
		launch(m, "norm_grad_f32", g, roots)
		for i, v := range x {
			want := math.Copysign(float64(float32(0.7))/math.Pow(3.5, 1.5)*math.Pow(math.Abs(float64(v)), 1.5), float64(v))
			if math.IsNaN(float64(v)) {
				want = math.NaN()
			}
			check("norm_grad of powers of 2.5", i, got[i], want, math.Abs(want)/n*64)
		}

		r, dy := kernels.Runs{Outer: 1, N: n, Inner: 1, Out: put(m, got), In: put(m, x), Dy: put(m, []float32{0.7}), X: 1}, float64(float32(0.7))
		g, _ = kernels.RowGrid(1, n)
		launch(m, "var_grad_f32", g, r)
		for i, v := range x {
			away := float64(v) - sum.value()/n
			check("var_grad", i, got[i], 2./(n-1)*dy*away, (math.Abs(away)+sum.size)/n)
		}
	}
}

// nearOne has factors between 7/8 and 9/8, one of them negative.
func nearOne(x []float32) []float32 {
	y := make([]float32, len(x))
	for i := range y {
		y[i] = 1 + float32(math.Sin(float64(i*i)))/8
	}
	y[len(y)/2] = -y[len(y)/2]
	return y
}

// productOf is Π x, whatever exponents there are on the way.
func productOf(x []float32) float64 {
	product, exponent := 1., 0
	for _, v := range x {
		var e int
		product, e = math.Frexp(product * float64(v))
		exponent += e
	}
	return math.Ldexp(product, exponent)
}

// An exactSum is Σ of products, rounded to a float64 once, and Σ of their sizes.
type exactSum struct {
	sum        big.Float
	rest, size float64 // rest is of what is not finite
}

func (s *exactSum) add(factors ...float64) {
	product, near := new(big.Float).SetPrec(300).SetInt64(1), 1.
	for _, f := range factors {
		near *= f
	}
	s.size += math.Abs(near)
	if math.IsInf(near, 0) || math.IsNaN(near) {
		s.rest += near
		return
	}
	for _, f := range factors {
		product.Mul(product, big.NewFloat(f))
	}
	s.sum.SetPrec(2000).Add(&s.sum, product)
}

func (s *exactSum) value() float64 {
	sum, _ := s.sum.Float64()
	return sum + s.rest
}

// exactly is Σ f(v), rounded to a float64 once.
func exactly(x []float32, f func(v float64) float64) float64 {
	var sum exactSum
	for _, v := range x {
		sum.add(f(float64(v)))
	}
	return sum.value()
}
