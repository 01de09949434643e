package nn_test

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/internal/golden"
	"cresset/nn"
	"cresset/tensor"
)

// Package tensor answers for these recordings but for the entries that golden names for nn.
const recordings = "../tensor/testdata/"

// said returns the text of a mistake.
func said(f func()) string { return fmt.Sprint(tensor.Try(f)) }

func TestRecordedErrors(t *testing.T) {
	mistakes := map[string]func() string{
		"load_state": func() string { return fmt.Sprint(nn.LoadState(nn.NewLinear(2, 2), nil)) },
		"load_state shape": func() string {
			return fmt.Sprint(nn.LoadState(nn.NewLinear(2, 2), nn.State(&nn.Linear{Weight: tensor.Ones(3, 3), Bias: tensor.Ones(2)})))
		},
		"to int mod":     func() string { return said(func() { nn.To(nn.NewLinear(2, 2), dtype.Int32) }) },
		"mod to copy":    func() string { return said(func() { nn.To(nn.NewLinear(2, 2), tensor.Copy(true)) }) },
		"mod to nothing": func() string { return nn.To(nn.NewLinear(2, 2)).String() },
	}
	entries := golden.Read(t, recordings+"errors_torch26_cpu.txt")
	for _, e := range golden.Asserted(t, entries, "nn", golden.ErrorsAbove, mistakes, nil) {
		if got := mistakes[e.Key](); got != e.Value+e.Text {
			t.Errorf("%s:\n got %s\nwant %s", e.Key, got, e.Value+e.Text)
		}
	}
}

func TestRecordedAutograd(t *testing.T) {
	values := map[string]func() string{
		"zero_grad": func() string {
			l := nn.NewLinear(2, 1)
			l.Forward(tensor.Ones(1, 2)).Sum().Backward()
			nn.ZeroGrad(l)
			return fmt.Sprintf("(%s, %s)", orNone(l.Weight.Grad()), orNone(l.Bias.Grad()))
		},
	}
	entries := golden.Read(t, recordings+"autograd_torch26.txt")
	for _, e := range golden.Asserted(t, entries, "nn", golden.AutogradAbove, values, nil) {
		if got := values[e.Key](); got != e.Value {
			t.Errorf("%s: got %s, want %s", e.Key, got, e.Value)
		}
	}
}

func TestRecordedPrints(t *testing.T) {
	net := func() *nn.Sequential {
		tensor.ManualSeed(0)
		return nn.NewSequential(nn.NewLinear(3, 1))
	}
	prints := map[string]func() string{
		"net": func() string { return net().String() },
		"state_dict": func() string { // a map here: Python's order is that of Parameters
			n := net()
			var parts []string
			state := nn.State(n)
			for name := range nn.Parameters(n) {
				parts = append(parts, fmt.Sprintf("'%s': %v", name, state[name]))
			}
			return "OrderedDict({" + strings.Join(parts, ", ") + "})"
		},
	}
	entries := golden.ReadSections(t, recordings+"print_torch26.txt")
	for _, e := range golden.Asserted(t, entries, "nn", golden.PrintAbove, prints, nil) {
		if got := prints[e.Key](); got != e.Value {
			t.Errorf("%s:\n got %s\nwant %s", e.Key, got, e.Value)
		}
	}
}

// moved is the module of the recording: a parameter that two modules hold, buffers of both kinds, and a plain tensor.
type moved struct {
	Tied  *tensor.Tensor
	IB    *tensor.Tensor `nn:"ib,buffer"`
	FB    *tensor.Tensor `nn:"fb,buffer"`
	NP    *tensor.Tensor `nn:"np_,buffer"`
	Plain *tensor.Tensor `nn:"-"`
	L     *nn.Linear
}

func newMoved() *moved {
	l := nn.NewLinear(2, 2)
	return &moved{Tied: l.Weight, IB: tensor.Of([]int{1}), FB: tensor.Ones(1), NP: tensor.Ones(1), Plain: tensor.Ones(1), L: l}
}

// moduleRows print the entries about modules; where what is printed differs from PyTorch on purpose, differs has it.
var moduleRows = map[string]struct {
	print   func() string
	differs string
	reason  string
}{
	golden.SameModule: {print: sameModule, differs: strings.Replace(golden.SameModule, "buf same False", "buf same True", 1),
		reason: "buffers keep their identity as parameters do"},
	"noop True": {print: func() string {
		l := nn.NewLinear(2, 2)
		before := l.Weight.Detach()
		nn.To(l, dtype.Float32)
		return "noop " + python(l.Weight.SharesStorage(before))
	}},
	"to other tensor": {print: func() string {
		return nn.To(nn.NewLinear(2, 2), tensor.Ones(1).Double()).Weight.DType().String()
	}},
	"half": {print: func() string { return nn.To(nn.NewLinear(2, 2), dtype.Float16).Weight.DType().String() }},
	"type": {print: func() string { return nn.To(nn.NewLinear(2, 2), dtype.Float64).Weight.DType().String() }},
	"param order": {print: func() string {
		return list(slices.Collect(keys(nn.Parameters(newMoved()))))
	}},
	"buffers": {print: func() string { return list(slices.Collect(keys(nn.Buffers(newMoved())))) }},
	"state_dict": {
		print:   func() string { return list(slices.Sorted(maps.Keys(nn.State(newMoved())))) },
		differs: "['fb', 'ib', 'l.bias', 'l.weight', 'np_', 'tied']",
		reason:  "a state is a map, and every buffer is in it",
	},
	"version 1 1": {
		print: func() string {
			l := nn.NewLinear(2, 2)
			l.Weight.Detach().ZeroInPlace()
			before := l.Weight.Version()
			nn.To(l, dtype.Float64)
			return fmt.Sprintf("version %d %d", before, l.Weight.Version())
		},
		differs: "version 2 0", // the layer's own draw counts
		reason:  "a version counts the changes of the memory, which is new",
	},
	"backward after module.to(double)": {print: func() string {
		l := nn.NewLinear(2, 2)
		y := l.Forward(tensor.Ones(1, 2)).Sum()
		nn.To(l, dtype.Float64)
		y.Backward()
		return "None"
	}},
	"bw": {
		print: func() string {
			l := nn.NewLinear(2, 2)
			y := l.Forward(tensor.Ones(1, 2)).Sum()
			nn.To(l, dtype.Float64)
			y.Backward()
			return fmt.Sprintf("(None, %v)", l.Weight.Grad())
		},
		differs: "(None, tensor([[1., 1.],\n        [1., 1.]], dtype=torch.float64))",
		reason:  "a gradient is always of its parameter's dtype",
	},
}

