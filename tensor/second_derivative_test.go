package tensor_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/gradcheck"
	"cresset/tensor"
)

// TestSecondDerivativesOfOps compares those of every row with finite differences: each is right, or an error says which kernel has none.
func TestSecondDerivativesOfOps(t *testing.T) {
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
var onceDifferentiable = []string{"attention", "attention that is causal", "attention of grouped queries", "attention with a soft cap", "attention with a mask",
	"attention with a mask of bools", "ctc_loss mean", "ctc_loss sum", "ctc_loss none", "rnn", "rnn in reverse", "rnn with relu", "gru", "gru in reverse",
	"lstm", "lstm in reverse"}
