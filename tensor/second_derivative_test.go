package tensor_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/gradcheck"
	"cresset/internal/race"
	"cresset/tensor"
)

// TestSecondDerivativesOfOps compares those of every row with finite differences: each is right, or an error says which kernel has none.
func TestSecondDerivativesOfOps(t *testing.T) {
	if race.Enabled {
		t.Skip("differences of gradients, which TestOps computes too, take minutes under the race detector")
	}
	var once []string
	for _, r := range allRows() {
		if r.noGrad {
			continue
		}
		f, varying := r.varying(r.tensors(device.CPU, dtype.Float64, false))
		var err error
		if e := tensor.Try(func() { err = gradcheck.CheckSecond(r.name, f, varying...) }); e != nil {
			err = e
		}
		var refused *tensor.Error
		switch {
		case err == nil:
		case errors.As(err, &refused) && strings.Contains(refused.Error(), "derivative for aten::"):
			once = append(once, r.name)
		default:
			t.Error(err)
		}
	}
	if !slices.Equal(once, onceDifferentiable) {
		t.Errorf("without second derivatives are %q, want %q", once, onceDifferentiable)
	}
}

// onceDifferentiable are the rows whose gradients are computed by kernels alone.
var onceDifferentiable = []string{"ctc_loss mean", "ctc_loss sum", "ctc_loss none", "rnn", "rnn in reverse", "rnn with relu", "gru", "gru in reverse",
	"lstm", "lstm in reverse"}

// TestSincIsSmoothAtZero: its slope is a quotient whose parts vanish there.
func TestSincIsSmoothAtZero(t *testing.T) {
	x := []*tensor.Tensor{leafOf(0, 1e-9)}
	slope := tensor.Grad(x[0].Sinc().Sum(), x, tensor.CreateGraph(true))
	wantValues(t, "slope", slope[0].Detach(), 0, -math.Pi*math.Pi/3*1e-9)
	wantValues(t, "bend", tensor.Grad(slope[0].Sum(), x)[0], -math.Pi*math.Pi/3, -math.Pi*math.Pi/3)
}
