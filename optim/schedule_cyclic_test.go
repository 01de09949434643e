package optim_test

import (
	"math"
	"testing"

	"cresset/nn"
	"cresset/optim"
)

// TestScalesOfCycles compares heights of one's own with the modes that they write out.
func TestScalesOfCycles(t *testing.T) {
	for _, c := range []struct {
		name      string
		own, mode []optim.CyclicLROption
	}{
		{"by cycle", []optim.CyclicLROption{optim.ScaleByCycle(func(c float64) float64 { return 1 / math.Exp2(c-1) })},
			[]optim.CyclicLROption{optim.Triangular2}},
		{"by step", []optim.CyclicLROption{optim.ScaleByStep(func(n float64) float64 { return math.Pow(0.9, n) })},
			[]optim.CyclicLROption{optim.ExpRange, optim.Gamma(0.9)}},
	} {
		rates := func(opts []optim.CyclicLROption) (all []float64) {
			opt := optim.NewSGD(nn.Parameters(nn.NewLinear(1, 1)), optim.LR(0.1))
			s := optim.NewCyclicLR(opt, []float64{0.1}, []float64{0.9}, append(opts, optim.StepSizeUp(3))...)
			for range 20 {
				opt.Step()
				s.Step()
				all = append(all, opt.Groups()[0].LR)
			}
			return all
		}
		got, want := rates(c.own), rates(c.mode)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-15 {
				t.Errorf("%s: step %d has the rate %v, want %v", c.name, i+1, got[i], want[i])
			}
		}
	}
}
