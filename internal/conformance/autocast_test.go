package conformance

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/pyexpr"
	"cresset/nn"
	"cresset/tensor"
)

// autocastCase is an expression, and the dtype of its result within torch.autocast on a CPU and without, or the first line of an
// exception.
type autocastCase struct {
	Call   string
	Within string `json:"in_autocast"`
	Plain  string
}

const low = "that of autocast"

// onGPUs are the dtypes within autocast that differ on GPUs by PyTorch's list for them: they were not recorded.
var onGPUs = map[string]string{
	"torch.mv(a, v)": low, "torch.tensordot(a, a, dims=1)": "float32", "nn.GRU(4, 3)(a)[0]": low, "nn.LSTMCell(4, 3)(a)[0]": low,
	"nn.LayerNorm(4)(h)": "float32", "torch.exp(h)": "float32", "torch.log(h.abs() + 1)": "float32", "torch.rsqrt(h.abs() + 1)": "float32",
	"torch.pow(h, 2)": "float32", "torch.erfinv(h * 0)": "float32", "h.sum()": "float32", "h.sum(0)": "float32", "h.cumsum(0)": "float32",
	"h.cumprod(0)": "float32", "h.norm()": "float32", "torch.linalg.vector_norm(h)": "float32", "h.logsumexp(0)": "float32",
	"F.softmax(h, 0)": "float32", "F.log_softmax(h, 0)": "float32", "F.softmin(h, 0)": "float32", "F.layer_norm(h, (4,))": "float32",
	"F.group_norm(h, 2)": "float32", "F.rms_norm(h, (4,))": "float32", "F.normalize(h)": "float32", "F.cosine_similarity(h, h)": "float32",
	"F.interpolate(h4, scale_factor=2)": "float32", "F.interpolate(h4, size=(3, 3), mode='bilinear')": "float32",
	"F.avg_pool3d(h4, 1)": low, "F.pad(h3, (1, 1), mode='reflect')": low, "torch.trace(h)": low,
	"F.binary_cross_entropy(h.sigmoid(), h.sigmoid())": "RuntimeError: torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.",
}

// otherwiseAutocast lists the recorded dtypes and exceptions that are others here, with the reason.
var otherwiseAutocast = map[string]string{
	"torch.cdist(h, h)":                          "cdist takes halves",
	"F.avg_pool3d(h4, 1)":                        "avg_pool3d takes halves",
	"nn.LSTM(4, 3)(a)[0]":                        "an LSTM takes float16 on a CPU",
	"F.grid_sample(h4, torch.zeros(4, 2, 2, 2))": "the text is that of PyTorch's check, which comes before its kernel's",
	"torch.fft.fft(a)":                           "there are no complex numbers",
	"i @ i":                                      "GPUs have no products of integers",
}

func TestAutocast(t *testing.T) {
	var file struct{ BFloat16, Float16 []autocastCase }
	read(t, "optim", "autocast.json", &file)
	called, differ := make(map[string]bool), make(map[string]bool)
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for dt, cases := range map[dtype.DType][]autocastCase{dtype.BFloat16: file.BFloat16, dtype.Float16: file.Float16} {
			for _, c := range cases {
				called[c.Call] = true
				t.Run(dt.Name()+" "+c.Call, func(t *testing.T) { c.check(t, dev, dt, differ) })
			}
		}
	})
	refuseStale(t, otherwiseAutocast, differ)
	refuseStale(t, onGPUs, called)
}

// check notes in differ what is listed and differs.
func (c *autocastCase) check(t *testing.T, dev device.Device, dt dtype.DType, differ map[string]bool) {
	within := c.Within
	if other := onGPUs[c.Call]; other != "" && dev.IsCUDA() {
		within = strings.ReplaceAll(other, low, dt.Name())
	}
	for _, run := range []struct {
		what, want string
		scope      *tensor.Scope
	}{{"within autocast", within, tensor.NewScope(tensor.Autocast(dt))}, {"plain", c.Plain, tensor.NewScope()}} {
		got, err := c.result(dev, dt, run.scope)
		run.scope.Close()
		switch {
		case got == run.want, dev.IsCUDA() && errors.Is(err, tensor.ErrKernel) && strings.HasPrefix(c.Call, "torch.linalg."): // GPUs have no linear algebra
		case otherwiseAutocast[c.Call] != "":
			differ[c.Call] = true
		default:
			t.Errorf("%s: got %s, want %s", run.what, got, run.want)
		}
	}
}

