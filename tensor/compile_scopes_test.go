package tensor_test

import (
	"testing"

	"cresset/dtype"
	"cresset/tensor"
)

// TestCompiledAutocastOfEachInput computes with inputs of which some have Autocast, or several Autocasts: scopes follow data in a compiled
// function as they do op by op. Each entry is also called with the recordings of those before it.
func TestCompiledAutocastOfEachInput(t *testing.T) {
	weight := tensor.Parameter(tensor.Randn(4, 4)) // cast once for all scopes that share an Autocast
	f := func(xs ...*tensor.Tensor) []*tensor.Tensor {
		x, w := xs[0], xs[1]
		return []*tensor.Tensor{x.MM(weight), w.MM(weight), x.MulScalar(2), w.MM(w).AddScalar(1), x.MM(x).Exp(), x.MM(w).Tanh(), w.MM(x).Float().MM(w)}
	}
	bf16, f16 := tensor.Autocast(dtype.BFloat16), tensor.Autocast(dtype.Float16)
	compiled := tensor.Compile(f)
	for _, c := range []struct {
		name   string
		scopes func() (x, w *tensor.Scope)
	}{
		{"neither", func() (x, w *tensor.Scope) { return nil, nil }},
		{"the first", func() (x, w *tensor.Scope) { return tensor.NewScope(bf16), nil }},
		{"the second", func() (x, w *tensor.Scope) { return nil, tensor.NewScope(bf16) }},
		{"both by one", func() (x, w *tensor.Scope) { x = tensor.NewScope(bf16); return x, x }},
		{"both by two", func() (x, w *tensor.Scope) { return tensor.NewScope(bf16), tensor.NewScope(bf16) }},
		{"the first, the second in a scope", func() (x, w *tensor.Scope) { return tensor.NewScope(bf16), tensor.NewScope() }},
		{"two dtypes, the second later", func() (x, w *tensor.Scope) { return tensor.NewScope(bf16), tensor.NewScope(f16) }},
		{"two dtypes, the first later", func() (x, w *tensor.Scope) { w = tensor.NewScope(f16); return tensor.NewScope(bf16), w }},
		{"taken over", func() (x, w *tensor.Scope) {
			x, w = tensor.NewScope(bf16), tensor.NewScope()
			w.Enter(x.Enter(weight))
			return x, w
		}},
		{"taken off", func() (x, w *tensor.Scope) {
			return tensor.NewScope(bf16), tensor.NewScope(tensor.Autocast(dtype.BFloat16, tensor.Enabled(false)))
		}},
	} {
		for _, tracked := range []bool{false, true} {
			x, w := tensor.Randn(4, 4), tensor.Randn(4, 4)
			run := func(f func(xs ...*tensor.Tensor) []*tensor.Tensor) (results []*tensor.Tensor) {
				a, b := x.Clone().SetRequiresGrad(tracked), w.Clone().SetRequiresGrad(tracked)
				sx, sw := c.scopes()
				for _, y := range f(enteredIn(sx, a), enteredIn(sw, b)) {
					dt, _ := y.AutocastDType()
					results = append(results, y, tensor.Full([]int{}, int64(dt)))
				}
				loss := tensor.Zeros()
				for i := 0; tracked && i < len(results); i += 2 {
					loss = loss.Add(results[i].Float().Square().Sum())
				}
				if tracked {
					weight.SetGrad(nil)
					loss.Backward()
					results = append(results, a.Grad(), b.Grad(), weight.Grad())
				}
				return results
			}
			want := run(f)
			for range 2 {
				for i, got := range run(compiled) {
					equalBits(t, c.name, got.Detach(), want[i].Detach())
				}
			}
		}
	}
}

// enteredIn is x in a scope, if any.
func enteredIn(s *tensor.Scope, x *tensor.Tensor) *tensor.Tensor {
	if s == nil {
		return x
	}
	return s.Enter(x)
}

// TestCompiledResultsOutliveOtherScopes closes the scope of one input, on which a result does not depend.
func TestCompiledResultsOutliveOtherScopes(t *testing.T) {
	f := tensor.Compile(func(xs ...*tensor.Tensor) []*tensor.Tensor {
		return []*tensor.Tensor{xs[0].MulScalar(2), xs[1].Exp().MulScalar(3)}
	})
	for range 2 {
		s, w := tensor.NewScope(tensor.Autocast(dtype.BFloat16)), tensor.Zeros(3).SetRequiresGrad(true)
		y := f(s.Enter(tensor.Ones(3)), w)[1]
		s.Close()
		y.Sum().Backward()
		equalBits(t, "gradient", w.Grad(), tensor.Full([]int{3}, float32(3)))
	}
}

// TestCompiledWithoutResults calls a function for what it changes in place.
func TestCompiledWithoutResults(t *testing.T) {
	for _, on := range compileDevices(t) {
		sum := tensor.On(on).Zeros(3)
		f := tensor.Compile(func(xs ...*tensor.Tensor) []*tensor.Tensor {
			xs[0].AddInPlace(xs[1].Exp().MulScalar(2))
			sum.AddInPlace(xs[1])
			return nil
		})
		x, y := tensor.On(on).Ones(3), tensor.On(on).Zeros(3).AddScalar(1).Log()
		for range 3 {
			if results := f(x, y.AddScalar(0)); len(results) != 0 {
				t.Errorf("%d results of none", len(results))
			}
		}
		equalBits(t, on.String(), x, tensor.On(on).Full([]int{3}, float32(7)))
		if x.Version() != 3 {
			t.Errorf("version %d after 3 changes", x.Version())
		}
		f(x, tensor.On(on).Ones(3))
		equalBits(t, "captured", sum, tensor.On(on).Ones(3))
	}
}
