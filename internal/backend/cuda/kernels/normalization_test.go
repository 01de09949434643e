package kernels_test

import (
	"fmt"
	"slices"
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
			for _, centred := range []bool{true, false} {
				layerNorm[float32](t, s[0], s[1], parts, centred, 4e-6)
				layerNorm[float64](t, s[0], s[1], parts, centred, 1e-13)
			}
		}
	}
	layerNorm[float32](t, 2, 8200, 1, true, 4e-6) // more than threads hold
}

// layerNorm compares with the CPU's the norm of a sum, and a gradient that is added to another.
func layerNorm[T dtype.Float](t *testing.T, rows, columns int, parts uint64, centred bool, tol float64) {
	t.Helper()
	x, dy, weight, bias := normOperands[T](rows*columns, columns)
	residual, onto := slices.Clone(dy), slices.Clone(x)
	slices.Reverse(residual)
	want, got := newNormalized[T](len(x), rows, columns, 0), newNormalized[T](len(x), rows, columns, 0)
	if !centred {
		want[1], bias = nil, nil
	}
	wantSum, sum := make([]T, len(x)), make([]T, len(x))
	kern.LayerNorm(rows, columns, x, residual, wantSum, weight, bias, normEps, want[0], want[1], want[2])
	kern.LayerNormBackward(rows, columns, dy, wantSum, weight, want[1], want[2], onto, want[3], want[4], want[5])

	m := &machine{t: t}
	p := kernels.LayerNorm{
		Rows: uint64(rows), Columns: uint64(columns), Each: 1, Groups: 1, Parts: parts, Eps: normEps,
		X: put(m, x), Residual: put(m, residual), Sum: put(m, sum), Weight: put(m, weight), Y: put(m, got[0]), Invstd: put(m, got[2]),
		Dy: put(m, dy), Onto: put(m, onto), Dx: put(m, got[3]), Dweight: put(m, got[4]),
		Sums: put(m, make([]float64, 2*parts*uint64(columns))),
	}
	if centred {
		p.Bias, p.Mean, p.Dbias = put(m, bias), put(m, got[1]), put(m, got[5])
	} else {
		want[5] = make([]T, columns)
	}
	g, _ := kernels.HeldGrid(p.Rows, 2*p.Columns)
	launch(m, "layer_norm"+suffix[T](), g, p)
	p.X = p.Sum
	p.SumBlocks = uint32(kernels.ColumnBlocks(p.Columns) * parts)
	g, _ = kernels.NormGradGrid(p.Rows, 2*p.Columns, p.SumBlocks)
	launch(m, "layer_norm_grad"+suffix[T](), g, p)
	name := fmt.Sprintf("layer_norm%s of %dx%d in %d parts, centred %v", suffix[T](), rows, columns, parts, centred)
	got.compare(t, name, want, tol)
	if !slices.Equal(sum, wantSum) {
		t.Errorf("%s: the sum differs", name)
	}
}

func TestGroupNormGradient(t *testing.T) {
	for _, s := range []kern.ChannelShape{{N: 3, C: 4, L: 5}, {N: 2, C: 6, L: 301}, {N: 70, C: 2, L: 1}} {
		for _, parts := range []uint64{1, 3} {
			groupNormGradient[float32](t, s, parts, 4e-6)
			groupNormGradient[float64](t, s, parts, 1e-13)
		}
	}
}

func groupNormGradient[T dtype.Float](t *testing.T, s kern.ChannelShape, parts uint64, tol float64) {
	t.Helper()
	const groups = 2
	x, dy, weight, _ := normOperands[T](s.N*s.C*s.L, s.C)
	want, got := newNormalized[T](len(x), s.N*groups, s.C, 0), newNormalized[T](len(x), s.N*groups, s.C, 0)
	kern.GroupNorm(s, groups, x, weight, nil, normEps, want[0], want[1], want[2])
	kern.GroupNormBackward(s, groups, dy, x, weight, want[1], want[2], want[3], want[4], want[5], make([]float64, 2*s.N*s.C))
	copy(got[0], want[0])
	copy(got[1], want[1])
	copy(got[2], want[2])

	m := &machine{t: t}
	p := kernels.LayerNorm{
		Rows: uint64(s.N * groups), Columns: uint64(s.C / groups * s.L), Each: uint64(s.L), Groups: groups, Parts: parts,
		X: put(m, x), Weight: put(m, weight), Mean: put(m, got[1]), Invstd: put(m, got[2]),
		Dy: put(m, dy), Dx: put(m, got[3]), Dweight: put(m, got[4]), Dbias: put(m, got[5]),
		Sums: put(m, make([]float64, 2*parts*uint64(s.C))),
	}
	g, _ := kernels.HeldGrid(p.Rows, 2*p.Columns)
	launch(m, "layer_norm_grad"+suffix[T](), g, p)
	g, _ = kernels.RowGrid(uint64(s.C)*parts, uint64(s.N*s.L)/parts)
	launch(m, "group_norm_sums"+suffix[T](), g, p)
	if parts > 1 {
		launch(m, "layer_norm_totals"+suffix[T](), kernels.Flat(uint64(s.C), few), p)
	}
	got.compare(t, fmt.Sprintf("group_norm%s of %v in %d parts", suffix[T](), s, parts), want, tol)
}
