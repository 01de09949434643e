package recipe

import (
	"strings"
	"testing"
)

func TestEveryElementwiseOpIsWhole(t *testing.T) {
	for _, r := range Ops() {
		if err := r.Check(); err != nil {
			t.Error(err)
		}
		for _, l := range r.Loops() {
			t.Logf("%-14s %v %3d steps", l.Name, l.Elems, len(l.Steps))
		}
	}
}

// An op that somebody adds in a hurry is refused with the name of what is missing.
func TestCheckNamesWhatIsMissing(t *testing.T) {
	whole := Elementwise{
		Op: "Half", Name: "half", GradFn: "HalfBackward0", Doc: "a/2", Float: func(b *builder, a float) float { return b.Mul(a, b.Const(0.5)) },
	}
	if err := whole.Check(); err != nil {
		t.Fatal(err)
	}
	grad := func(f any) *Gradient { return &Gradient{Doc: "dy/2", Float: f} }
	for want, spoil := range map[string]func(r *Elementwise){
		`"Half": Grad.Float: the constant 0.1 is not a float32`: func(r *Elementwise) {
			r.Grad = grad(func(b *builder, dy, x float) float { return b.Mul(dy, b.Const(0.1)) })
		},
		`"Half": Grad.Float: it takes 1 numbers`: func(r *Elementwise) { r.Grad = grad(func(b *builder, dy float) float { return dy }) },
		`"Half": Grad.Float is nil`:              func(r *Elementwise) { r.Grad = grad(nil) },
		"Name is empty":                          func(r *Elementwise) { r.Name = "" },
		"Doc is empty":                           func(r *Elementwise) { r.Doc = "" },
		`"Half": Float is nil`:                   func(r *Elementwise) { r.Float = nil },
		"GradFn is empty":                        func(r *Elementwise) { r.GradFn, r.Grad = "", &Gradient{} },
		"needs one to test with":                 func(r *Elementwise) { r.Params = []string{"slope"} },
		"one for each operand": func(r *Elementwise) {
			r.Params, r.Try = []string{"slope"}, []float64{1}
		},
		"want a function": func(r *Elementwise) { r.Float = func(a float32) float32 { return a } },
		"Rounded makes the nearest": func(r *Elementwise) {
			r.Float = func(b *builder, a float) float { return b.Mul(a, b.Const(0.1)) }
		},
		"want one result": func(r *Elementwise) { r.Float = func(b *builder, a float) {} },
	} {
		r := whole
		spoil(&r)
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
