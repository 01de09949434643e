package cuda

import (
	"math"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/hardware"
	"cresset/internal/op"
)

// TestMasksHaveGradients is TestAttentionOfHalves for masks whose elements several scores share, along each axis, or one score has alone.
func TestMasksHaveGradients(t *testing.T) {
	slowUnderRace(t)
	m, err := hardware.Preset("a100", 1)
	if err != nil {
		t.Fatal(err)
	}
	dev, ran := cardOf(t, m), map[string]bool{}
	for i, shares := range [][4]bool{{}, {true}, {false, false, true}, {false, false, false, true}, {true, false, true}, {true, false, true, true}} {
		a := attends{Attend: op.Attend{Keep: 1, Causal: i%3 == 2, First: 9}, batch: 2, heads: 2, groups: 1, queries: 9 + 20*i, keys: 70 - 5*i, width: []int{24, 120, 250}[i%3],
			outputs: 32 + i*7%16, masked: true, mask: dtype.Float32, shares: shares, repeated: i%2 == 0}
		if i == 0 {
			a.Keep = 0.6
		}
		a.check(t, dev, halves[i%2])
		a.heads, a.SoftCap = 1, float64(i%2*2) // so that the first mask has an element for each score
		a.check(t, dev, halves[1-i%2])
	}
	noteKernels(t, dev, ran)
	for _, name := range kernels.Names() {
		if strings.HasPrefix(name, "attention_mask_mma_") && !ran[name] {
			t.Errorf("no setting runs %s", name)
		}
	}
}

// maskSteps are the strides of a mask that has each element once.
func (a *attends) maskSteps() []int {
	steps, size := make([]int, 4), 1
	for i, n := range []int{a.keys, a.queries, 1, a.batch} {
		if axis := 3 - i; axis != 1 && !a.shares[axis] {
			steps[axis] = size
			size *= n
		}
	}
	return steps
}

// places are those of the elements of a mask for one head, in row-major order, among its distinct ones.
func (a *attends) places() []int {
	steps, at := a.maskSteps(), make([]int, a.batch*a.queries*a.keys)
	for i := range at {
		at[i] = i/(a.queries*a.keys)*steps[0] + i/a.keys%a.queries*steps[2] + i%a.keys*steps[3]
	}
	return at
}

// share makes elements of a mask for one head the same that are one.
func (a *attends) share(mask []float64) {
	distinct := a.distinct(mask)
	for i, at := range a.places() {
		mask[i] = distinct[at]
	}
}

// distinct returns the elements of a mask, each once, joined the sums of the gradients of those that are one, and apart how far these may lie apart at most.
func (a *attends) distinct(mask []float64) (to []float64) {
	for i, at := range a.places() {
		if at == len(to) {
			to = append(to, mask[i])
		}
	}
	return to
}

func (a *attends) joined(dmask []float64) []float64 {
	to := make([]float64, len(a.distinct(dmask)))
	for i, at := range a.places() {
		to[at] += dmask[i]
	}
	return to
}

func (a *attends) apart(x, y []float64) float64 {
	off := make([]float64, len(x))
	for i := range off {
		off[i] = math.Abs(x[i] - y[i])
	}
	return largestOf(a.joined(off))
}
