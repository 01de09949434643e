package conformance

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/optim"
	"cresset/tensor"
)

// training is a recorded run of 20 steps.
type training struct {
	Optimizer string
	Args      map[string]any
	Groups    []map[string]any
	Repr      string
	Losses    numbers
	After     map[string]map[string]*recorded
	State     map[string]any
}

// setting is an argument of Python's optimizers as an option; every option satisfies the interfaces of the optimizers that take it.
type optionOf func(v any) any

func numbered(f func(v float64) any) optionOf { return func(v any) any { return f(float(v)) } }
func truthOf(f func(on bool) any) optionOf    { return func(v any) any { return f(v.(bool)) } }
func pairOf(f func(a, b float64) any) optionOf {
	return func(v any) any { pair := v.([]any); return f(float(pair[0]), float(pair[1])) }
}

// float returns a number from JSON or from an expression.
func float(v any) float64 {
	if n, ok := v.(int); ok {
		return float64(n)
	}
	return v.(float64)
}

// optimizerOptions are the arguments by name.
var optimizerOptions = map[string]optionOf{
	"lr":                        numbered(func(v float64) any { return optim.LR(v) }),
	"weight_decay":              numbered(func(v float64) any { return optim.WeightDecay(v) }),
	"momentum":                  numbered(func(v float64) any { return optim.Momentum(v) }),
	"dampening":                 numbered(func(v float64) any { return optim.Dampening(v) }),
	"nesterov":                  truthOf(func(on bool) any { return optim.Nesterov(on) }),
	"maximize":                  truthOf(func(on bool) any { return optim.Maximize(on) }),
	"betas":                     pairOf(func(a, b float64) any { return optim.Betas(a, b) }),
	"eps":                       numbered(func(v float64) any { return optim.Eps(v) }),
	"amsgrad":                   truthOf(func(on bool) any { return optim.AMSGrad(on) }),
	"decoupled_weight_decay":    truthOf(func(on bool) any { return optim.DecoupledWeightDecay(on) }),
	"alpha":                     numbered(func(v float64) any { return optim.Alpha(v) }),
	"centered":                  truthOf(func(on bool) any { return optim.Centered(on) }),
	"lr_decay":                  numbered(func(v float64) any { return optim.LRDecay(v) }),
	"initial_accumulator_value": numbered(func(v float64) any { return optim.InitialAccumulatorValue(v) }),
	"rho":                       numbered(func(v float64) any { return optim.Rho(v) }),
	"momentum_decay":            numbered(func(v float64) any { return optim.MomentumDecay(v) }),
	"etas":                      pairOf(func(a, b float64) any { return optim.Etas(a, b) }),
	"step_sizes":                pairOf(func(a, b float64) any { return optim.StepSizes(a, b) }),
	"lambd":                     numbered(func(v float64) any { return optim.Lambd(v) }),
	"t0":                        numbered(func(v float64) any { return optim.T0(v) }),
	"beta2_decay":               numbered(func(v float64) any { return optim.Beta2Decay(v) }),
	"d":                         numbered(func(v float64) any { return optim.ClipThreshold(v) }),
	"ns_steps":                  numbered(func(v float64) any { return optim.NSSteps(int(v)) }),
	"adjust_lr_fn":              func(v any) any { return optim.Adjust(v.(string)) },
	"max_iter":                  numbered(func(v float64) any { return optim.MaxIter(int(v)) }),
	"max_eval":                  numbered(func(v float64) any { return optim.MaxEval(int(v)) }),
	"tolerance_grad":            numbered(func(v float64) any { return optim.ToleranceGrad(v) }),
	"tolerance_change":          numbered(func(v float64) any { return optim.ToleranceChange(v) }),
	"history_size":              numbered(func(v float64) any { return optim.HistorySize(int(v)) }),
	"line_search_fn":            func(v any) any { return optim.StrongWolfe(v == "strong_wolfe") },
}

