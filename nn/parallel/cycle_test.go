package parallel_test

import (
	"errors"
	"strings"
	"testing"

	"cresset/device"
	"cresset/nn"
	"cresset/nn/parallel"
	"cresset/tensor"
)

// looped is a model whose child runs the model itself on several GPUs.
type looped struct {
	Fc   *nn.Linear
	Wide *parallel.DataParallel[*looped]
}

// TestDescriptionOfAModelThatWrapsItself wants a text that ends, where the stack overflowed.
func TestDescriptionOfAModelThatWrapsItself(t *testing.T) {
	m := &looped{Fc: nn.NewLinear(1, 1)}
	m.Wide = &parallel.DataParallel[*looped]{Module: m}
	const fc = "(fc): Linear(in_features=1, out_features=1, bias=True)\n"
	for model, want := range map[any]string{
		m:      "looped(\n  " + fc + "  (wide): DataParallel(\n    (module): looped(...)\n  )\n)",
		m.Wide: "DataParallel(\n  (module): looped(\n    " + fc + "    (wide): DataParallel(...)\n  )\n)",
	} {
		if got := nn.Describe(model); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	if got := m.Wide.String(); got != nn.Describe(m.Wide) {
		t.Errorf("String is\n%s", got)
	}
}

// list is a type that holds nothing but itself.
type list []list

// TestValuesThatHoldThemselves wants an error where the stack would overflow, which ends the process.
func TestValuesThatHoldThemselves(t *testing.T) {
	d := wrap(t, newSpy(), parallel.DeviceIDs(0, 1))
	x := tensor.On(device.CUDA(0)).Ones(4, 2)
	slice := []any{x, nil}
	slice[1] = slice
	table := map[string]any{"x": x}
	table["more"] = []any{table}
	give := func(in any) func() {
		return func() { parallel.Call(d, in, func(s *spy, in any) *tensor.Tensor { return s.Forward(x) }) }
	}
	take := func(out func(x *tensor.Tensor) any) func() {
		return func() { parallel.Call(d, x, func(s *spy, x *tensor.Tensor) any { return out(s.Forward(x)) }) }
	}
	for name, f := range map[string]func(){
		"a slice goes in": give(slice),
		"a map goes in":   give(table),
		"a slice comes out": take(func(x *tensor.Tensor) any {
			s := []any{x, nil}
			s[1] = s
			return s
		}),
		"a map comes out": take(func(x *tensor.Tensor) any {
			m := map[string]any{"x": x}
			m["more"] = m
			return m
		}),
	} {
		err := tensor.Try(f)
		if !errors.Is(err, tensor.ErrValue) || !strings.Contains(err.Error(), "holds itself") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestTypesThatHoldThemselves wants a list of lists to reach every replica as it is.
func TestTypesThatHoldThemselves(t *testing.T) {
	d := wrap(t, newSpy(), parallel.DeviceIDs(0, 1))
	type input struct {
		X    *tensor.Tensor
		Same list
		mine list
	}
	in := input{X: tensor.On(device.CUDA(0)).Ones(4, 2), Same: list{nil, {}}, mine: list{nil}}
	got := parallel.Call(d, in, func(s *spy, in input) *tensor.Tensor {
		return s.Forward(in.X).MulScalar(10*len(in.Same) + len(in.mine))
	})
	if got.Sum().Float64() != 8*21 {
		t.Errorf("got %v", got)
	}
}

// TestValuesThatRepeatAreDivided wants what stands twice side by side to be no cycle.
func TestValuesThatRepeatAreDivided(t *testing.T) {
	d := wrap(t, newSpy(), parallel.DeviceIDs(0, 1))
	twice := []any{tensor.On(device.CUDA(0)).Ones(4, 2)}
	got := parallel.Call(d, []any{twice, twice}, func(s *spy, in []any) []any {
		x := s.Forward(in[1].([]any)[0].(*tensor.Tensor))
		return []any{x, x}
	})
	if rows := got[1].(*tensor.Tensor).Size(0); rows != 4 {
		t.Errorf("got %d rows, want 4", rows)
	}
}