func TestRecordedModules(t *testing.T) {
	entries := golden.Read(t, recordings+"to_and_module_torch26.txt")
	for _, e := range golden.Asserted(t, entries, "nn", golden.ToAbove, moduleRows, nil) {
		row, want := moduleRows[e.Key], e.Value
		switch {
		case row.differs != "":
			want = row.differs
		case want == "":
			want = e.Key
		}
		if got := row.print(); got != want {
			t.Errorf("%s:\n got %s\nwant %s", e.Key, got, want)
		}
	}
}

// sameModule prints what To keeps of a module: objects, the tie, dtypes, the place in memory, gradients, buffers, leaves.
func sameModule() string {
	m := newMoved()
	m.L.Forward(tensor.Ones(1, 2)).Sum().Backward()
	tied, weight, grad, memory, fb, ib := m.Tied, m.L.Weight, m.Tied.Grad(), m.Tied.Detach(), m.FB, m.IB
	same := nn.To(m, dtype.Float64) == m
	return fmt.Sprintf("same module %s param same obj %s tied %s %s ptr changed %s grad obj same %s %s buf same %s %s %s %s %s %s %s leaf %s %s %s",
		python(same), python(m.Tied == tied), python(m.L.Weight == weight && m.Tied == m.L.Weight), m.Tied.DType(),
		python(!m.Tied.SharesStorage(memory)), python(m.Tied.Grad() == grad), m.Tied.Grad().DType(),
		python(m.FB == fb), m.FB.DType(), m.IB.DType(), python(m.IB == ib), m.NP.DType(), m.Plain.DType(), m.Plain.DType(),
		python(m.Tied.IsLeaf()), python(m.Tied.RequiresGrad()), orNone(nil))
}

// layerDraws make the layers that the recording of draws made after torch.manual_seed.
var layerDraws = map[string]func() []*tensor.Tensor{
	"Linear(3,1)":    func() []*tensor.Tensor { return nn.ParameterList(nn.NewLinear(3, 1)) },
	"Linear(4,3)":    func() []*tensor.Tensor { return nn.ParameterList(nn.NewLinear(4, 3)) },
	"Conv2d(1,2,3)":  func() []*tensor.Tensor { return nn.ParameterList(nn.NewConv2D(1, 2, 3)) },
	"Embedding(3,2)": func() []*tensor.Tensor { return nn.ParameterList(nn.NewEmbedding(3, 2)) },
}

var drawnRow = regexp.MustCompile(`^(\d+) (.+?) (\[.*)$`)

// TestRecordedDraws asserts each layer's first weights for each seed; Embedding may differ by the last bits of a logarithm.
func TestRecordedDraws(t *testing.T) {
	seen := make(map[string]int)
	for _, e := range golden.Read(t, "../internal/rng/testdata/rng_cpu_torch26.txt") {
		m := drawnRow.FindStringSubmatch(e.Key)
		if m == nil || layerDraws[m[2]] == nil {
			continue
		}
		seen[m[2]]++
		var seed int64
		fmt.Sscan(m[1], &seed)
		tensor.ManualSeed(seed)
		var got []float64
		for _, p := range layerDraws[m[2]]() {
			got = append(got, tensor.Values[float64](p)...)
		}
		fields := strings.FieldsFunc(m[3], func(r rune) bool { return strings.ContainsRune("[], ", r) })
		if len(fields) != len(got) {
			t.Fatalf("%s: %d values, want %d", e.Key, len(got), len(fields))
		}
		for i, f := range fields {
			var want float64
			fmt.Sscan(f, &want)
			if off := math.Abs(got[i] - want); off != 0 && (m[2] != "Embedding(3,2)" || !(off <= 1e-6)) {
				t.Errorf("seed %s, %s: element %d is %v, want %v", m[1], m[2], i, got[i], want)
			}
		}
	}
	for name := range layerDraws {
		if seen[name] != 4 {
			t.Errorf("%s: %d rows, want one for each of 4 seeds", name, seen[name])
		}
	}
}

func keys[K, V any](seq func(yield func(K, V) bool)) func(yield func(K) bool) {
	return func(yield func(K) bool) {
		seq(func(k K, _ V) bool { return yield(k) })
	}
}

// list prints names as Python prints a list.
func list(names []string) string { return "['" + strings.Join(names, "', '") + "']" }

func python(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

func orNone(x *tensor.Tensor) string {
	if x == nil {
		return "None"
	}
	return x.String()
}
