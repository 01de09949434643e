package kernels_test

import (
	"fmt"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/kern"
)

func TestBatchNorm(t *testing.T) {
	for _, s := range []kern.ChannelShape{{N: 4, C: 3, L: 5}, {N: 3, C: 2, L: 401}, {N: 7, C: 40, L: 1}} {
		for _, parts := range []uint64{1, 3} {
			for _, training := range []bool{true, false} {
				batchNorm[float32](t, s, parts, training, 4e-6)
				batchNorm[float64](t, s, parts, training, 1e-13)
			}
		}
	}
}

// TestBatchNormFarFromZero has a mean that is many times the deviation, and a first element that is far from it.
func TestBatchNormFarFromZero(t *testing.T) {
	s := kern.ChannelShape{N: 9, C: 2, L: 401}
	x := ripple[float32](s.N * s.C * s.L)
	for i := range x {
		x[i] += 3000
	}
	x[0], x[s.L] = -5e4, 3000
	mean, invstd, m := make([]float32, s.C), make([]float32, s.C), &machine{t: t}
	wantMean, wantInvstd := make([]float32, s.C), make([]float32, s.C)
	kern.BatchNormMoments(s, x, normEps, wantMean, wantInvstd, nil)
	p := kernels.BatchNorm{
		Images: uint64(s.N), Channels: uint64(s.C), Pixels: uint64(s.L), Parts: 1, Eps: normEps, Training: 1,
		X: put(m, x), Mean: put(m, mean), Invstd: put(m, invstd),
	}
	g, _ := kernels.RowGrid(p.Channels, p.Images*p.Pixels)
	launch(m, "batch_norm_moments_f32", g, p)
	for c := range mean {
		near(t, fmt.Sprintf("mean of channel %d", c), float64(mean[c]), float64(wantMean[c]), 2e-7)
		near(t, fmt.Sprintf("invstd of channel %d", c), float64(invstd[c]), float64(wantInvstd[c]), 2e-6)
	}
}

const (
	normEps      = 1e-3
	normMomentum = 0.25
)

// normalized is what a normalisation and its gradients compute, in this order: y, mean, invstd, dx, dweight, dbias, and the
// running figures of batches, of which the variance has a step of 2.
type normalized[T dtype.Float] [8][]T

func newNormalized[T dtype.Float](elements, groups, weights, running int) (n normalized[T]) {
	for i, size := range []int{elements, groups, groups, elements, weights, weights, running, 2 * running} {
		n[i] = make([]T, size)
	}
	for i := range running {
		n[6][i], n[7][2*i] = T(i), T(i+1)
	}
	return n
}

// compare allows tol, relative, or absolute below 1.
func (got normalized[T]) compare(t *testing.T, name string, want normalized[T], tol float64) {
	t.Helper()
	for i, part := range []string{"y", "mean", "invstd", "dx", "dweight", "dbias", "running mean", "running variance"} {
		compareNearly(t, name+": "+part, got[i], want[i], tol)
	}
}

// normOperands returns x, a dy that has to do with it, weights and biases.
func normOperands[T dtype.Float](elements, weights int) (x, dy, weight, bias []T) {
	x, dy = ripple[T](elements), ripple[T](elements)
	for i := range dy {
		dy[i] *= x[len(x)-1-i]
	}
	return x, dy, ripple[T](weights), ripple[T](weights)
}

