package checkpoint_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/optim"
	"cresset/tensor"
)

// parametersOf returns parameters of given shapes.
func parametersOf(shapes ...tensor.Shape) func(yield func(string, *tensor.Tensor) bool) {
	ps := make([]*tensor.Tensor, len(shapes))
	for i, shape := range shapes {
		ps[i] = tensor.Ones(shape...).SetRequiresGrad(true)
	}
	return func(yield func(string, *tensor.Tensor) bool) {
		for i, p := range ps {
			if !yield(fmt.Sprint(i), p) {
				return
			}
		}
	}
}

// readValue returns all of a file.
func readValue(t *testing.T, path string) any {
	t.Helper()
	f, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := f.Value()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestPyTorchsOptimizerFiles loads the state of an SGD of 28 parameters, of which the first had gradients, as torch.save wrote it,
// and writes and loads it again.
func TestPyTorchsOptimizerFiles(t *testing.T) {
	shapes := make([]tensor.Shape, 28)
	shapes[0] = tensor.Shape{11, 8}
	for _, name := range []string{"optimizer_sgd.pt", "optimizer_sgd_legacy.pt"} {
		state := readValue(t, filepath.Join("testdata", name)).(map[string]any)
		o := optim.NewSGD(parametersOf(shapes...))
		if err := o.LoadStateDict(state); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := state["state"].(map[int]any)[0].(map[string]any)["momentum_buffer"].(*tensor.Tensor)
		path := filepath.Join(t.TempDir(), name)
		if err := checkpoint.WriteValue(path, o.StateDict()); err != nil {
			t.Fatal(err)
		}
		again := readValue(t, path).(map[string]any)
		got := again["state"].(map[int]any)
		group := again["param_groups"].([]any)[0].(map[string]any)
		if len(got) != 1 || !got[0].(map[string]any)["momentum_buffer"].(*tensor.Tensor).Equal(want) || group["lr"] != 0.1 || group["momentum"] != 0.9 {
			t.Errorf("%s: got %v", name, again)
		}
		if err := optim.NewSGD(parametersOf(shapes...)).LoadStateDict(again); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPyTorchsOptimizerOfGroups reads the state of an AdamW of two groups that differ, with amsgrad, and writes it again.
func TestPyTorchsOptimizerOfGroups(t *testing.T) {
	training := readValue(t, filepath.Join("testdata", "training.pt")).(*checkpoint.Dict)
	v, _ := training.Lookup("optimizer")
	state := v.(map[string]any)
	shapes := []tensor.Shape{{4, 1, 3, 3}, {6, 4, 3, 3}, {5, 6}, {4}, {4}, {6}, {5}}
	flat := func(_ string, p *tensor.Tensor) bool { return p.Dim() < 2 }
	load := func(state map[string]any, opts ...optim.AdamOption) (*optim.Algorithm, error) {
		o := optim.NewAdamW(parametersOf(shapes...), opts...)
		return o, o.LoadStateDict(state)
	}
	if _, err := load(state); err == nil || !strings.Contains(err.Error(), "param_groups[0] and param_groups[1] differ in weight_decay, 0.01 and 0:") {
		t.Errorf("got %v", err)
	}
	o, err := load(state, optim.For(flat, optim.WeightDecay(0.5)))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "groups.pt")
	if err := checkpoint.WriteValue(path, o.StateDict()); err != nil {
		t.Fatal(err)
	}
	again := readValue(t, path).(map[string]any)
	for i, decay := range []float64{0.01, 0} {
		if g := again["param_groups"].([]any)[i].(map[string]any); g["weight_decay"] != decay || g["amsgrad"] != true {
			t.Errorf("group %d is written as %v", i, g)
		}
	}
	most := func(state map[string]any) *tensor.Tensor {
		return state["state"].(map[int]any)[6].(map[string]any)["max_exp_avg_sq"].(*tensor.Tensor)
	}
	if !most(again).Equal(most(state)) {
		t.Errorf("got %v, want %v", most(again), most(state))
	}
}
