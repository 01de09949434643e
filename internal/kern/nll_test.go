package kern

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestNLL(t *testing.T) {
	s := ChannelShape{N: 4, C: 3, L: 5}
	rnd := rand.New(rand.NewPCG(1, 2))
	x := fill(rnd, make([]float64, s.N*s.C*s.L))
	targets := make([]int64, s.N*s.L)
	for i := range targets {
		targets[i] = rnd.Int64N(4) - 1
	}
	for _, weight := range [][]float64{nil, {0.5, 2, 3}} {
		loss, dx := make([]float64, len(targets)), fill(rnd, make([]float64, len(x)))
		sum, total := NLL(s, x, nil, targets, weight, -1, loss)
		var wantSum, wantTotal float64
		want, wantDx := make([]float64, len(targets)), make([]float64, len(x))
		for i, c := range targets {
			if c == -1 {
				continue
			}
			w, at := 1.0, (i/s.L*s.C+int(c))*s.L+i%s.L
			if weight != nil {
				w = weight[c]
			}
			want[i], wantDx[at] = -w*x[at], -w*0.25*3
			wantSum += want[i]
			wantTotal += w
		}
		for i := range want {
			if loss[i] != want[i] {
				t.Errorf("loss[%d] = %v, want %v", i, loss[i], want[i])
			}
		}
		if !(math.Abs(sum-wantSum) <= 1e-12) || !(math.Abs(total-wantTotal) <= 1e-12) {
			t.Errorf("sum %v of weight %v, want %v of %v", sum, total, wantSum, wantTotal)
		}
		each := make([]float64, len(targets))
		for i := range each {
			each[i] = 3
		}
		for _, dy := range [][]float64{{3}, each} {
			NLLBackward(s, dy, 0.25, targets, weight, -1, dx)
			for i := range dx {
				if dx[i] != wantDx[i] {
					t.Errorf("dx[%d] = %v, want %v", i, dx[i], wantDx[i])
				}
			}
		}
	}
}

func TestOutOfRange(t *testing.T) {
	for _, row := range []struct {
		targets []int64
		want    int64
		found   bool
	}{
		{nil, 0, false}, {[]int64{0, 2, -100}, 0, false}, {[]int64{0, 3, 7}, 3, true}, {[]int64{-1}, -1, true},
	} {
		got, found := OutOfRange(row.targets, 3, -100)
		if got != row.want || found != row.found {
			t.Errorf("OutOfRange(%v) = %v, %v, want %v, %v", row.targets, got, found, row.want, row.found)
		}
	}
}
