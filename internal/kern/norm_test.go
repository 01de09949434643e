package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkGradient compares dx with the central difference of Σ dy*y, where run
// computes y from what x holds. In float64 a step of 1e-5 leaves an error of
// about 1e-10 of the values, which are near one.
func checkGradient(t *testing.T, name string, x, dx, dy, y []float64, run func()) {
	t.Helper()
	const step = 1e-5
	at := func(i int, v float64) (sum float64) {
		old := x[i]
		x[i] = v
		run()
		x[i] = old
		for j, g := range dy {
			sum += g * y[j]
		}
		return sum
	}
	for i := range x {
		want := (at(i, x[i]+step) - at(i, x[i]-step)) / (2 * step)
		if !(math.Abs(dx[i]-want) <= 1e-7*(1+math.Abs(want))) {
			t.Fatalf("%s[%d] = %v, want %v", name, i, dx[i], want)
		}
	}
}

// moments returns the mean and the biased variance of the elements at.
func moments[T float32 | float64](x []T, at []int) (mean, variance float64) {
	for _, i := range at {
		mean += float64(x[i]) / float64(len(at))
	}
	for _, i := range at {
		d := float64(x[i]) - mean
		variance += d * d / float64(len(at))
	}
	return mean, variance
}

// offset moves the mean away from zero, where a variance by E[x²]-E[x]² fails.
func offset[T float32 | float64](x []T, by T) []T {
	for i := range x {
		x[i] += by
	}
	return x
}

func testLayerNorm[T float32 | float64](t *testing.T, center T) {
	const eps = 1e-5
	for _, s := range []struct{ rows, cols int }{{1, 1}, {3, 5}, {40, 131}, {0, 4}} {
		for _, affine := range []bool{true, false} {
			t.Run(fmt.Sprintf("%dx%d/%v", s.rows, s.cols, affine), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(1, 2))
				x := offset(fill(rnd, make([]T, s.rows*s.cols)), center)
				var weight, bias []T
				if affine {
					weight, bias = fill(rnd, make([]T, s.cols)), fill(rnd, make([]T, s.cols))
				}
				y, mean, rstd := make([]T, len(x)), make([]T, s.rows), make([]T, s.rows)
				LayerNorm(s.rows, s.cols, x, nil, nil, weight, bias, eps, y, mean, rstd)
				row := 0
				eachLane(s.rows, s.cols, 1, func(at []int) {
					m, v := moments(x, at)
					r := 1 / math.Sqrt(v+eps)
					near(t, "mean", row, mean[row], m, 1+math.Abs(m))
					near(t, "rstd", row, rstd[row], r, r)
					for j, i := range at {
						want := (float64(x[i]) - m) * r
						if affine {
							want = want*float64(weight[j]) + float64(bias[j])
						}
						near(t, "y", i, y[i], want, 2+math.Abs(want))
					}
					row++
				})
			})
		}
	}
}

func TestLayerNorm(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testLayerNorm[float32](t, 100) })
	// Away from zero the reference would lose as many digits as the kernel.
	t.Run("float64", func(t *testing.T) { testLayerNorm[float64](t, 0) })
}

func TestLayerNormBackward(t *testing.T) {
	const rows, cols, eps = 5, 70, 1e-5
	rnd := rand.New(rand.NewPCG(3, 4))
	x, dy := fill(rnd, make([]float64, rows*cols)), fill(rnd, make([]float64, rows*cols))
	weight, bias := fill(rnd, make([]float64, cols)), fill(rnd, make([]float64, cols))
	y, mean, rstd := make([]float64, len(x)), make([]float64, rows), make([]float64, rows)
	dx, dweight, dbias := make([]float64, len(x)), make([]float64, cols), make([]float64, cols)
	for _, w := range [][]float64{weight, nil} {
		run := func() { LayerNorm(rows, cols, x, nil, nil, w, bias, eps, y, mean, rstd) }
		run()
		LayerNormBackward(rows, cols, dy, x, w, mean, rstd, nil, dx, dweight, dbias)
		checkGradient(t, "dx", x, dx, dy, y, run)
		checkGradient(t, "dweight", w, dweight[:len(w)], dy, y, run)
		checkGradient(t, "dbias", bias, dbias, dy, y, run)
	}
}