// maker makes an optimizer of parameters: of each group from JSON but the first with other options, by their names.
type maker func(t *testing.T, w map[string]*tensor.Tensor, groups []map[string]any, args map[string]any,
	loss func() *tensor.Tensor) optim.Optimizer

// optimizers are the constructors by name.
var optimizers = map[string]maker{
	"SGD":       made(optim.NewSGD),
	"Adam":      made(optim.NewAdam),
	"AdamW":     made(optim.NewAdamW),
	"Adamax":    made(optim.NewAdamax),
	"NAdam":     made(optim.NewNAdam),
	"RAdam":     made(optim.NewRAdam),
	"RMSprop":   made(optim.NewRMSprop),
	"Adagrad":   made(optim.NewAdagrad),
	"Adadelta":  made(optim.NewAdadelta),
	"Rprop":     made(optim.NewRprop),
	"ASGD":      made(optim.NewASGD),
	"Adafactor": made(optim.NewAdafactor),
	"Muon":      made(optim.NewMuon),
	"LBFGS": func(t *testing.T, w map[string]*tensor.Tensor, groups []map[string]any, args map[string]any,
		loss func() *tensor.Tensor) optim.Optimizer {
		return optim.NewLBFGS(ordered(w, groups), loss, optionsOf[optim.LBFGSOption](t, args)...)
	},
}

func made[O any](f func(ps iter.Seq2[string, *tensor.Tensor], opts ...O) *optim.Algorithm) maker {
	return func(t *testing.T, w map[string]*tensor.Tensor, groups []map[string]any, args map[string]any,
		_ func() *tensor.Tensor) optim.Optimizer {
		opts := optionsOf[O](t, args)
		for _, g := range groups[1:] {
			var names []string
			for _, name := range g["params"].([]any) {
				names = append(names, name.(string))
			}
			own := maps.Clone(g)
			delete(own, "params")
			opts = append(opts, optim.For(optim.Named(names...), optionsOf[O](t, own)...))
		}
		return f(ordered(w, groups), opts...)
	}
}

// optionsOf returns arguments from JSON as options.
func optionsOf[O any](t *testing.T, args map[string]any) []O {
	var opts []O
	for _, name := range slices.Sorted(maps.Keys(args)) {
		of := optimizerOptions[name]
		if of == nil {
			t.Fatalf("no option for %s", name)
		}
		o, ok := of(args[name]).(O)
		if !ok {
			t.Fatalf("%T does not take %s", opts, name)
		}
		opts = append(opts, o)
	}
	return opts
}

// ordered returns the parameters in the order of their groups.
func ordered(w map[string]*tensor.Tensor, groups []map[string]any) iter.Seq2[string, *tensor.Tensor] {
	return func(yield func(string, *tensor.Tensor) bool) {
		for _, g := range groups {
			for _, name := range g["params"].([]any) {
				if !yield(name.(string), w[name.(string)]) {
					return
				}
			}
		}
	}
}

// buildOptimizer makes a recorded optimizer. Where the first group has settings of its own, all groups are made by names.
func buildOptimizer(t *testing.T, class string, args map[string]any, groups []map[string]any, w map[string]*tensor.Tensor,
	loss ...func() *tensor.Tensor) optim.Optimizer {
	t.Helper()
	of := optimizers[class]
	if of == nil {
		t.Fatal("no optimizer ", class)
	}
	if len(groups[0]) > 1 {
		groups = append([]map[string]any{{"params": []any{}}}, groups...)
	}
	return of(t, w, groups, args, append(loss, nil)[0])
}

// TestOptimizers trains as PyTorch did. Half-way each goes on from its state dict in another optimizer.
func TestOptimizers(t *testing.T) {
	var file struct {
		Problem map[string]*recorded
		Runs    []*training
	}
	read(t, "optim", "optimizers.json", &file)
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, c := range file.Runs {
			t.Run(fmt.Sprint(c.Optimizer, c.Args, len(c.Groups)), func(t *testing.T) { c.check(t, dev, file.Problem) })
		}
	})
}

