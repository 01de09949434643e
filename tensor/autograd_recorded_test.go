package tensor_test

import (
	"fmt"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/internal/golden"
	"cresset/tensor"
)

// autogradErrors holds, for each error in PyTorch's recording, what provokes it here.
var autogradErrors = map[string]func(){
	"nonscalar": func() { leafOf(1, 2).MulScalar(2).Backward() },
	"no grad":   func() { tensor.Ones(1).Sum().Backward() },
	"int loss":  func() { tensor.FromSlice([]int64{1}).Sum().Backward() },
	"twice": func() {
		x := leafOf(1, 2)
		y := x.Mul(x).Sum()
		y.Backward()
		y.Backward()
	},
	"inplace saved": func() {
		x := leafOf(1, 2)
		y := x.Exp()
		y.AddScalarInPlace(1)
		y.Sum().Backward()
	},
	"inplace mul": func() {
		x := leafOf(1, 2)
		y := x.AddScalar(1)
		z := y.Mul(y)
		y.AddScalarInPlace(1)
		z.Sum().Backward()
	},
	"leaf inplace":      func() { leafOf(1, 2).AddScalarInPlace(1) },
	"leaf inplace mul":  func() { leafOf(1, 2).MulScalarInPlace(2) },
	"leaf copy_":        func() { leafOf(1, 2).CopyInPlace(tensor.Ones(2)) },
	"leaf view inplace": func() { leafOf(1, 2).View(2, 1).AddScalarInPlace(1) },
	"leaf setitem":      func() { leafOf(1, 2).Select(0, 0).FillInPlace(3) },
	"grad shape": func() {
		leafOf(1, 2).MulScalar(2).Backward(tensor.Gradient(tensor.Ones(3)))
	},
	"rg_ nonleaf":           func() { leafOf(1).MulScalar(2).SetRequiresGrad(false) },
	"retain_grad leaf none": func() { tensor.Ones(2).RetainGrad() },
	"grad notrg": func() {
		tensor.Grad(leafOf(1).MulScalar(2).Sum(), []*tensor.Tensor{tensor.Ones(1)})
	},
	"hook no rg": func() { tensor.Ones(2).RegisterHook(func(*tensor.Tensor) *tensor.Tensor { return nil }) },
	"detach inplace on saved": func() {
		x := leafOf(1, 2)
		y := x.Exp()
		y.Detach().ZeroInPlace()
		y.Sum().Backward()
	},
}

// autogradValues computes the values of PyTorch's recording, as Python prints them.
var autogradValues = map[string]func() string{
	"twice add": func() string {
		y := leafOf(1, 2).AddScalar(1).Sum()
		y.Backward()
		y.Backward()
		return "None"
	},
	"accum": func() string {
		x := tensor.Ones(2, 2).SetRequiresGrad(true)
		x.MulScalar(2).Sum().Backward()
		x.MulScalar(2).Sum().Backward()
		return x.Grad().String()
	},
	"leaf .data": func() string {
		x := leafOf(1, 1)
		return tuple(x.Detach().AddScalarInPlace(1), x)
	},
	"no_grad inplace": func() string { // Detach stands for torch.no_grad
		x := leafOf(1, 1)
		x.Detach().AddScalarInPlace(2)
		return tuple(x, x)
	},
	"no_grad op":     func() string { return leafOf(3, 3).Detach().MulScalar(2).String() },
	"grad none leaf": func() string { return none(leafOf(1).Grad()) },
	"is_leaf": func() string {
		x := leafOf(1)
		y := x.MulScalar(2)
		return tuple(x.IsLeaf(), y.IsLeaf(), y.Detach().IsLeaf(), tensor.Ones(1).IsLeaf(), noName(x.GradFn()), "'"+y.GradFn()+"'")
	},
	"detach shares": func() string { x := leafOf(1); return tuple(x.Detach().SharesStorage(x)) },
	"retain_grad": func() string {
		y := leafOf(1, 1).MulScalar(3)
		y.RetainGrad()
		y.Sum().Backward()
		return tuple("None", "None", y.Grad())
	},
	"autograd.grad": func() string {
		x := leafOf(3, 3)
		return "(" + tensor.Grad(x.Mul(x).Sum(), []*tensor.Tensor{x})[0].String() + ",)"
	},
	"create_graph": func() string {
		x := []*tensor.Tensor{leafOf(3, 3)}
		g := tensor.Grad(x[0].Pow(3).Sum(), x, tensor.CreateGraph(true))[0]
		return "(" + tensor.Grad(g.Sum(), x)[0].String() + ",)"
	},
	"allow_unused": func() string {
		unused := tensor.Grad(leafOf(1).Sum(), []*tensor.Tensor{leafOf(1)}, tensor.AllowUnused(true))
		return "(" + none(unused[0]) + ",)"
	},
	"hook": func() string {
		x := leafOf(1, 1)
		var seen *tensor.Tensor
		x.RegisterHook(func(g *tensor.Tensor) *tensor.Tensor { seen = g; return g.MulScalar(3) })
		x.MulScalar(2).Sum().Backward()
		return fmt.Sprintf("([%v], %v)", seen, x.Grad())
	},
	"version": func() string {
		x := tensor.Ones(2)
		first := x.Version()
		x.AddScalarInPlace(1)
		return tuple(first, x.Version(), x.View(2, 1).Version())
	},
	"detach inplace modifies": func() string {
		y := leafOf(1, 1).MulScalar(2)
		y.Detach().ZeroInPlace()
		return y.String()
	},
	"saved out unaffected": func() string {
		x := leafOf(1, 1)
		y := x.MulScalar(2)
		y.Detach().ZeroInPlace()
		y.Sum().Backward()
		return tuple("None", x.Grad())
	},
	"view": func() string { x := leafOf(1, 1); y := x.View(2, 1); return tuple(y.SharesStorage(x), y.IsLeaf()) },
	"grad dtype": func() string {
		x := leafOf(1)
		x.To(dtype.Float64).Sum().Backward()
		return tuple("None", x.Grad().DType())
	},
	"retain": func() string {
		x := leafOf(1, 1)
		y := x.Mul(x).Sum()
		y.Backward(tensor.RetainGraph(true))
		y.Backward()
		return tuple("None", "None", x.Grad())
	},
	"ones_like grad": func() string {
		y := leafOf(1, 2).MulScalar(2)
		y.Backward(tensor.Gradient(tensor.OnesLike(y)))
		return "None"
	},
	"tensor(rg)": func() string {
		x := tensor.Of([]float32{3, 3}).SetRequiresGrad(true)
		x.Mul(x).Sum().Backward()
		return x.Grad().String()
	},
}