// TestRMSNorm compares with the formula, and gradients with differences.
func TestRMSNorm(t *testing.T) {
	const rows, cols, eps = 5, 70, 1e-5
	rnd := rand.New(rand.NewPCG(3, 4))
	x, dy := offset(fill(rnd, make([]float64, rows*cols)), 3), fill(rnd, make([]float64, rows*cols))
	weight, y, rstd := fill(rnd, make([]float64, cols)), make([]float64, len(x)), make([]float64, rows)
	dx, dweight := make([]float64, len(x)), make([]float64, cols)
	for _, w := range [][]float64{weight, nil} {
		run := func() { LayerNorm(rows, cols, x, nil, nil, w, nil, eps, y, nil, rstd) }
		run()
		for i := range x {
			squares := 0.0
			for _, v := range x[i/cols*cols:][:cols] {
				squares += v * v / cols
			}
			near(t, "y", i, y[i], x[i]/math.Sqrt(squares+eps)*weightAt(w, i%cols), 2)
		}
		LayerNormBackward(rows, cols, dy, x, w, nil, rstd, nil, dx, dweight, nil)
		checkGradient(t, "dx", x, dx, dy, y, run)
		checkGradient(t, "dweight", w, dweight[:len(w)], dy, y, run)
	}
}

// TestNormsAddAsAddDoes compares the norm of a sum, and a gradient that is added to another, with the additions by themselves.
func TestNormsAddAsAddDoes(t *testing.T) {
	const rows, cols, eps = 7, 100, 1e-5
	rnd := rand.New(rand.NewPCG(5, 6))
	draw := func(n int) []float32 { return fill(rnd, make([]float32, n)) }
	x, residual, dy, onto, weight := draw(rows*cols), draw(rows*cols), draw(rows*cols), draw(rows*cols), draw(cols)
	for _, centred := range []bool{true, false} {
		var mean []float32
		if centred {
			mean = make([]float32, rows)
		}
		sum, y, rstd := make([]float32, len(x)), make([]float32, len(x)), make([]float32, rows)
		wantSum, want, dx := make([]float32, len(x)), make([]float32, len(x)), make([]float32, len(x))
		LayerNorm(rows, cols, x, residual, sum, weight, nil, eps, y, mean, rstd)
		Add(wantSum, x, residual)
		LayerNorm(rows, cols, wantSum, nil, nil, weight, nil, eps, want, mean, rstd)
		if !slices.Equal(sum, wantSum) || !slices.Equal(y, want) {
			t.Errorf("centred %v: the norm of a sum differs", centred)
		}
		for _, w := range [][]float32{weight, nil} {
			LayerNormBackward(rows, cols, dy, sum, w, mean, rstd, nil, dx, nil, nil)
			Add(want, onto, dx)
			LayerNormBackward(rows, cols, dy, sum, w, mean, rstd, onto, dx, nil, nil)
			inPlace := slices.Clone(onto)
			LayerNormBackward(rows, cols, dy, sum, w, mean, rstd, inPlace, inPlace, nil, nil)
			if !slices.Equal(dx, want) || !slices.Equal(inPlace, want) {
				t.Errorf("centred %v, weighted %v: the gradient that is added differs", centred, w != nil)
			}
		}
	}
}

var channelShapes = []ChannelShape{{2, 3, 4}, {7, 5, 1}, {1, 2, 9}, {3, 70, 6}, {0, 2, 3}, {2, 0, 3}}

// channelLane returns the indices of channel c.
func (s ChannelShape) channelLane(c int) (at []int) {
	for n := range s.N {
		for l := range s.L {
			at = append(at, (n*s.C+c)*s.L+l)
		}
	}
	return at
}

func testBatchNorm[T float32 | float64](t *testing.T) {
	const eps = 1e-5
	for _, s := range channelShapes {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			x := offset(fill(rnd, make([]T, s.N*s.C*s.L)), 10)
			weight, bias := fill(rnd, make([]T, s.C)), fill(rnd, make([]T, s.C))
			y, plain := make([]T, len(x)), make([]T, len(x))
			mean, invstd, unbiased := make([]T, s.C), make([]T, s.C), make([]T, s.C)
			BatchNormMoments(s, x, eps, mean, invstd, unbiased)
			BatchNorm(s, x, mean, invstd, weight, bias, y)
			BatchNorm(s, x, mean, invstd, nil, nil, plain)
			for c := range s.C {
				at := s.channelLane(c)
				if len(at) == 0 {
					continue
				}
				m, v := moments(x, at)
				r := 1 / math.Sqrt(v+eps)
				n := float64(len(at))
				near(t, "mean", c, mean[c], m, m)
				near(t, "invstd", c, invstd[c], r, r)
				near(t, "unbiased", c, unbiased[c], v*n/(n-1), v+eps)
				for _, i := range at {
					// The mean, near 10, is rounded before it is subtracted.
					want := (float64(x[i]) - m) * r
					near(t, "plain", i, plain[i], want, 12*r)
					near(t, "y", i, y[i], want*float64(weight[c])+float64(bias[c]), 12*r)
				}
			}
		})
	}
}