func (c *training) check(t *testing.T, dev device.Device, problem map[string]*recorded) {
	tolerance, names := 1e-9, []any{"W", "b", "v"}
	to := func(name string) *tensor.Tensor { return problem[name].on(dev) }
	switch c.Optimizer {
	case "LBFGS":
		tolerance = 1e-6
	case "Muon":
		tolerance, names = 5e-3, names[:1]
		to = func(name string) *tensor.Tensor { return problem[name].on(dev).Float() }
	}
	groups := c.Groups
	if groups == nil {
		groups = []map[string]any{{"params": names}}
	}
	x, y, w := to("X"), to("y"), map[string]*tensor.Tensor{}
	for _, name := range []string{"W", "b", "v"} {
		w[name] = tensor.Parameter(to(name))
	}
	loss := func() *tensor.Tensor { return x.MM(w["W"]).Add(w["b"]).Tanh().MV(w["v"]).Sub(y).Square().Mean() }
	o := buildOptimizer(t, c.Optimizer, c.Args, groups, w, loss)
	for n := 1; n <= 20; n++ {
		got := step(o, loss)
		if want := c.Losses[n-1]; !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
			t.Fatalf("step %d: the loss is %v, want %v", n, got, want)
		}
		for name, want := range c.After[fmt.Sprint(n)] {
			want.compare(t, fmt.Sprintf("step %d: %s", n, name), w[name].Detach(), tolerance)
		}
		if n == 10 {
			next := buildOptimizer(t, c.Optimizer, c.Args, groups, w, loss)
			if err := next.(stateful).LoadStateDict(o.(stateful).StateDict()); err != nil {
				t.Fatal(err)
			}
			o = next
		}
	}
	want := strings.Replace(c.Repr, "(1e-06, 50)", "(1e-06, 50.0)", 1) // a float64 prints as Python's float does
	if got := fmt.Sprint(o); got != want {
		t.Errorf("prints\n%s\nwant\n%s", got, want)
	}
	compareState(t, o.(stateful).StateDict(), c.State, tolerance)
}

// step makes a step, and returns the loss before it.
func step(o optim.Optimizer, loss func() *tensor.Tensor) float64 {
	if l, ok := o.(*optim.LBFGS); ok {
		l.Step()
		return l.Loss()
	}
	o.ZeroGrad()
	y := loss()
	y.Backward()
	o.Step()
	return y.Float64()
}

// compareState compares a state dict with one from JSON. What LBFGS keeps is not recorded.
func compareState(t *testing.T, got, want map[string]any, tolerance float64) {
	t.Helper()
	for i, group := range want["param_groups"].([]any) {
		g := got["param_groups"].([]map[string]any)[i]
		for name, v := range group.(map[string]any) {
			if !alike(g[name], v) {
				t.Errorf("group %d: %s is %v, want %v", i, name, g[name], v)
			}
		}
		if len(g) != len(group.(map[string]any)) {
			t.Errorf("group %d has %v, want %v", i, g, group)
		}
	}
	if want["state"] == nil {
		return
	}
	states := got["state"].(map[int]map[string]any)
	if len(states) != len(want["state"].(map[string]any)) {
		t.Errorf("%d parameters have a state, want %d", len(states), len(want["state"].(map[string]any)))
	}
	for number, kept := range want["state"].(map[string]any) {
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range kept.(map[string]any) {
			x, ok := states[n][name].(*tensor.Tensor)
			if !ok {
				t.Errorf("the state of %d has no %s", n, name)
				continue
			}
			tensorOf(t, v).compare(t, fmt.Sprintf("the state of %d: %s", n, name), x, tolerance)
		}
	}
}

// tensorOf returns a tensor from JSON.
func tensorOf(t *testing.T, v any) *recorded {
	t.Helper()
	raw, err := json.Marshal(v)
	r := new(recorded)
	if err == nil {
		err = json.Unmarshal(raw, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}
