package kern

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestCrossEntropyIsNLLOfLogSoftmax compares losses and gradients with those by way of all log probabilities.
func TestCrossEntropyIsNLLOfLogSoftmax(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, s := range []ChannelShape{{N: 7, C: 3, L: 1}, {N: 4, C: 37, L: 5}, {N: 1, C: 300, L: 33}} {
		size, count := s.N*s.C*s.L, s.N*s.L
		x, weight, dy := fill(rnd, make([]float64, size)), fill(rnd, make([]float64, s.C)), fill(rnd, make([]float64, count))
		targets := make([]int64, count)
		for i := range targets {
			targets[i] = rnd.Int64N(int64(s.C)+1) - 1
		}
		logs, dlogs, wantDx, dx := make([]float64, size), make([]float64, size), make([]float64, size), make([]float64, size)
		wantLoss, loss, shifts := make([]float64, count), make([]float64, count), make([]float64, 2*count)
		_ = LogSoftmax(s.N, s.C, s.L, x, logs)
		wantSum, _ := NLL(s, logs, nil, targets, weight, -1, wantLoss)
		NLLBackward(s, dy, 0.5, targets, weight, -1, dlogs)
		_ = LogSoftmaxBackward(s.N, s.C, s.L, dlogs, logs, wantDx)

		_ = SoftmaxShifts(s.N, s.C, s.L, x, shifts)
		sum, _ := NLL(s, x, shifts, targets, weight, -1, loss)
		_ = CrossEntropyBackward(s, x, shifts, dy, 0.5, targets, weight, -1, dx)
		if !(math.Abs(sum-wantSum) <= 1e-12*float64(count)) {
			t.Errorf("%v: sum %v, want %v", s, sum, wantSum)
		}
		for i := range loss {
			near(t, "loss", i, loss[i], wantLoss[i], 1)
		}
		for i := range dx {
			near(t, "dx", i, dx[i], wantDx[i], 1)
		}
	}
}