func TestBatchNorm(t *testing.T) {
	t.Run("float32", testBatchNorm[float32])
	t.Run("float64", testBatchNorm[float64])
}

func TestBatchNormBackward(t *testing.T) {
	const eps = 1e-5
	for _, s := range channelShapes {
		for _, training := range []bool{true, false} {
			rnd := rand.New(rand.NewPCG(3, 4))
			n := s.N * s.C * s.L
			x, dy := fill(rnd, make([]float64, n)), fill(rnd, make([]float64, n))
			weight, bias := fill(rnd, make([]float64, s.C)), fill(rnd, make([]float64, s.C))
			y, mean, unbiased := make([]float64, n), make([]float64, s.C), make([]float64, s.C)
			invstd := offset(fill(rnd, make([]float64, s.C)), 2)
			run := func() {
				if training {
					BatchNormMoments(s, x, eps, mean, invstd, unbiased)
				}
				BatchNorm(s, x, mean, invstd, weight, bias, y)
			}
			run()
			dx, dweight, dbias := make([]float64, n), make([]float64, s.C), make([]float64, s.C)
			BatchNormBackward(s, training, dy, x, weight, mean, invstd, dx, dweight, dbias)
			name := fmt.Sprintf("%v training=%v ", s, training)
			checkGradient(t, name+"dx", x, dx, dy, y, run)
			checkGradient(t, name+"dweight", weight, dweight, dy, y, run)
			checkGradient(t, name+"dbias", bias, dbias, dy, y, run)
		}
	}
}

func TestGroupNormBackward(t *testing.T) {
	const eps = 1e-5
	for _, c := range []struct {
		ChannelShape
		groups int
	}{{ChannelShape{2, 6, 5}, 2}, {ChannelShape{3, 4, 1}, 2}, {ChannelShape{2, 3, 9}, 3}, {ChannelShape{1, 4, 33}, 1}, {ChannelShape{0, 4, 3}, 2}} {
		rnd := rand.New(rand.NewPCG(3, 4))
		s, n := c.ChannelShape, c.N*c.C*c.L
		x, dy := fill(rnd, make([]float64, n)), fill(rnd, make([]float64, n))
		weight, bias := fill(rnd, make([]float64, s.C)), fill(rnd, make([]float64, s.C))
		y, mean, invstd := make([]float64, n), make([]float64, s.N*c.groups), make([]float64, s.N*c.groups)
		dx, dweight, dbias := make([]float64, n), make([]float64, s.C), make([]float64, s.C)
		for _, w := range [][]float64{weight, nil} {
			run := func() { GroupNorm(s, c.groups, x, w, bias, eps, y, mean, invstd) }
			run()
			GroupNormBackward(s, c.groups, dy, x, w, mean, invstd, dx, dweight, dbias, make([]float64, 2*s.N*s.C))
			name := fmt.Sprintf("%v in %d groups: ", s, c.groups)
			checkGradient(t, name+"dx", x, dx, dy, y, run)
			checkGradient(t, name+"dweight", w, dweight[:len(w)], dy, y, run)
			checkGradient(t, name+"dbias", bias, dbias, dy, y, run)
		}
	}
}

func TestInvStd(t *testing.T) {
	got := make([]float32, 2)
	InvStd([]float32{3, 0}, 1, got)
	if got[0] != 0.5 || got[1] != 1 {
		t.Errorf("InvStd = %v, want [0.5 1]", got)
	}
}

func BenchmarkNorm(b *testing.B) {
	const rows, cols = 512, 1024
	x, y := fill(rand.New(rand.NewPCG(1, 2)), make([]float32, rows*cols)), make([]float32, rows*cols)
	mean, rstd, spread := make([]float32, cols), make([]float32, cols), make([]float32, cols)
	s := ChannelShape{32, 16, rows * cols / (32 * 16)}
	for _, row := range []struct {
		name string
		run  func()
	}{
		{"layer", func() { LayerNorm(rows, cols, x, nil, nil, nil, nil, 1e-5, y, mean, rstd) }},
		{"layer backward", func() { LayerNormBackward(rows, cols, x, x, nil, mean, rstd, nil, y, mean, mean) }},
		{"batch moments", func() { BatchNormMoments(s, x, 1e-5, mean, rstd, spread) }},
		{"batch", func() { BatchNorm(s, x, mean, rstd, nil, nil, y) }},
		{"batch backward", func() { BatchNormBackward(s, true, x, x, nil, mean, rstd, y, nil, nil) }},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.SetBytes(8 * rows * cols)
			for b.Loop() {
				row.run()
			}
		})
	}
}
