package nn_test

import (
	"errors"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/nn"
	"cresset/tensor"
)

func names(model any) string {
	var out []string
	for name := range nn.Parameters(model) {
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

type block struct {
	InProj *nn.Linear
	FC1    *nn.Linear
	Scale  *tensor.Tensor
	Shift  *tensor.Tensor `nn:",buffer"`
	Named  *tensor.Tensor `nn:"in_proj_weight"`
	Hidden *tensor.Tensor `nn:"-"`
	Layers nn.ModuleList
	Extra  map[string]*nn.Linear
	Count  int
	note   string
}

func newBlock() *block {
	return &block{
		InProj: nn.NewLinear(2, 2, nn.Bias(false)), FC1: nn.NewLinear(2, 3),
		Scale: tensor.Parameter(tensor.Ones(1)), Shift: tensor.Zeros(1), Named: tensor.Parameter(tensor.Ones(1)),
		Hidden: tensor.Ones(1), Layers: nn.NewModuleList(nn.NewReLU(), nn.NewLinear(1, 1)),
		Extra: map[string]*nn.Linear{"b": nn.NewLinear(1, 1, nn.Bias(false)), "a": nn.NewLinear(1, 1, nn.Bias(false))},
		note:  "unexported fields that lead to no tensor are of no concern",
	}
}

func TestNames(t *testing.T) {
	type inner struct{ *nn.Linear }
	shared := nn.NewLinear(1, 1)
	cases := []struct {
		name  string
		model any
		want  string
	}{
		{"linear", nn.NewLinear(3, 1), "weight bias"},
		{"sequential", nn.NewSequential(nn.NewLinear(3, 4), nn.NewReLU(), nn.NewLinear(4, 1)), "0.weight 0.bias 2.weight 2.bias"},
		{"nested", nn.NewSequential(nn.NewSequential(nn.NewLinear(1, 1, nn.Bias(false)))), "0.0.weight"},
		{"struct", newBlock(), "scale in_proj_weight in_proj.weight fc1.weight fc1.bias layers.1.weight layers.1.bias extra.a.weight extra.b.weight"},
		{"embedded", &inner{nn.NewLinear(1, 1)}, "weight bias"},
		{"shared module comes once", nn.NewSequential(shared, shared), "0.weight 0.bias"},
		{"slice", []*nn.Linear{nn.NewLinear(1, 1, nn.Bias(false)), nil, nn.NewLinear(1, 1, nn.Bias(false))}, "0.weight 2.weight"},
		{"nothing", struct{ N int }{3}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := names(c.model); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestBuffersAreNoParameters(t *testing.T) {
	var got []string
	for name := range nn.Buffers(newBlock()) {
		got = append(got, name)
	}
	if strings.Join(got, " ") != "shift" {
		t.Errorf("buffers are %v", got)
	}
}

func TestUnexportedTensorIsRefused(t *testing.T) {
	model := &struct{ weight *tensor.Tensor }{tensor.Ones(1)}
	err := tensor.Try(func() { names(model) })
	if err == nil || !strings.Contains(err.Error(), `"weight"`) {
		t.Errorf("got %v", err)
	}
	layer := &struct{ hidden *nn.Linear }{nn.NewLinear(1, 1)}
	if err := tensor.Try(func() { names(layer) }); err == nil {
		t.Error("a module in an unexported field was passed over in silence")
	}
}

func TestTensorThatIsNoPointerIsRefused(t *testing.T) {
	model := &struct {
		Layers []struct{ Weight tensor.Tensor }
	}{make([]struct{ Weight tensor.Tensor }, 1)}
	if err := tensor.Try(func() { names(model) }); err == nil || !strings.Contains(err.Error(), `"layers.0.weight"`) {
		t.Errorf("got %v", err)
	}
}

func TestNamesAreUnique(t *testing.T) {
	one := func() *tensor.Tensor { return tensor.Parameter(tensor.Ones(1)) }
	twice := &struct {
		A *tensor.Tensor `nn:"w"`
		B *tensor.Tensor `nn:"w"`
	}{one(), one()}
	typo := &struct {
		A *tensor.Tensor `nn:"w,bufer"`
	}{one()}
	for model, want := range map[any]string{
		twice: `the model has two tensors of the name "w"`,
		typo:  `the tag of field A says "bufer", which is none of buffer, buffer,persistent=false and inline`,
	} {
		for what, walk := range map[string]func(){
			"State":      func() { nn.State(model) },
			"Parameters": func() { names(model) },
			"Frozen":     func() { nn.Parameters(nn.Frozen(model))(func(string, *tensor.Tensor) bool { return true }) },
		} {
			if err := tensor.Try(walk); err == nil || err.Error() != want {
				t.Errorf("%s: got %v, want %s", what, err, want)
			}
		}
	}
}

func TestStateOfAModelThatHoldsItself(t *testing.T) {
	type ring struct {
		Next   *ring
		Weight *tensor.Tensor
	}
	r := &ring{Weight: tensor.Parameter(tensor.Ones(1))}
	r.Next = r
	if got := len(nn.State(r)); got != 1 {
		t.Errorf("%d entries, want 1", got)
	}
}

func TestToKeepsIdentity(t *testing.T) {
	net := newBlock()
	weight, shift := net.FC1.Weight, net.Shift
	nn.ZeroGrad(net)
	net.FC1.Forward(tensor.Ones(1, 2)).Sum().Backward()
	if got := nn.To(net, dtype.Float64); got != net {
		t.Error("To returned another model")
	}
	if net.FC1.Weight != weight || net.Shift != shift {
		t.Error("a parameter or buffer lost its identity")
	}
	if weight.DType() != dtype.Float64 || weight.Grad().DType() != dtype.Float64 || !weight.IsLeaf() || !weight.RequiresGrad() {
		t.Errorf("weight is %s with a gradient of %s", weight.DType(), weight.Grad().DType())
	}
	net.FC1.Forward(tensor.On(weight.Device()).As(dtype.Float64).Ones(1, 2)).Sum().Backward()
	if got := tensor.Values[float64](weight.Grad())[0]; got != 2 {
		t.Errorf("gradient is %v after two backwards, want 2", got)
	}
}

func TestGraphBeforeAMoveStillBackpropagates(t *testing.T) {
	l := nn.NewLinear(2, 2)
	y := l.Forward(tensor.Ones(2, 2)).Sum()
	nn.To(l, dtype.Float64)
	y.Backward()
	if g := l.Weight.Grad(); g == nil || g.DType() != dtype.Float64 {
		t.Errorf("gradient is %v", g)
	}
}

func TestToKeepsIntegerBuffers(t *testing.T) {
	model := &struct {
		Weight *tensor.Tensor
		Count  *tensor.Tensor `nn:",buffer"`
	}{tensor.Parameter(tensor.Ones(1)), tensor.Of([]int{3})}
	nn.To(model, dtype.Float64)
	if model.Count.DType() != dtype.Int64 || model.Weight.DType() != dtype.Float64 {
		t.Errorf("dtypes are %s and %s", model.Weight.DType(), model.Count.DType())
	}
}

func TestToErrors(t *testing.T) {
	cases := []struct {
		target tensor.Target
		want   string
	}{
		{dtype.Int32, "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.int32"},
		{tensor.Copy(true), ".to() does not accept copy argument"},
	}
	for _, c := range cases {
		if err := tensor.Try(func() { nn.To(nn.NewLinear(1, 1), c.target) }); err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

func TestModes(t *testing.T) {
	drop := nn.NewDropout(0.5)
	net := nn.NewSequential(nn.NewLinear(2, 2), drop)
	if nn.Eval(net); drop.Training() {
		t.Error("Eval left Dropout training")
	}
	if nn.Train(net); !drop.Training() {
		t.Error("Train left Dropout evaluating")
	}
}

func TestFrozen(t *testing.T) {
	drop := nn.NewDropout(0.5)
	net := nn.NewSequential(nn.NewLinear(2, 2), drop, nn.NewSequential(nn.NewLinear(2, 1)))
	frozen := nn.Frozen(net)
	for name, p := range nn.Parameters(frozen) {
		if p.RequiresGrad() {
			t.Errorf("%s of the frozen model tracks gradients", name)
		}
	}
	if !drop.Training() {
		t.Error("Frozen changed the model's mode")
	}
	if frozen.At(1).(*nn.Dropout).Training() {
		t.Error("the frozen model trains")
	}
	first := net.At(0).(*nn.Linear)
	if !frozen.At(0).(*nn.Linear).Weight.SharesStorage(first.Weight) {
		t.Error("the frozen model has storage of its own")
	}
	x := tensor.Ones(1, 2)
	before := frozen.Forward(x).Float64()
	first.Weight.Detach().AddScalarInPlace(1)
	if after := frozen.Forward(x).Float64(); before == after {
		t.Error("training is not seen by the frozen model")
	}
	if frozen.Forward(x).RequiresGrad() {
		t.Error("the frozen model's result tracks gradients")
	}
}

func TestLoadStateRefusesNil(t *testing.T) {
	for want, f := range map[string]func() error{
		"a model must be a pointer to a struct, not nil": func() error { return nn.LoadState(nil, nil) },
		`the state's tensor "bias" is nil`: func() error {
			return nn.LoadState(nn.NewLinear(1, 1), map[string]*tensor.Tensor{"bias": nil})
		},
	} {
		if err := tensor.Try(func() { f() }); !errors.Is(err, tensor.ErrValue) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestLoadState(t *testing.T) {
	a, b := nn.NewLinear(2, 2), nn.NewLinear(2, 2)
	if err := nn.LoadState(b, nn.State(a)); err != nil {
		t.Fatal(err)
	}
	if !a.Weight.Equal(b.Weight) {
		t.Error("weights differ after LoadState")
	}
	cases := []struct {
		name, want string
		state      map[string]*tensor.Tensor
	}{
		{"load_state", "Error(s) in loading state_dict for Linear:\n\tMissing key(s) in state_dict: \"weight\", \"bias\". ", nil},
		{"load_state shape", "Error(s) in loading state_dict for Linear:\n\tsize mismatch for weight: copying a param with shape torch.Size([3, 3]) from checkpoint, the shape in current model is torch.Size([2, 2]).",
			map[string]*tensor.Tensor{"weight": tensor.Ones(3, 3), "bias": tensor.Ones(2)}},
		{"unexpected", "Error(s) in loading state_dict for Linear:\n\tUnexpected key(s) in state_dict: \"x\". ",
			map[string]*tensor.Tensor{"weight": tensor.Ones(2, 2), "bias": tensor.Ones(2), "x": tensor.Ones(1)}},
	}
	for _, c := range cases {
		if err := nn.LoadState(b, c.state); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
	if !a.Weight.Equal(b.Weight) {
		t.Error("a state that does not fit changed the model")
	}
}

func TestSequentialGrows(t *testing.T) {
	net := nn.NewSequential(nn.NewLinear(3, 4))
	if got := net.Append(nn.NewTanh(), nn.NewLinear(4, 1)); got != net || net.Len() != 3 {
		t.Errorf("%d modules, want 3", net.Len())
	}
	if got, want := nn.CountParameters(net), 3*4+4+4+1; got != want {
		t.Errorf("%d elements, want %d", got, want)
	}
	ps := nn.ParameterList(net)
	if len(ps) != 4 || ps[0] != net.At(0).(*nn.Linear).Weight || ps[3] != net.At(2).(*nn.Linear).Bias {
		t.Errorf("%d parameters in another order", len(ps))
	}
}

func TestCUDAWithoutAGPU(t *testing.T) {
	l := nn.NewLinear(1, 1)
	err := tensor.Try(func() { nn.CUDA(l, 100) })
	if err == nil || !errors.Is(err, tensor.ErrDevice) || l.Weight.IsCUDA() {
		t.Errorf("got %v", err)
	}
	if nn.CPU(l) != l {
		t.Error("CPU returned another model")
	}
}
