package conformance

import (
	"fmt"
	"maps"
	"testing"

	"cresset/internal/pyexpr"
	"cresset/tensor"
)

// otherwiseOptim lists the recorded mistakes with optimizers that are not answered in PyTorch's words, with the reason.
var otherwiseOptim = map[string]string{
	"LBFGS groups":             "NewLBFGS takes no groups: they do not compile",
	"tensor":                   "a tensor in place of parameters does not compile",
	"not tensors":              "a number in place of a tensor does not compile",
	"scheduler optimizer":      "a number in place of an optimizer does not compile",
	"OneCycleLR":               "NewOneCycleLR always takes the number of steps",
	"LambdaLR":                 "a lambda is no Go function; package optim's own test has it",
	"OneCycleLR too many":      "a comprehension; package optim's own test has it",
	"GradScaler step twice":    "an attribute of Python; package optim's own test has it",
	"GradScaler unscale twice": "an attribute of Python; package optim's own test has it",
	"GradScaler half":          "an attribute of Python; package optim's own test has it",
	"autocast device":          "DeviceType takes a device.Type: another name does not compile",
}

func TestOptimErrors(t *testing.T) { checkErrors(t, "optim", "", otherwiseOptim) }

// optimization are torch.optim's classes, and what their objects do.
func optimization() table {
	all := table{
		"nn.Parameter":   func(a *pyexpr.Args) any { return tensor.Parameter(input(a, "data")) },
		"Optimizer.step": func(a *pyexpr.Args) any { optimizer(a).Step(); return nil },
		"Optimizer.load_state_dict": func(a *pyexpr.Args) any {
			o := optimizer(a)
			if err := o.(stateful).LoadStateDict(pyexpr.Arg[map[string]any](a, "state_dict")); err != nil {
				panic(err)
			}
			return nil
		},
	}
	maps.Copy(all, scaling)
	for name, f := range schedules {
		all["torch.optim.lr_scheduler."+name] = f
	}
	for name := range optimizers {
		all["torch.optim."+name] = func(a *pyexpr.Args) any { return optimizerOf(name, a) }
	}
	return all
}

// optimizerOf makes an optimizer of parameters or of dicts of them.
func optimizerOf(class string, a *pyexpr.Args) any {
	given, w := pyexpr.Arg[any](a, "params"), map[string]*tensor.Tensor{}
	list, _ := given.([]any)
	groups := []map[string]any{{"params": []any{}}}
	for i, item := range list {
		g := groups[0]
		params := []any{item}
		if dict, ok := item.(map[string]any); ok {
			g = maps.Clone(dict)
			params = dict["params"].([]any)
			g["params"] = []any{}
			groups = append(groups, g)
		}
		for k, p := range params {
			name := fmt.Sprintf("%d.%d", i, k)
			x, ok := p.(*tensor.Tensor)
			if !ok {
				return nil // what does not compile
			}
			w[name] = x
			g["params"] = append(g["params"].([]any), name)
		}
	}
	args := make(map[string]any)
	for name := range optimizerOptions {
		if a.Has(name) {
			args[name] = pyexpr.Arg[any](a, name)
		}
	}
	return optimizers[class](nil, w, groups, args, nil)
}
