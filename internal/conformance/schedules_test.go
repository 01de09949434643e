package conformance

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"

	"cresset/internal/pyexpr"
	"cresset/optim"
	"cresset/tensor"
)

// scheduled is a recorded schedule: learning rates, and momentums where they change, of each group after each step.
type scheduled struct {
	Scheduler     string
	Args          map[string]any
	Optimizer     string
	OptimizerArgs map[string]any `json:"optimizer_args"`
	Groups        []map[string]any
	LR, Momentum  []numbers
	Metrics       []float64
	StateAfter    map[string]any `json:"state_after"`
	StepArgument  string         `json:"step_argument"`
}

// schedules are the functions of torch.optim.lr_scheduler; the first argument is an optim.Optimizer.
var schedules = table{
	"StepLR": func(a *pyexpr.Args) any {
		o, size := optimizer(a), pyexpr.Arg[int](a, "step_size")
		return optim.NewStepLR(o, size, optim.Gamma(pyexpr.Arg(a, "gamma", 0.1)))
	},
	"MultiStepLR": func(a *pyexpr.Args) any {
		o, at := optimizer(a), pyexpr.Arg[[]int](a, "milestones")
		return optim.NewMultiStepLR(o, at, optim.Gamma(pyexpr.Arg(a, "gamma", 0.1)))
	},
	"ExponentialLR": func(a *pyexpr.Args) any { return optim.NewExponentialLR(optimizer(a), pyexpr.Arg[float64](a, "gamma")) },
	"CosineAnnealingLR": func(a *pyexpr.Args) any {
		o, period := optimizer(a), pyexpr.Arg[int](a, "T_max")
		return optim.NewCosineAnnealingLR(o, period, optim.EtaMin(pyexpr.Arg(a, "eta_min", 0.0)))
	},
	"CosineAnnealingWarmRestarts": func(a *pyexpr.Args) any {
		o, period := optimizer(a), pyexpr.Arg[int](a, "T_0")
		mult := optim.TMult(pyexpr.Arg(a, "T_mult", 1))
		return optim.NewCosineAnnealingWarmRestarts(o, period, mult, optim.EtaMin(pyexpr.Arg(a, "eta_min", 0.0)))
	},
	"LinearLR": func(a *pyexpr.Args) any {
		o, opts := optimizer(a), []optim.LinearLROption(nil)
		option(a, "start_factor", &opts, func(v float64) optim.LinearLROption { return optim.StartFactor(v) })
		option(a, "end_factor", &opts, func(v float64) optim.LinearLROption { return optim.EndFactor(v) })
		option(a, "total_iters", &opts, func(n int) optim.LinearLROption { return optim.TotalIters(n) })
		return optim.NewLinearLR(o, opts...)
	},
	"ConstantLR": func(a *pyexpr.Args) any {
		o, opts := optimizer(a), []optim.ConstantLROption(nil)
		option(a, "factor", &opts, func(v float64) optim.ConstantLROption { return optim.Factor(v) })
		option(a, "total_iters", &opts, func(n int) optim.ConstantLROption { return optim.TotalIters(n) })
		return optim.NewConstantLR(o, opts...)
	},
	"PolynomialLR": func(a *pyexpr.Args) any {
		o, opts := optimizer(a), []optim.PolynomialLROption(nil)
		option(a, "total_iters", &opts, func(n int) optim.PolynomialLROption { return optim.TotalIters(n) })
		option(a, "power", &opts, func(v float64) optim.PolynomialLROption { return optim.Power(v) })
		return optim.NewPolynomialLR(o, opts...)
	},
	"LambdaLR": func(a *pyexpr.Args) any {
		o := optimizer(a)
		return optim.NewLambdaLR(o, pyexpr.Arg[[]func(int) float64](a, "lr_lambda")...)
	},
	"MultiplicativeLR": func(a *pyexpr.Args) any {
		o := optimizer(a)
		return optim.NewMultiplicativeLR(o, pyexpr.Arg[[]func(int) float64](a, "lr_lambda")...)
	},
	"SequentialLR": func(a *pyexpr.Args) any {
		o, list := optimizer(a), pyexpr.Arg[[]any](a, "schedulers")
		return optim.NewSequentialLR(o, ofSchedules(list), pyexpr.Arg[[]int](a, "milestones"))
	},
	"ChainedScheduler": func(a *pyexpr.Args) any {
		if _, ok := a.Peek().(optim.Optimizer); ok {
			optimizer(a)
		}
		return optim.NewChainedScheduler(ofSchedules(pyexpr.Arg[[]any](a, "schedulers"))...)
	},
	"ReduceLROnPlateau": func(a *pyexpr.Args) any {
		o, opts := optimizer(a), []optim.ReduceLROnPlateauOption(nil)
		option(a, "mode", &opts, func(v string) optim.ReduceLROnPlateauOption { return optim.PlateauMode(v) })
		option(a, "factor", &opts, func(v float64) optim.ReduceLROnPlateauOption { return optim.Factor(v) })
		option(a, "patience", &opts, optim.Patience)
		set := optim.Threshold
		if pyexpr.Arg(a, "threshold_mode", "rel") == "abs" {
			set = optim.AbsoluteThreshold
		}
		option(a, "threshold", &opts, set)
		option(a, "cooldown", &opts, optim.Cooldown)
		option(a, "min_lr", &opts, func(v []float64) optim.ReduceLROnPlateauOption { return optim.MinLR(v...) })
		option(a, "eps", &opts, optim.MinReduction)
		return optim.NewReduceLROnPlateau(o, opts...)
	},
	"OneCycleLR": func(a *pyexpr.Args) any {
		o, highest := optimizer(a), pyexpr.Arg[[]float64](a, "max_lr")
		total := pyexpr.Arg(a, "total_steps", 0)
		if total == 0 {
			total = pyexpr.Arg(a, "epochs", 0) * pyexpr.Arg(a, "steps_per_epoch", 0)
		}
		var opts []optim.OneCycleLROption
		option(a, "pct_start", &opts, optim.PctStart)
		option(a, "anneal_strategy", &opts, func(v string) optim.OneCycleLROption { return optim.Anneal(v) })
		option(a, "cycle_momentum", &opts, func(on bool) optim.OneCycleLROption { return optim.CycleMomentum(on) })
		option(a, "base_momentum", &opts, func(v float64) optim.OneCycleLROption { return optim.BaseMomentum(v) })
		option(a, "max_momentum", &opts, func(v float64) optim.OneCycleLROption { return optim.MaxMomentum(v) })
		option(a, "div_factor", &opts, optim.DivFactor)
		option(a, "final_div_factor", &opts, optim.FinalDivFactor)
		option(a, "three_phase", &opts, optim.ThreePhase)
		return optim.NewOneCycleLR(o, highest, total, opts...)
	},
	"CyclicLR": func(a *pyexpr.Args) any {
		o, low := optimizer(a), pyexpr.Arg[[]float64](a, "base_lr")
		high, opts := pyexpr.Arg[[]float64](a, "max_lr"), []optim.CyclicLROption(nil)
		option(a, "step_size_up", &opts, optim.StepSizeUp)
		option(a, "step_size_down", &opts, optim.StepSizeDown)
		option(a, "mode", &opts, func(v string) optim.CyclicLROption { return optim.CyclicMode(v) })
		option(a, "gamma", &opts, func(v float64) optim.CyclicLROption { return optim.Gamma(v) })
		option(a, "cycle_momentum", &opts, func(on bool) optim.CyclicLROption { return optim.CycleMomentum(on) })
		option(a, "base_momentum", &opts, func(v float64) optim.CyclicLROption { return optim.BaseMomentum(v) })
		option(a, "max_momentum", &opts, func(v float64) optim.CyclicLROption { return optim.MaxMomentum(v) })
		return optim.NewCyclicLR(o, low, high, opts...)
	},
}

