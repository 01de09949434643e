package nn_test

import (
	"maps"
	"slices"
	"testing"

	"cresset/device"
	"cresset/nn"
	"cresset/tensor"
)

// family is a model whose child points back to it.
type family struct {
	Weight *tensor.Tensor
	Child  *child
}

type child struct {
	Fc     *nn.Linear
	Parent *family
}

func newFamily() *family {
	f := &family{Weight: tensor.Parameter(tensor.Ones(1)), Child: &child{Fc: nn.NewLinear(1, 1)}}
	f.Child.Parent = f
	return f
}

// TestModelsThatPointBackToThemselves: each walk ends, where it overflowed the stack before.
func TestModelsThatPointBackToThemselves(t *testing.T) {
	const want = "family(\n  (child): child(\n    (fc): Linear(in_features=1, out_features=1, bias=True)\n    (parent): family(...)\n  )\n)"
	f := newFamily()
	if got := nn.Describe(f); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	names := []string{"weight", "child.fc.weight", "child.fc.bias"}
	var got []string
	for name := range nn.Parameters(f) {
		got = append(got, name)
	}
	if !slices.Equal(got, names) {
		t.Errorf("parameters are %v, want %v", got, names)
	}
	state := nn.State(f)
	if got := slices.Sorted(maps.Keys(state)); !slices.Equal(got, slices.Sorted(slices.Values(names))) {
		t.Errorf("the state is %v", got)
	}
	if err := nn.LoadState(f, state); err != nil {
		t.Error(err)
	}
	if c := nn.Frozen(f); c == f || c.Child.Parent != c {
		t.Error("a copy points back to the original")
	}
}

// TestContainersThatHoldThemselves are slices and maps as above.
func TestContainersThatHoldThemselves(t *testing.T) {
	list := []any{nn.NewLinear(1, 1), nil}
	list[1] = list
	dict := map[string]any{"fc": nn.NewLinear(1, 1)}
	dict["self"] = dict
	for name, model := range map[string]any{
		"ModuleList(\n  (0): Linear(in_features=1, out_features=1, bias=True)\n  (1): ModuleList(...)\n)":     list,
		"ModuleDict(\n  (fc): Linear(in_features=1, out_features=1, bias=True)\n  (self): ModuleDict(...)\n)": dict,
	} {
		if got := nn.Describe(model); got != name {
			t.Errorf("got\n%s\nwant\n%s", got, name)
		}
		if n := nn.CountParameters(model); n != 2 {
			t.Errorf("%d parameters, want 2", n)
		}
		if n := len(nn.State(nn.Frozen(model))); n != 2 {
			t.Errorf("a state of %d tensors, want 2", n)
		}
	}
}

// masked has a causal mask, which belongs to the model and not to its files.
type masked struct {
	Fc   *nn.Linear
	Mask *tensor.Tensor `nn:",buffer,persistent=false"`
}

// TestBuffersThatAreNotInTheState move with a model, as PyTorch's with persistent=False.
func TestBuffersThatAreNotInTheState(t *testing.T) {
	m := &masked{nn.NewLinear(2, 2), tensor.Ones(2, 2).Tril(0)}
	state := nn.State(m)
	if got := slices.Sorted(maps.Keys(state)); !slices.Equal(got, []string{"fc.bias", "fc.weight"}) {
		t.Errorf("the state is %v", got)
	}
	if err := nn.LoadState(m, state); err != nil {
		t.Errorf("a state without the mask does not load: %v", err)
	}
	state["mask"] = tensor.Ones(2, 2)
	if err := nn.LoadState(m, state); err == nil {
		t.Error("a state with the mask loads")
	}
	var names []string
	for name := range nn.Buffers(m) {
		names = append(names, name)
	}
	if !slices.Equal(names, []string{"mask"}) {
		t.Errorf("buffers are %v", names)
	}
	if nn.To(m, device.Meta); !m.Mask.Device().IsMeta() {
		t.Error("the mask stays behind")
	}
	if nn.Frozen(m).Mask == m.Mask {
		t.Error("a copy shares the mask's tensor")
	}
}

// nothing is a type that holds nothing but itself.
type nothing []nothing

// TestTypesThatHoldThemselves wants fields that cannot lead to a tensor to be passed over, however they are made.
func TestTypesThatHoldThemselves(t *testing.T) {
	var itself any
	itself = &itself
	net := &struct {
		Lists  nothing
		Itself any
		Weight *tensor.Tensor
	}{nothing{nil, {}}, itself, tensor.Parameter(tensor.Ones(2))}
	if n := nn.CountParameters(nn.Copy(net, (*tensor.Tensor).Detach)); n != 2 {
		t.Errorf("got %d parameters, want 2", n)
	}
	if got := nn.Describe(net); got != "()" {
		t.Errorf("got %q", got)
	}
}
