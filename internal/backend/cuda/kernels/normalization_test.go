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
				batchNorm[float32](t, s, parts, training, 4e-7)
				batchNorm[float64](t, s, parts, training, 1e-14)
			}
		}
	}
}

// batchNorm compares with the CPU's, in evaluation with the figures of other numbers; tol is relative, or absolute below 1.
func batchNorm[T dtype.Float](t *testing.T, s kern.ChannelShape, parts uint64, training bool, tol float64) {
	t.Helper()
	x, dy := ripple[T](s.N*s.C*s.L), ripple[T](s.N*s.C*s.L)
	for i := range dy {
		dy[i] *= x[len(x)-1-i]
	}
	weight, bias := ripple[T](s.C), ripple[T](s.C)
	mean, variance, invstd := make([]T, s.C), make([]T, s.C), make([]T, s.C)
	const eps, momentum = 1e-3, 0.25
	kern.BatchNormMoments(s, x, eps, mean, invstd, variance)
	runningMean, runningVar := make([]T, s.C), make([]T, 2*s.C) // the latter with a step of 2
	for i := range s.C {
		runningMean[i], runningVar[2*i] = T(i), T(i+1)
	}
	wantMean, wantVar := make([]T, s.C), make([]T, 2*s.C)
	copy(wantMean, runningMean)
	copy(wantVar, runningVar)
	if training {
		for i := range s.C {
			wantMean[i] = T(momentum*float64(mean[i]) + (1-momentum)*float64(runningMean[i]))
			wantVar[2*i] = T(momentum*float64(variance[i]) + (1-momentum)*float64(runningVar[2*i]))
		}
	} else {
		for i := range s.C {
			mean[i], variance[i] = runningMean[i], runningVar[2*i]
		}
		kern.InvStd(variance, eps, invstd)
	}
	y, dx, dweight, dbias := make([]T, len(x)), make([]T, len(x)), make([]T, s.C), make([]T, s.C)
	kern.BatchNorm(s, x, mean, invstd, weight, bias, y)
	kern.BatchNormBackward(s, training, dy, x, weight, mean, invstd, dx, dweight, dbias)

	m := &machine{t: t}
	gotMean, gotInvstd := make([]T, s.C), make([]T, s.C)
	gotY, gotDx, gotDweight, gotDbias := make([]T, len(x)), make([]T, len(x)), make([]T, s.C), make([]T, s.C)
	p := kernels.BatchNorm{
		Images: uint64(s.N), Channels: uint64(s.C), Pixels: uint64(s.L), Parts: parts, Eps: eps, Momentum: momentum,
		X: put(m, x), Weight: put(m, weight), Bias: put(m, bias), Y: put(m, gotY), Mean: put(m, gotMean), Invstd: put(m, gotInvstd),
		RunningMean: put(m, runningMean), RunningVar: put(m, runningVar), Steps: [2]int64{1, 2},
		Dy: put(m, dy), Dx: put(m, gotDx), Dweight: put(m, gotDweight), Dbias: put(m, gotDbias),
		Sums: put(m, make([]float64, 2*parts*uint64(s.C))),
	}
	rows, _ := kernels.RowGrid(p.Channels*parts, p.Images*p.Pixels/parts)
	flat := kernels.Flat(1<<20, few)
	if training {
		p.Training = 1
		launch(m, "batch_norm_moments"+suffix[T](), rows, p)
	}
	if !training || parts > 1 {
		launch(m, "batch_norm_figures"+suffix[T](), flat, p)
	}
	launch(m, "batch_norm"+suffix[T](), flat, p)
	launch(m, "batch_norm_sums"+suffix[T](), rows, p)
	if parts > 1 {
		launch(m, "batch_norm_totals"+suffix[T](), flat, p)
	}
	launch(m, "batch_norm_grad"+suffix[T](), flat, p)
	for _, c := range []struct {
		name      string
		got, want []T
	}{
		{"mean", gotMean, mean}, {"invstd", gotInvstd, invstd}, {"y", gotY, y},
		{"running mean", runningMean, wantMean}, {"running variance", runningVar, wantVar},
		{"dx", gotDx, dx}, {"dweight", gotDweight, dweight}, {"dbias", gotDbias, dbias},
	} {
		compareNearly(t, fmt.Sprintf("batch_norm%s of %v in %d parts, training %v: %s", suffix[T](), s, parts, training, c.name), c.got, c.want, 8*tol)
	}
}

func TestLayerNorm(t *testing.T) {
	for _, s := range [][2]int{{5, 12}, {2, 1100}, {20, 33}, {2, 1}} {
		for _, parts := range []uint64{1, 3} {
			layerNorm[float32](t, s[0], s[1], parts, 4e-7)
			layerNorm[float64](t, s[0], s[1], parts, 1e-14)
		}
	}
}

// layerNorm compares with the CPU's; tol is relative, or absolute below 1.
func layerNorm[T dtype.Float](t *testing.T, rows, columns int, parts uint64, tol float64) {
	t.Helper()
	x, dy := ripple[T](rows*columns), ripple[T](rows*columns)
	for i := range dy {
		dy[i] *= x[len(x)-1-i]
	}
	weight, bias := ripple[T](columns), ripple[T](columns)
	y, dx, mean, invstd := make([]T, len(x)), make([]T, len(x)), make([]T, rows), make([]T, rows)
	dweight, dbias := make([]T, columns), make([]T, columns)
	const eps = 1e-3
	kern.LayerNorm(rows, columns, x, weight, bias, eps, y, mean, invstd)
	kern.LayerNormBackward(rows, columns, dy, x, weight, mean, invstd, dx, dweight, dbias)

	m := &machine{t: t}
	gotY, gotDx, gotMean, gotInvstd := make([]T, len(x)), make([]T, len(x)), make([]T, rows), make([]T, rows)
	gotDweight, gotDbias := make([]T, columns), make([]T, columns)
	p := kernels.LayerNorm{
		Rows: uint64(rows), Columns: uint64(columns), Parts: parts, Eps: eps,
		X: put(m, x), Weight: put(m, weight), Bias: put(m, bias), Y: put(m, gotY), Mean: put(m, gotMean), Invstd: put(m, gotInvstd),
		Dy: put(m, dy), Dx: put(m, gotDx), Dweight: put(m, gotDweight), Dbias: put(m, gotDbias),
		Sums: put(m, make([]float64, 2*parts*uint64(columns))),
	}
	g, _ := kernels.RowGrid(p.Rows, p.Columns)
	launch(m, "layer_norm"+suffix[T](), g, p)
	launch(m, "layer_norm_grad"+suffix[T](), g, p)
	g, _ = kernels.LayerNormSumsGrid(p.Columns, parts)
	launch(m, "layer_norm_sums"+suffix[T](), g, p)
	if parts > 1 {
		launch(m, "layer_norm_totals"+suffix[T](), kernels.Flat(p.Columns, few), p)
	}
	for _, c := range []struct {
		name      string
		got, want []T
	}{
		{"mean", gotMean, mean}, {"invstd", gotInvstd, invstd}, {"y", gotY, y},
		{"dx", gotDx, dx}, {"dweight", gotDweight, dweight}, {"dbias", gotDbias, dbias},
	} {
		compareNearly(t, fmt.Sprintf("layer_norm%s of %dx%d in %d parts: %s", suffix[T](), rows, columns, parts, c.name), c.got, c.want, 8*tol)
	}
}
