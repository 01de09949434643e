package conformance

import (
	"iter"
	"math"
	"strconv"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

// clipped is a recorded case of torch.nn.utils about gradients.
type clipped struct {
	Fn    string
	Args  map[string]any
	Grads []*recorded
	After []*recorded
	Total any    `json:"total_norm"`
	Error string `json:"error_if_nonfinite"`
}

// clips say how each function is called: it returns the norm.
var clips = map[string]func(c *clipped, ps iter.Seq2[string, *tensor.Tensor], opts ...nn.ClipOption) float64{
	"clip_grad_norm_": func(c *clipped, ps iter.Seq2[string, *tensor.Tensor], opts ...nn.ClipOption) float64 {
		return nn.ClipGradNorm(ps, c.number("max_norm"), append(opts, nn.NormType(c.number("norm_type")))...)
	},
	"clip_grad_value_": func(c *clipped, ps iter.Seq2[string, *tensor.Tensor], _ ...nn.ClipOption) float64 {
		nn.ClipGradValue(ps, c.number("clip_value"))
		return math.NaN()
	},
	"get_total_norm": func(_ *clipped, ps iter.Seq2[string, *tensor.Tensor], opts ...nn.ClipOption) float64 {
		var gs []*tensor.Tensor
		for _, p := range ps {
			if g := p.Grad(); g != nil {
				gs = append(gs, g)
			}
		}
		return nn.TotalNorm(gs, opts...)
	},
}

// clipsElsewhere lists the recorded functions that no call is needed for, with the reason.
var clipsElsewhere = map[string]string{"parameters_to_vector": "its inputs are not recorded; package nn's own test has values"}

func (c *clipped) number(name string) float64 { return numeral(c.Args[name]) }

// numeral returns a number from JSON, NaN where there is none.
func numeral(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return f
		}
	}
	return math.NaN()
}

func TestClip(t *testing.T) {
	var file struct{ Cases []*clipped }
	read(t, "optim", "clip.json", &file)
	recorded := make(map[string]bool)
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, c := range file.Cases {
			recorded[c.Fn] = true
			f := clips[c.Fn]
			if (f == nil) == (clipsElsewhere[c.Fn] == "") {
				t.Errorf("%s should be either asserted or listed with a reason", c.Fn)
			}
			if f != nil {
				c.check(t, dev, f)
			}
		}
	})
	refuseStale(t, clipsElsewhere, recorded)
}

func (c *clipped) check(t *testing.T, dev device.Device, f func(*clipped, iter.Seq2[string, *tensor.Tensor], ...nn.ClipOption) float64) {
	list := make([]*tensor.Tensor, len(c.Grads))
	for i, g := range c.Grads {
		list[i] = tensor.Zeros().To(dev).SetRequiresGrad(true)
		if g != nil {
			list[i] = g.on(dev).ZeroInPlace().SetRequiresGrad(true)
			list[i].SetGrad(g.on(dev))
		}
	}
	ps := named(list...)
	if c.Error != "" {
		if err := tensor.Try(func() { f(c, ps, nn.ErrorIfNonFinite(true)) }); err == nil || err.Error() != c.Error {
			t.Errorf("%s: got %v, want %s", c.Fn, err, c.Error)
		}
	}
	got, want := f(c, ps), numeral(c.Total)
	if got != want && !(math.Abs(got-want) <= 1e-12*max(1, want)) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s %v: the norm is %v, want %v", c.Fn, c.Args, got, want)
	}
	for i, g := range c.After {
		if g != nil {
			g.compare(t, c.Fn+"'s gradient", list[i].Grad(), 1e-12)
		}
	}
}

// named gives tensors numbers for names, as an optimizer takes them.
func named(list ...*tensor.Tensor) iter.Seq2[string, *tensor.Tensor] {
	return func(yield func(string, *tensor.Tensor) bool) {
		for i, x := range list {
			if !yield(strconv.Itoa(i), x) {
				return
			}
		}
	}
}
