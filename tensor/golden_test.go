package tensor

import (
	"encoding/json"
	"os"
	"testing"

	"cresset/dtype"
)

// goldenOp computes a case of testdata/ops_torch26.json from its inputs.
type goldenOp func(in []*Tensor) []*Tensor

// goldenFamilies hold the cases that each family of ops computes, by name, or by name and note: "matmul: [4] @ [4]".
var goldenFamilies = []map[string]goldenOp{
	goldenElementwise,
	goldenProducts,
	goldenIndexing,
	goldenLosses,
	goldenReductions,
	goldenLayers,
}

type goldenCase struct {
	Name, Note            string
	In, Out, Weight, Grad []*goldenTensor
}

type goldenTensor struct {
	Shape []int
	DType string
	Data  []any
}

// TestGoldens computes what PyTorch computed: values, and gradients of Σ weight · value, in float64.
func TestGoldens(t *testing.T) {
	text, err := os.ReadFile("testdata/ops_torch26.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Ops []goldenCase }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Ops {
		name := c.Name
		if c.Note != "" {
			name += ": " + c.Note
		}
		t.Run(name, func(t *testing.T) {
			for _, family := range goldenFamilies {
				if compute, ok := family[name]; ok {
					c.check(t, compute)
					return
				}
			}
			t.Error("no family of ops computes this case")
		})
	}
}

func (c *goldenCase) check(t *testing.T, compute goldenOp) {
	in := make([]*Tensor, len(c.In))
	for i, g := range c.In {
		in[i] = g.tensor().SetRequiresGrad(g.DType == "float64")
	}
	out := compute(in)
	if len(out) != len(c.Out) {
		t.Fatalf("%d results, want %d", len(out), len(c.Out))
	}
	for i, y := range out {
		c.Out[i].compare(t, "result", y)
		if w := c.Weight[i]; w != nil {
			y.Backward(Gradient(w.tensor()))
		}
	}
	for i, g := range c.Grad {
		if g != nil {
			g.compare(t, "gradient", in[i].Grad())
		}
	}
}

// tensor returns the golden as a tensor of its dtype.
func (g *goldenTensor) tensor() *Tensor {
	return FromSlice(g.values(), g.Shape...).View(g.Shape...).To(dtype.MustParse(g.DType))
}

func (g *goldenTensor) values() []float64 {
	values := make([]float64, len(g.Data))
	for i, v := range g.Data {
		switch v := v.(type) {
		case float64:
			values[i] = v
		case bool:
			if v {
				values[i] = 1
			}
		}
	}
	return values
}

func (g *goldenTensor) compare(t *testing.T, what string, got *Tensor) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is missing", what)
		return
	}
	if !got.Shape().Equal(g.Shape) || got.DType().Name() != g.DType {
		t.Errorf("%s is %s%v, want %s%v", what, got.DType().Name(), got.Shape(), g.DType, g.Shape)
		return
	}
	if values := Values[float64](got); !closeTo(values, g.values(), 1e-9) {
		t.Errorf("%s is %v, want %v", what, values, g.values())
	}
}