func optimizer(a *pyexpr.Args) optim.Optimizer { return pyexpr.Arg[optim.Optimizer](a, "optimizer") }

// option adds an option for an argument that is given.
func option[T, O any](a *pyexpr.Args, name string, opts *[]O, make func(v T) O) {
	if a.Has(name) {
		*opts = append(*opts, make(pyexpr.Arg[T](a, name)))
	}
}

func ofSchedules(list []any) []optim.Schedule {
	all := make([]optim.Schedule, len(list))
	for i, s := range list {
		all[i] = s.(optim.Schedule)
	}
	return all
}

// unkeptState lists entries of PyTorch's states of schedules that are not told, with the reason.
var unkeptState = map[string]string{
	"CosineAnnealingWarmRestarts _step_count": "PyTorch does not count them, and does not read it",
}

// TestSchedules follows the recorded learning rates; a schedule that is stopped half-way goes on from its state dict.
func TestSchedules(t *testing.T) {
	var file struct{ Schedules []*scheduled }
	read(t, "optim", "schedules.json", &file)
	for _, c := range file.Schedules {
		for _, stopped := range []int{-1, 0, 7, 15} {
			t.Run(fmt.Sprint(c.Scheduler, c.Args, stopped), func(t *testing.T) { c.check(t, stopped) })
		}
	}
}

