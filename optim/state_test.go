package optim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/optim"
	"cresset/tensor"
)

// stateful is an optimizer or a schedule whose state can be kept.
type stateful interface {
	StateDict() map[string]any
	LoadStateDict(map[string]any) error
}

// recordedStates are state dicts of PyTorch, and the problem that was solved.
type recordedStates struct {
	Problem map[string]recordedTensor `json:"problem"`
	Runs    []struct {
		Optimizer string         `json:"optimizer"`
		Args      map[string]any `json:"args"`
		State     map[string]any `json:"state"`
	} `json:"runs"`
}

type recordedTensor struct {
	Shape []int     `json:"shape"`
	Data  []float64 `json:"data"`
}

func (r recordedTensor) tensor() *tensor.Tensor {
	return tensor.FromSlice(r.Data).Clone().View(r.Shape...)
}

func readStates(t *testing.T) (r recordedStates) {
	t.Helper()
	raw, err := os.ReadFile("testdata/state_dicts_torch215.json")
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Runs {
		r.Runs[i].State = fromJSON(r.Runs[i].State).(map[string]any)
	}
	return r
}

// fromJSON returns a value with tensors in place of what stands for them, and numbers as keys.
func fromJSON(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = fromJSON(v[i])
		}
		return out
	case map[string]any:
		if data, ok := v["data"]; ok {
			var r recordedTensor
			raw, _ := json.Marshal(map[string]any{"shape": v["shape"], "data": data})
			if json.Unmarshal(raw, &r) != nil { // a scalar
				r.Data = []float64{data.(float64)}
			}
			dt, _ := dtype.Parse(v["dtype"].(string))
			return r.tensor().To(dt)
		}
		text, numbers := map[string]any{}, map[any]any{}
		for k, value := range v {
			var n int64
			if _, err := fmt.Sscan(k, &n); err == nil {
				numbers[n] = fromJSON(value)
			}
			text[k] = fromJSON(value)
		}
		if len(numbers) > 0 {
			return numbers
		}
		return text
	}
	return v
}

// recordedProblem is what the recorded optimizers solved.
type recordedProblem struct{ x, y, w, b, v *tensor.Tensor }

func newProblem(r recordedStates) *recordedProblem {
	p := func(name string) *tensor.Tensor { return r.Problem[name].tensor() }
	return &recordedProblem{p("X"), p("y"), tensor.Parameter(p("W")), tensor.Parameter(p("b")), tensor.Parameter(p("v"))}
}

func (p *recordedProblem) train(o optim.Optimizer, steps int) {
	for range steps {
		o.ZeroGrad()
		d := p.x.MatMul(p.w).Add(p.b).Tanh().MatMul(p.v).Sub(p.y)
		d.Mul(d).Mean().Backward()
		o.Step()
	}
}

func (p *recordedProblem) optimizer(name string, args map[string]any) optim.Optimizer {
	number := func(name string, usual float64) float64 {
		if v, ok := args[name].(float64); ok {
			return v
		}
		return usual
	}
	climb := args["maximize"] == true
	ps := params(p.w, p.b, p.v)
	if name == "SGD" {
		return optim.NewSGD(ps, optim.LR(number("lr", 1e-3)), optim.Momentum(number("momentum", 0)), optim.Dampening(number("dampening", 0)),
			optim.Nesterov(args["nesterov"] == true), optim.WeightDecay(number("weight_decay", 0)), optim.Maximize(climb))
	}
	opts := []optim.AdamOption{optim.LR(number("lr", 1e-3)), optim.Eps(number("eps", 1e-8)), optim.Maximize(climb)}
	if betas, ok := args["betas"].([]any); ok {
		opts = append(opts, optim.Betas(betas[0].(float64), betas[1].(float64)))
	}
	if name == "AdamW" || args["decoupled_weight_decay"] == true {
		return optim.NewAdamW(ps, append(opts, optim.WeightDecay(number("weight_decay", 1e-2)))...)
	}
	return optim.NewAdam(ps, append(opts, optim.WeightDecay(number("weight_decay", 0)))...)
}

// same says where two state dicts differ, "" if nowhere. Numbers may be of any type, and maps and lists too.
func same(path string, got, want any) string {
	if a, ok := got.(*tensor.Tensor); ok {
		b, ok := want.(*tensor.Tensor)
		if !ok || a.DType() != b.DType() || !a.Shape().Equal(b.Shape()) {
			return fmt.Sprintf("%s: got %v, want %v", path, got, want)
		}
		return same(path, tensor.Values[float64](a.Double()), tensor.Values[float64](b.Double()))
	}
	a, b := reflect.ValueOf(got), reflect.ValueOf(want)
	switch {
	case a.Kind() == reflect.Map && b.Kind() == reflect.Map:
		if a.Len() != b.Len() {
			return fmt.Sprintf("%s: got the keys %v, want %v", path, a.MapKeys(), b.MapKeys())
		}
		entries := map[string]any{}
		for k, v := range b.Seq2() {
			entries[fmt.Sprint(k)] = v.Interface()
		}
		for k, v := range a.Seq2() {
			other, ok := entries[fmt.Sprint(k)]
			if !ok {
				return fmt.Sprintf("%s has %v too", path, k)
			}
			if d := same(fmt.Sprintf("%s[%v]", path, k), v.Interface(), other); d != "" {
				return d
			}
		}
		return ""
	case (a.Kind() == reflect.Slice || a.Kind() == reflect.Array) && b.Kind() == reflect.Slice && a.Len() == b.Len():
		for i := range a.Len() {
			if d := same(fmt.Sprintf("%s[%d]", path, i), a.Index(i).Interface(), b.Index(i).Interface()); d != "" {
				return d
			}
		}
		return ""
	case a.CanFloat() && b.CanFloat():
		if a.Float() == b.Float() || math.Abs(a.Float()-b.Float()) <= 1e-9*max(1, math.Abs(b.Float())) {
			return ""
		}
	case fmt.Sprint(got) == fmt.Sprint(want):
		return ""
	}
	return fmt.Sprintf("%s: got %v, want %v", path, got, want)
}