// batchNorm compares with the CPU's, in evaluation with the running figures.
func batchNorm[T dtype.Float](t *testing.T, s kern.ChannelShape, parts uint64, training bool, tol float64) {
	t.Helper()
	x, dy, weight, bias := normOperands[T](s.N*s.C*s.L, s.C)
	want, got := newNormalized[T](len(x), s.C, s.C, s.C), newNormalized[T](len(x), s.C, s.C, s.C)
	variance := make([]T, s.C)
	if training {
		kern.BatchNormMoments(s, x, normEps, want[1], want[2], variance)
		for i := range s.C {
			want[6][i] = T(normMomentum*float64(want[1][i]) + (1-normMomentum)*float64(want[6][i]))
			want[7][2*i] = T(normMomentum*float64(variance[i]) + (1-normMomentum)*float64(want[7][2*i]))
		}
	} else {
		for i := range s.C {
			want[1][i], variance[i] = want[6][i], want[7][2*i]
		}
		kern.InvStd(variance, normEps, want[2])
	}
	kern.BatchNorm(s, x, want[1], want[2], weight, bias, want[0])
	kern.BatchNormBackward(s, training, dy, x, weight, want[1], want[2], want[3], want[4], want[5])

	m := &machine{t: t}
	batchNormOnGPU(m, kernels.BatchNorm{
		Images: uint64(s.N), Channels: uint64(s.C), Pixels: uint64(s.L), Parts: parts, Eps: normEps, Momentum: normMomentum,
		X: put(m, x), Weight: put(m, weight), Bias: put(m, bias), Y: put(m, got[0]), Mean: put(m, got[1]), Invstd: put(m, got[2]),
		Dy: put(m, dy), Dx: put(m, got[3]), Dweight: put(m, got[4]), Dbias: put(m, got[5]),
		RunningMean: put(m, got[6]), RunningVar: put(m, got[7]), Steps: [2]int64{1, 2},
		Sums: put(m, make([]float64, 2*parts*uint64(s.C))),
	}, suffix[T](), training)
	got.compare(t, fmt.Sprintf("batch_norm%s of %v in %d parts, training %v", suffix[T](), s, parts, training), want, tol)
}

// batchNormOnGPU launches both directions.
func batchNormOnGPU(m *machine, p kernels.BatchNorm, suffix string, training bool) {
	rows, _ := kernels.RowGrid(p.Channels*p.Parts, p.Images*p.Pixels/p.Parts)
	flat := kernels.Flat(1<<20, few)
	if training {
		p.Training = 1
		launch(m, "batch_norm_moments"+suffix, rows, p)
	}
	if !training || p.Parts > 1 {
		launch(m, "batch_norm_figures"+suffix, flat, p)
	}
	launch(m, "batch_norm"+suffix, flat, p)
	launch(m, "batch_norm_sums"+suffix, rows, p)
	if p.Parts > 1 {
		launch(m, "batch_norm_totals"+suffix, flat, p)
	}
	launch(m, "batch_norm_grad"+suffix, flat, p)
}

func TestLayerNorm(t *testing.T) {
	for _, s := range [][2]int{{5, 12}, {2, 1100}, {20, 33}, {2, 1}} {
		for _, parts := range []uint64{1, 3} {
			layerNorm[float32](t, s[0], s[1], parts, 4e-6)
			layerNorm[float64](t, s[0], s[1], parts, 1e-13)
		}
	}
}

// layerNorm compares with the CPU's.
func layerNorm[T dtype.Float](t *testing.T, rows, columns int, parts uint64, tol float64) {
	t.Helper()
	x, dy, weight, bias := normOperands[T](rows*columns, columns)
	want, got := newNormalized[T](len(x), rows, columns, 0), newNormalized[T](len(x), rows, columns, 0)
	kern.LayerNorm(rows, columns, x, weight, bias, normEps, want[0], want[1], want[2])
	kern.LayerNormBackward(rows, columns, dy, x, weight, want[1], want[2], want[3], want[4], want[5])

	m := &machine{t: t}
	p := kernels.LayerNorm{
		Rows: uint64(rows), Columns: uint64(columns), Each: 1, Groups: 1, Parts: parts, Eps: normEps,
		X: put(m, x), Weight: put(m, weight), Bias: put(m, bias), Y: put(m, got[0]), Mean: put(m, got[1]), Invstd: put(m, got[2]),
		Dy: put(m, dy), Dx: put(m, got[3]), Dweight: put(m, got[4]), Dbias: put(m, got[5]),
		Sums: put(m, make([]float64, 2*parts*uint64(columns))),
	}
	g, _ := kernels.HeldGrid(p.Rows, 2*p.Columns)
	launch(m, "layer_norm"+suffix[T](), g, p)
	launch(m, "layer_norm_grad"+suffix[T](), g, p)
	g, _ = kernels.LayerNormSumsGrid(p.Columns, parts)
	launch(m, "layer_norm_sums"+suffix[T](), g, p)
	if parts > 1 {
		launch(m, "layer_norm_totals"+suffix[T](), kernels.Flat(p.Columns, few), p)
	}
	got.compare(t, fmt.Sprintf("layer_norm%s of %dx%d in %d parts", suffix[T](), rows, columns, parts), want, tol)
}