func (c *scheduled) check(t *testing.T, stopped int) {
	o := c.optimizer(t)
	s := c.build(t, c.Scheduler, c.Args, o)
	for n, want := range c.LR {
		if n > 0 {
			c.step(s, n)
		}
		for i, g := range o.Groups() {
			if !(math.Abs(g.LR-want[i]) <= 1e-12*max(1, want[i])) {
				t.Fatalf("step %d: the learning rate of group %d is %v, want %v", n, i, g.LR, want[i])
			}
			if c.Momentum == nil {
				continue
			}
			if got := momentum(o, i); !(math.Abs(got-c.Momentum[n][i]) <= 1e-12) {
				t.Fatalf("step %d: the momentum of group %d is %v, want %v", n, i, got, c.Momentum[n][i])
			}
		}
		if n == stopped {
			other := c.optimizer(t)
			next := c.build(t, c.Scheduler, c.Args, other)
			if err := next.(stateful).LoadStateDict(s.(stateful).StateDict()); err != nil {
				t.Fatal(err)
			}
			if err := other.(stateful).LoadStateDict(o.(stateful).StateDict()); err != nil {
				t.Fatal(err)
			}
			o, s = other, next
		}
	}
	state := s.(stateful).StateDict()
	for name, want := range c.StateAfter {
		if got, ok := state[name]; unkeptState[c.Scheduler+" "+name] == "" && (!ok || !alike(got, want)) {
			t.Errorf("the state's %s is %v, want %v", name, got, want)
		}
	}
}

// stateful is an optimizer or a schedule with a state dict.
type stateful interface {
	StateDict() map[string]any
	LoadStateDict(state map[string]any) error
}

func (c *scheduled) optimizer(t *testing.T) optim.Optimizer {
	w := make(map[string]*tensor.Tensor)
	groups := make([]map[string]any, len(c.Groups))
	for i, g := range c.Groups {
		name := fmt.Sprint("w", i)
		w[name] = tensor.Parameter(tensor.Zeros(1))
		groups[i] = maps.Clone(g)
		groups[i]["params"] = []any{name}
	}
	return buildOptimizer(t, c.Optimizer, c.OptimizerArgs, groups, w)
}