const (
	noSwitches    = "there are no thread-wide switches: Detach and nn.Frozen take their place"
	noModuleHooks = "modules have no hooks: what one would do stands in Forward"
	gradWarning   = "[\"The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated during " +
		"autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. " +
		"If you access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more " +
		"informations. (Triggered internally at ./build/aten/src/ATen/core/TensorBody.h:489.)\"]"
)

// autogradOmitted says why an entry of the recording is not asserted.
var autogradOmitted = map[string]string{
	"inference save":            "there is no inference mode: Detach and nn.Frozen take its place",
	"deepcopy nonleaf":          "Go values are copied by Clone, which keeps the record",
	"leaf rg in no_grad":        noSwitches,
	"set_grad_enabled":          noSwitches,
	"inf":                       noSwitches,
	gradWarning:                 "libraries do not warn; the documentation of Grad says it",
	"next_functions":            "the record has no addresses to print; GradFn names its last op",
	"grad unused":               "2.15 names the tensor by its index: internal/conformance asserts that",
	"hooks order":               noModuleHooks,
	"anomaly":                   "there is no anomaly mode: errors name the op",
	".data unseen":              "there is no .data: what Detach changes is seen, as detach inplace on saved asserts",
	"inplace bool mask":         "no assignment takes a mask: MaskedFill and Where make new tensors",
	"pre (tensor([[1., 1.]]),)": noModuleHooks,
	"fwd (tensor([[1., 1.]]),) tensor([[0.3695]], grad_fn=<AddmmBackward0>)": noModuleHooks,
	"bwd (None,) (tensor([[1.]]),)":                                          noModuleHooks,
}

func TestRecordedAutograd(t *testing.T) {
	asserted := map[string]func(e golden.Entry) string{
		"mse grad name": func(e golden.Entry) string {
			name := "<" + tensor.MSELoss(leafOf(1, 2), tensor.Ones(2)).GradFn()
			_, address, _ := strings.Cut(e.Value, " ")
			return name + " " + address
		},
	}
	for key, provoke := range autogradErrors {
		asserted[key] = func(golden.Entry) string { return fmt.Sprint(tensor.Try(provoke)) }
	}
	for key, value := range autogradValues {
		asserted[key] = func(golden.Entry) string { return value() }
	}
	entries := golden.Read(t, "testdata/autograd_torch26.txt")
	for _, e := range golden.Asserted(t, entries, "", golden.AutogradAbove, asserted, autogradOmitted) {
		if got := asserted[e.Key](e); got != e.Value+e.Text {
			t.Errorf("%s:\n got %s\nwant %s", e.Key, got, e.Value+e.Text)
		}
	}
}

// tuple prints values as Python prints a tuple.
func tuple(values ...any) string {
	var parts []string
	for _, v := range values {
		if b, ok := v.(bool); ok {
			v = map[bool]string{true: "True", false: "False"}[b]
		}
		parts = append(parts, fmt.Sprint(v))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// none prints a tensor, and nil as Python's None.
func none(x *tensor.Tensor) string {
	if x == nil {
		return "None"
	}
	return x.String()
}

func noName(name string) string {
	if name == "" {
		return "None"
	}
	return name
}