// result returns the dtype of the result of operands that enter a scope, or the first line of the error.
func (c *autocastCase) result(dev device.Device, dt dtype.DType, s *tensor.Scope) (got string, err error) {
	e := environment(dev, nil)
	index := e.Funcs["operator.getitem"]
	maps.Copy(e.Funcs, everyday)
	maps.Copy(e.Funcs, mixed)
	e.Funcs["operator.getitem"] = index
	for name, f := range e.Funcs {
		if strings.HasPrefix(name, "nn.") {
			e.Funcs[name] = func(a *pyexpr.Args) any {
				m := f(a)
				nn.To(m, dev)
				return m
			}
		}
	}
	in := func(dt dtype.DType, sizes ...int) *tensor.Tensor {
		n, _ := tensor.Shape(sizes).NumEl()
		return s.Enter(tensor.Linspace(0.1, 0.9, n).View(sizes...).Sin().To(dt).To(dev))
	}
	const f32 = dtype.Float32
	maps.Copy(e.Vars, map[string]any{
		"a": in(f32, 4, 4), "d": in(dtype.Float64, 4, 4), "h": in(dt, 4, 4), "v": in(f32, 4), "i": s.Enter(tensor.Arange(0, 4, 1).To(dev)),
		"a3": in(f32, 4, 4, 4), "h3": in(dt, 4, 4, 4), "a4": in(f32, 4, 4, 4, 4), "h4": in(dt, 4, 4, 4, 4),
		"k": in(f32, 4, 4, 2), "k4": in(f32, 4, 4, 2, 2),
	})
	var value any
	failure := tensor.Try(func() { value, err = e.Eval(c.Call) })
	if err = errors.Join(failure, err); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return "RuntimeError: " + first, err
	}
	return results(value)[0].DType().Name(), nil
}

// autocastNetwork is a small network within autocast: operands, what it computes, and gradients.
type autocastNetwork struct {
	DType         string
	In, Grad      map[string]*recorded
	H, G, Y, Loss *recorded
}

// TestAutocastValues computes what PyTorch computed within autocast.
func TestAutocastValues(t *testing.T) {
	var file struct{ Values []*autocastNetwork }
	read(t, "optim", "autocast.json", &file)
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, n := range file.Values {
			t.Run(n.DType, func(t *testing.T) { n.check(t, dev) })
		}
	})
}

// roundedAway are gradients that are 0 but for roundings: behind a layer_norm of two elements, of which PyTorch keeps mean and deviation in
// bfloat16. Here they are nearer to those in float64.
var roundedAway = map[string]bool{"bfloat16 X": true, "bfloat16 W": true}

func (n *autocastNetwork) check(t *testing.T, dev device.Device) {
	const tolerance = 2e-2
	s := tensor.NewScope(tensor.Autocast(dtype.MustParse(n.DType)))
	defer s.Close()
	in := n.operands(dev, dtype.Float32)
	h, g, y, loss := n.forward(s.Enter(in["X"]), in)
	n.H.compare(t, "h", h, tolerance)
	n.G.compare(t, "g", g, tolerance)
	n.Y.compare(t, "y", y.To(h.DType()), tolerance) // GPUs normalize in float32
	n.Loss.compare(t, "loss", loss, tolerance)
	loss.Backward()
	exact := n.operands(device.CPU, dtype.Float64)
	_, _, _, loss = n.forward(exact["X"], exact)
	loss.Backward()
	for name, r := range n.Grad {
		if !roundedAway[n.DType+" "+name] {
			r.compare(t, "gradient of "+name, in[name].Grad(), tolerance)
			continue
		}
		far := func(g *tensor.Tensor) float64 { return g.CPU().Double().Sub(exact[name].Grad()).Abs().Max().Float64() }
		if here, there := far(in[name].Grad()), far(r.on(device.CPU)); here > there {
			t.Errorf("gradient of %s: off by %v, PyTorch's by %v", name, here, there)
		}
	}
}

func (n *autocastNetwork) operands(dev device.Device, dt dtype.DType) map[string]*tensor.Tensor {
	in := make(map[string]*tensor.Tensor)
	for name, r := range n.In {
		in[name] = r.on(dev).To(dt).SetRequiresGrad(true)
	}
	return in
}

func (n *autocastNetwork) forward(x *tensor.Tensor, in map[string]*tensor.Tensor) (h, g, y, loss *tensor.Tensor) {
	h = x.Linear(in["W"], in["b"])
	g = h.GELU()
	y = g.Linear(in["V"], nil).LayerNorm([]int{2}, nil, nil)
	return h, g, y, tensor.MSELoss(y, tensor.OnesLike(y))
}