func (c *scheduled) build(t *testing.T, name string, args map[string]any, o optim.Optimizer) any {
	e := &pyexpr.Env{Vars: map[string]any{"o": o}, Funcs: schedules}
	var b strings.Builder
	for k, v := range args {
		fmt.Fprintf(&b, ", %s=%s", k, k)
		e.Vars[k] = c.argument(t, k, v, o)
	}
	v, err := e.Eval(name + "(o" + b.String() + ")")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// argument returns an argument from JSON as Python's.
func (c *scheduled) argument(t *testing.T, name string, v any, o optim.Optimizer) any {
	list, isList := v.([]any)
	switch {
	case name == "schedulers":
		all := make([]any, len(list))
		for i, s := range list {
			pair := s.([]any)
			all[i] = c.build(t, pair[0].(string), pair[1].(map[string]any), o)
		}
		return all
	case name == "lr_lambda":
		all := make([]func(int) float64, len(list))
		for i, text := range list {
			all[i] = epochs(t, text.(string))
		}
		return all
	case isList:
		all := make([]any, len(list))
		for i := range list {
			all[i] = c.argument(t, "", list[i], o)
		}
		return all
	}
	if f, ok := v.(float64); ok && f == math.Trunc(f) && !strings.Contains(name, "factor") {
		return int(f)
	}
	return v
}

// epochs returns a function of the epoch that Python's text is.
func epochs(t *testing.T, text string) func(n int) float64 {
	if yes, rest, ok := strings.Cut(text, " if epoch % "); ok {
		every, no, _ := strings.Cut(rest, " else ")
		a, b, period := epochs(t, yes), epochs(t, no), epochs(t, every)
		return func(n int) float64 {
			if n%int(period(n)) != 0 {
				return a(n)
			}
			return b(n)
		}
	}
	return func(n int) float64 {
		v, err := (&pyexpr.Env{Vars: map[string]any{"epoch": float64(n)}, Funcs: numberOperators}).Eval(text)
		if err != nil {
			t.Fatal(err)
		}
		return reflect.ValueOf(v).Convert(reflect.TypeFor[float64]()).Float()
	}
}

var numberOperators = table{
	"operator.add":     ofNumbers(func(a, b float64) float64 { return a + b }),
	"operator.truediv": ofNumbers(func(a, b float64) float64 { return a / b }),
	"operator.pow":     ofNumbers(math.Pow),
}

func ofNumbers(f func(a, b float64) float64) pyexpr.Func {
	return func(a *pyexpr.Args) any { x := pyexpr.Arg[float64](a, "a"); return f(x, pyexpr.Arg[float64](a, "b")) }
}

func (c *scheduled) step(s any, n int) {
	switch s := s.(type) {
	case *optim.ReduceLROnPlateau:
		s.Step(c.Metrics[n-1])
	case *optim.CosineAnnealingWarmRestarts:
		if c.StepArgument != "" {
			s.StepTo(float64(n) * 0.5)
			return
		}
		s.Step()
	case optim.Schedule:
		s.Step()
	}
}

// momentum returns what a group's momentum, or first beta, is by the optimizer's state.
func momentum(o optim.Optimizer, group int) float64 {
	g := o.(stateful).StateDict()["param_groups"].([]map[string]any)[group]
	if betas, ok := g["betas"].([2]float64); ok {
		return betas[0]
	}
	return g["momentum"].(float64)
}

// alike reports whether a value is what JSON tells.
func alike(got, want any) bool {
	a, b := reflect.ValueOf(got), reflect.ValueOf(want)
	switch {
	case got == nil || want == nil:
		return got == want
	case (a.Kind() == reflect.Slice || a.Kind() == reflect.Array) && b.Kind() == reflect.Slice && a.Len() == b.Len():
		for i := range a.Len() {
			if !alike(a.Index(i).Interface(), b.Index(i).Interface()) {
				return false
			}
		}
		return true
	case a.Kind() == reflect.Map && b.Kind() == reflect.Map && a.Len() == b.Len():
		for _, k := range a.MapKeys() {
			if v := b.MapIndex(k); !v.IsValid() || !alike(a.MapIndex(k).Interface(), v.Interface()) {
				return false
			}
		}
		return true
	case a.CanInt():
		return alike(float64(a.Int()), want)
	case a.CanFloat():
		x, y := a.Float(), numeral(want)
		return x == y || math.Abs(x-y) <= 1e-12*max(1, math.Abs(y))
	}
	return got == want
}
