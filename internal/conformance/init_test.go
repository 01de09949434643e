package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/pyexpr"
	"cresset/nn/nninit"
	"cresset/tensor"
)

var initializers = table{
	"nn.init.uniform_": func(a *pyexpr.Args) any {
		t := input(a, "tensor")
		return nninit.Uniform(t, pyexpr.Arg(a, "a", 0.0), pyexpr.Arg(a, "b", 1.0))
	},
	"nn.init.normal_": func(a *pyexpr.Args) any {
		t := input(a, "tensor")
		return nninit.Normal(t, pyexpr.Arg(a, "mean", 0.0), pyexpr.Arg(a, "std", 1.0))
	},
	"nn.init.trunc_normal_": func(a *pyexpr.Args) any {
		t := input(a, "tensor")
		mean, std := pyexpr.Arg(a, "mean", 0.0), pyexpr.Arg(a, "std", 1.0)
		return nninit.TruncNormal(t, mean, std, pyexpr.Arg(a, "a", -2.0), pyexpr.Arg(a, "b", 2.0))
	},
	"nn.init.constant_": func(a *pyexpr.Args) any { return nninit.Constant(input(a, "tensor"), pyexpr.Arg[float64](a, "val")) },
	"nn.init.ones_":     unary(nninit.Ones),
	"nn.init.zeros_":    unary(nninit.Zeros),
	"nn.init.eye_":      unary(nninit.Eye),
	"nn.init.dirac_":    func(a *pyexpr.Args) any { return nninit.Dirac(input(a, "tensor"), pyexpr.Arg(a, "groups", 1)) },
	"nn.init.sparse_": func(a *pyexpr.Args) any {
		t, sparsity := input(a, "tensor"), pyexpr.Arg[float64](a, "sparsity")
		return nninit.Sparse(t, sparsity, pyexpr.Arg(a, "std", 0.01))
	},
	"nn.init.xavier_uniform_":  gained(nninit.XavierUniform),
	"nn.init.xavier_normal_":   gained(nninit.XavierNormal),
	"nn.init.orthogonal_":      gained(nninit.Orthogonal),
	"nn.init.kaiming_uniform_": kaiming(nninit.KaimingUniform),
	"nn.init.kaiming_normal_":  kaiming(nninit.KaimingNormal),
	"nn.init.calculate_gain": func(a *pyexpr.Args) any {
		n := nninit.Nonlinearity(pyexpr.Arg[string](a, "nonlinearity"))
		if !a.Has("param") {
			return nninit.CalculateGain(n)
		}
		return nninit.CalculateGain(n, pyexpr.Arg[float64](a, "param"))
	},
}

func gained(f func(*tensor.Tensor, ...nninit.GainOption) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any { return f(input(a, "tensor"), nninit.Gain(pyexpr.Arg(a, "gain", 1.0))) }
}

func kaiming(f func(*tensor.Tensor, ...nninit.KaimingOption) *tensor.Tensor) pyexpr.Func {
	return func(a *pyexpr.Args) any {
		t, slope := input(a, "tensor"), nninit.Slope(pyexpr.Arg(a, "a", 0.0))
		mode := nninit.Fan(pyexpr.Arg(a, "mode", "fan_in"))
		return f(t, slope, mode, nninit.Nonlinearity(pyexpr.Arg(a, "nonlinearity", "leaky_relu")))
	}
}

// TestInit draws what PyTorch drew for a seed. The numbers of a GPU's generator are not recorded: there the shape of what is
// drawn is, and the values of what is not.
func TestInit(t *testing.T) {
	var file struct {
		Cases []struct {
			Name        string
			Args        map[string]any
			Seed        int64
			Out         *recorded
			RandomAfter numbers `json:"random_after"`
		}
		Gains []struct {
			Nonlinearity string
			Param        any
			Gain         float64
		}
	}
	read(t, "modules", "init.json", &file)
	certain := []string{"constant_", "ones_", "zeros_", "eye_", "dirac_"}
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, c := range file.Cases {
			t.Run(fmt.Sprint(c.Name, c.Args), func(t *testing.T) {
				tensor.ManualSeed(c.Seed)
				got := c.Out.on(dev).FillInPlace(7)
				eval(t, dev, "nn.init."+c.Name+"(x0"+keywords(c.Args)+")", got)
				switch {
				case dev.IsCUDA() && !slices.Contains(certain, c.Name):
					if first := c.Out.on(dev).FillInPlace(7); got.Equal(first) || !got.IsFinite().All().Item().(bool) {
						t.Errorf("got %v", got)
					}
					return
				case c.Name == "orthogonal_":
					c.Out.compare(t, "result", got, 1e-5)
				case strings.Contains(c.Name, "normal") || c.Name == "sparse_":
					c.Out.compare(t, "result", got, 1e-6)
				default:
					c.Out.compare(t, "result", got, 0)
				}
				after := recorded{[]int{2}, "float32", c.RandomAfter}
				after.compare(t, "the draw that follows", tensor.Rand(2), 0)
			})
		}
	})
	for _, g := range file.Gains {
		args := ""
		if g.Param != nil {
			args = fmt.Sprint(", param=", g.Param)
		}
		if got := eval(t, device.CPU, "nn.init.calculate_gain("+python(g.Nonlinearity)+args+")"); got != g.Gain {
			t.Errorf("the gain of %s %v is %v, want %v", g.Nonlinearity, g.Param, got, g.Gain)
		}
	}
}

// eval evaluates an expression over x0, x1, ....
func eval(t *testing.T, dev device.Device, expression string, in ...*tensor.Tensor) any {
	t.Helper()
	v, err := environment(dev, in).Eval(expression)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// keywords writes arguments from JSON as those that follow others in a call.
func keywords(args map[string]any) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(args)) {
		fmt.Fprintf(&b, ", %s=%s", name, python(args[name]))
	}
	return b.String()
}

// python writes a text or a number from JSON as Python does.
func python(v any) string {
	if text, ok := v.(string); ok {
		return "'" + text + "'"
	}
	return fmt.Sprint(v)
}
