package nn_test

import (
	"fmt"
	"slices"
	"testing"

	"cresset/nn"
)

// TestModules: structs come in the order of the model, what is shared once, and a walk ends where it is told to.
func TestModules(t *testing.T) {
	norm := nn.NewBatchNorm1D(2)
	m := nn.NewSequential(nn.NewLinear(2, 2), norm, nn.NewSequential(norm, nn.NewReLU()))
	var got []string
	for name, module := range nn.Modules(m) {
		got = append(got, fmt.Sprintf("%s %T", name, module))
	}
	want := []string{" *nn.Sequential", "0 *nn.Linear", "1 *nn.BatchNorm1D", "1 *nn.BatchNorm", "1 *nn.NormBase", "1 *nn.Mode", "2 *nn.Sequential", "2.1 *nn.ReLU"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for name := range nn.Modules(m) {
		if name != "" {
			t.Error("a second module after the end")
		}
		break
	}
}