// TestStateDictsArePyTorchs trains as PyTorch did and wants its state dict, and loads that into another optimizer.
func TestStateDictsArePyTorchs(t *testing.T) {
	recorded := readStates(t)
	for _, run := range recorded.Runs {
		name := fmt.Sprint(run.Optimizer, run.Args)
		p := newProblem(recorded)
		o := p.optimizer(run.Optimizer, run.Args)
		p.train(o, 20)
		if d := same("", o.(stateful).StateDict(), run.State); d != "" {
			t.Errorf("%s: after 20 steps %s", name, d)
		}
		fresh := newProblem(recorded)
		other := fresh.optimizer(run.Optimizer, nil).(stateful)
		if err := other.LoadStateDict(run.State); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if d := same("", other.StateDict(), run.State); d != "" {
			t.Errorf("%s: loaded %s", name, d)
		}
	}
}

// TestResumedStepsAreTheSame stops after some steps, goes on with another optimizer that has the state, and wants the bits of one
// that did not stop.
func TestResumedStepsAreTheSame(t *testing.T) {
	recorded := readStates(t)
	for _, run := range recorded.Runs {
		whole, first, second := newProblem(recorded), newProblem(recorded), newProblem(recorded)
		whole.train(whole.optimizer(run.Optimizer, run.Args), 20)
		o := first.optimizer(run.Optimizer, run.Args)
		first.train(o, 7)
		second.w, second.b, second.v = tensor.Parameter(first.w), tensor.Parameter(first.b), tensor.Parameter(first.v)
		resumed := second.optimizer(run.Optimizer, nil)
		if err := resumed.(stateful).LoadStateDict(o.(stateful).StateDict()); err != nil {
			t.Fatal(err)
		}
		second.train(resumed, 13)
		if !second.w.Detach().Equal(whole.w.Detach()) || !second.v.Detach().Equal(whole.v.Detach()) {
			t.Errorf("%s%v: got %v, want %v", run.Optimizer, run.Args, second.w, whole.w)
		}
	}
}

func TestOptimizersRefuseStates(t *testing.T) {
	leaf := func() *tensor.Tensor { return tensor.Ones(2, 2).SetRequiresGrad(true) }
	adam := func(change func(group, state dict)) dict {
		p := leaf()
		o := optim.NewAdam(params(p))
		p.Sum().Backward()
		o.Step()
		s := o.StateDict()
		change(s["param_groups"].([]dict)[0], s["state"].(map[int]dict)[0])
		return s
	}
	cases := []struct {
		name, want string
		state      dict
	}{
		{"groups", "loaded state dict has a different number of parameter groups", dict{"state": dict{}, "param_groups": []any{}}},
		{"sizes", "loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
			dict{"state": dict{}, "param_groups": []any{dict{"params": []int{0, 1}}}}},
		{"no groups", "the state dict has no param_groups", dict{"state": dict{}}},
		{"no state", "the state dict has no state", dict{"param_groups": []any{dict{"lr": 1, "params": []int{0}}}}},
		{"no rate", "the state dict has no param_groups[0].lr", adam(func(g, _ dict) { delete(g, "lr") })},
		{"a text", "the state dict's param_groups[0].eps should be a number, not small", adam(func(g, _ dict) { g["eps"] = "small" })},
		{"amsgrad", "the state dict has no state[0].max_exp_avg_sq", adam(func(g, _ dict) { g["amsgrad"] = true })},
		{"betas", "Invalid beta parameter at index 0: 1.0", adam(func(g, _ dict) { g["betas"] = []float64{1, 0} })},
		{"rate", "Invalid learning rate: nan", adam(func(g, _ dict) { g["lr"] = math.NaN() })},
		{"no moment", "the state dict has no state[0].exp_avg_sq", adam(func(_, s dict) { delete(s, "exp_avg_sq") })},
		{"half a step", "the state dict's state[0].step should be a whole number, not 1.5", adam(func(_, s dict) { s["step"] = 1.5 })},
		{"a shape", "size mismatch for state[0].exp_avg: copying a tensor with shape torch.Size([3]) from the state dict, the shape of the parameter is torch.Size([2, 2])",
			adam(func(_, s dict) { s["exp_avg"] = tensor.Ones(3) })},
	}
	for _, c := range cases {
		o := optim.NewAdam(params(leaf()), optim.LR(0.25))
		before := o.StateDict()
		err := o.LoadStateDict(c.state)
		if err == nil || strings.TrimSpace(err.Error()) != c.want || !errors.Is(err, tensor.ErrValue) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
		if d := same("", o.StateDict(), before); d != "" {
			t.Errorf("%s: a refused state changed the optimizer: %s", c.name, d)
		}
	}
}
