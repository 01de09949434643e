package tensor_test

import (
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// weightOn returns a parameter of numbers that bfloat16 rounds.
func weightOn(dev device.Device, sizes ...int) *tensor.Tensor {
	n, _ := tensor.Shape(sizes).NumEl()
	return tensor.Parameter(tensor.Linspace(-0.7, 0.9, n).View(sizes...).To(dev))
}

// TestAutocastCastsWeightsOnce holds the cast of a weight until its scope closes or it changes.
func TestAutocastCastsWeightsOnce(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		w := weightOn(dev, 3, 4)
		s := tensor.NewScope(tensor.Autocast(low))
		x := s.Enter(tensor.Ones(2, 4).To(dev))
		casts := func() []*tensor.Tensor { return tensor.AutocastWeights(s) }
		x.Linear(w, nil)
		if y := x.MatMul(w.T()); y.DType() != low { // of the same cast
			t.Errorf("the product has dtype %s", y.DType())
		}
		x.Linear(w.Transpose(0, 1).Transpose(1, 0), nil) // a view of a view has a cast of its own
		x.Linear(w, nil)
		if len(casts()) != 1 {
			t.Fatalf("%d casts are kept, want one", len(casts()))
		}
		first := casts()[0]
		w.Detach().MulScalarInPlace(2)
		y := x.Linear(w, nil)
		if now := casts(); len(now) != 1 || now[0] == first {
			t.Error("a weight that changed is not cast again")
		}
		if want := x.To(low).Linear(w.Detach().To(low), nil); !y.Equal(want) {
			t.Errorf("got %v, want %v", y, want)
		}
		cast := casts()[0]
		s.Close()
		if casts() != nil {
			t.Error("a closed scope keeps casts")
		}
		if err := tensor.Try(func() { cast.Sum() }); err == nil {
			t.Error("the memory of a cast outlives its scope")
		}
	})
}

// TestAutocastCastsTransposedWeightsOnce counts the casts of a weight that products take transposed.
func TestAutocastCastsTransposedWeightsOnce(t *testing.T) {
	launches := countingLaunches(t, "a100")
	gpu := device.CUDA(0)
	w := weightOn(gpu, 4, 3)
	s := tensor.NewScope(tensor.Autocast(low))
	defer s.Close()
	x := s.Enter(tensor.Ones(2, 4).To(gpu)).To(low)
	products := func(f func() *tensor.Tensor) int {
		*launches = 0
		y := f()
		if want := x.MatMul(w.Detach().To(low)); !y.Equal(want) {
			t.Errorf("got %v, want %v", y, want)
		}
		return *launches
	}
	first := products(func() *tensor.Tensor { return x.Linear(w.Transpose(0, 1), nil) })
	for name, again := range map[string]func() *tensor.Tensor{
		"Transpose": func() *tensor.Tensor { return x.Linear(w.Transpose(1, 0), nil) },
		"T":         func() *tensor.Tensor { return x.Linear(w.T(), nil) },
		"the leaf":  func() *tensor.Tensor { return x.MatMul(w) },
	} {
		if n := products(again); n != first-1 {
			t.Errorf("%s: %d launches, want one less than the %d of the first", name, n, first)
		}
	}
	y := x.Linear(w.T(), nil).Sum()
	y.Backward()
	if g := w.Grad(); g.DType() != dtype.Float32 || !g.Equal(tensor.Full([]int{4, 3}, 2).To(gpu)) {
		t.Errorf("the gradient is %v", g)
	}
}

func TestAutocastWithoutCache(t *testing.T) {
	w := weightOn(device.CPU, 3, 4)
	s := tensor.NewScope(tensor.Autocast(low, tensor.CacheEnabled(false)))
	defer s.Close()
	s.Enter(tensor.Ones(2, 4)).Linear(w, nil)
	if tensor.AutocastWeights(s) != nil {
		t.Error("a cast is kept")
	}
}

// TestAutocastGradients compares a step with the one whose casts are written down.
func TestAutocastGradients(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, dt := range []dtype.DType{dtype.BFloat16, dtype.Float16} {
			w, b := weightOn(dev, 4, 4), weightOn(dev, 4)
			data := tensor.Linspace(-1, 1, 12).View(3, 4).To(dev)
			s := tensor.NewScope(tensor.Autocast(dt))
			x := s.Enter(data)
			x.Linear(w, b).ReLU().Linear(w, b).Float().Square().Sum().Backward()
			s.Close()
			got := []*tensor.Tensor{w.Grad(), b.Grad()}
			w.ZeroGrad()
			b.ZeroGrad()
			low, bias := w.To(dt), b.To(dt)
			data.To(dt).Linear(low, bias).ReLU().Linear(low, bias).Float().Square().Sum().Backward()
			for i, want := range []*tensor.Tensor{w.Grad(), b.Grad()} {
				if got[i].DType() != dtype.Float32 || !got[i].Equal(want) {
					t.Errorf("%v: gradient %d is %v, want %v", dt, i, got[i], want)
				}
			}
		}
	})
}

// TestAutocastNests opens scopes for the results of others.
func TestAutocastNests(t *testing.T) {
	w := weightOn(device.CPU, 3, 4)
	outer := tensor.NewScope(tensor.Autocast(low))
	defer outer.Close()
	x := outer.Enter(tensor.Ones(2, 4))
	for _, c := range []struct {
		name  string
		scope *tensor.Scope
		want  dtype.DType
	}{
		{"taken over", tensor.NewScope(), low},
		{"off", tensor.NewScope(tensor.Autocast(low, tensor.Enabled(false))), dtype.Float32},
		{"another dtype", tensor.NewScope(tensor.Autocast(dtype.Float16)), dtype.Float16},
		{"of GPUs alone", tensor.NewScope(tensor.Autocast(low, tensor.DeviceType(device.TypeCUDA))), dtype.Float32},
		{"of CPUs too", tensor.NewScope(tensor.Autocast(dtype.Float16, tensor.DeviceType(device.TypeCUDA)),
			tensor.Autocast(low, tensor.DeviceType(device.TypeCPU))), low},
	} {
		y := c.scope.Enter(x).Linear(w, nil)
		if y.DType() != c.want {
			t.Errorf("%s: got %v, want %v", c.name, y.DType(), c.want)
		}
		dt, on := y.AutocastDType()
		if on != (c.want != dtype.Float32) || on && dt != c.want {
			t.Errorf("%s: AutocastDType is %v, %v", c.name, dt, on)
		}
		c.scope.Close()
	}
	if got := x.Linear(w, nil).DType(); got != low {
		t.Errorf("behind the scopes: %v", got)
	}
}

// TestAutocastLeavesAlone what PyTorch does: ops in place, float64, integers, and data outside scopes.
func TestAutocastLeavesAlone(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		s := tensor.NewScope(tensor.Autocast(low))
		defer s.Close()
		half := func() *tensor.Tensor { return s.Enter(tensor.Ones(2, 2).To(dev, low)) }
		single, double := s.Enter(tensor.Ones(2, 2).To(dev)), s.Enter(tensor.Ones(2, 2).To(dev, dtype.Float64))
		index := s.Enter(tensor.Zeros(2, 2).To(dev, dtype.Int64))
		for name, c := range map[string]struct{ got, want dtype.DType }{
			"exp_":         {half().ExpInPlace().DType(), low},
			"pow_":         {half().PowInPlace(2).DType(), low},
			"add_":         {half().AddInPlace(half()).DType(), low},
			"scatter_add_": {half().ScatterAddInPlace(0, index, half()).DType(), low},
			"mm of double": {double.MM(double).DType(), dtype.Float64},
			"outside":      {tensor.Ones(2, 2).To(dev).MM(tensor.Ones(2, 2).To(dev)).DType(), dtype.Float32},
			"add":          {single.Add(half()).DType(), dtype.Float32},
			"zeros":        {tensor.Like(single).Zeros(2).DType(), dtype.Float32},
		} {
			if c.got != c.want {
				t.Errorf("%s: got %v, want %v", name, c.got, c.want)
			}
		}
		tracked := half().Detach().SetRequiresGrad(true)
		if y := s.Enter(tracked).MulScalar(1).ExpInPlace(); y.DType() != low {
			t.Errorf("exp_ with a gradient: %v", y.DType())
		}
	})
}

func TestAutocastTakesHalves(t *testing.T) {
	err := tensor.Try(func() { tensor.Autocast(dtype.Float32) })
	if err == nil {
		t.Fatal("float32 is taken")
	}
}

// seen notes the dtypes of products in its Forward and Backward.
type seen struct{ forward, backward *dtype.DType }

func (f seen) Forward(c *tensor.FunctionContext, in ...*tensor.Tensor) []*tensor.Tensor {
	c.Save(in...)
	y := in[0].MM(in[0])
	*f.forward = y.DType()
	return []*tensor.Tensor{y}
}

func (f seen) Backward(c *tensor.FunctionContext, grads ...*tensor.Tensor) []*tensor.Tensor {
	x := c.Saved()[0]
	*f.backward = x.Float().MM(x.Float()).DType()
	return []*tensor.Tensor{grads[0].Float().MM(x.Float()).MulScalar(2)}
}

// caster is seen with inputs in float32.
type caster struct{ seen }

func (caster) CastInputs() dtype.DType { return dtype.Float32 }

func TestAutocastOfFunctions(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, c := range []struct {
			name string
			make func(s seen) tensor.Function
			want dtype.DType
		}{
			{"plain", func(s seen) tensor.Function { return s }, low},
			{"with cast inputs", func(s seen) tensor.Function { return caster{s} }, dtype.Float32},
		} {
			f := seen{new(dtype.DType), new(dtype.DType)}
			s := tensor.NewScope(tensor.Autocast(low))
			leaf := tensor.Ones(2, 2).To(dev, low).SetRequiresGrad(true)
			y := tensor.Apply(c.make(f), s.Enter(leaf))[0]
			if got, _ := y.AutocastDType(); got != low {
				t.Errorf("%s: the result's Autocast is %v", c.name, got)
			}
			y.Sum().Backward()
			if *f.forward != c.want || *f.backward != c.want || leaf.Grad().DType() != low {
				t.Errorf("%s: forward %v, backward %v, gradient %v", c.name, *f.forward, *f.backward, leaf.Grad().DType())
			}
			s.Close()
		}
	})
}

// TestAutocastScopesAreIndependent computes in scopes of several goroutines.
func TestAutocastScopesAreIndependent(t *testing.T) {
	w := weightOn(device.CPU, 8, 8)
	got := make([]dtype.DType, 8)
	done := make(chan struct{})
	for i := range got {
		go func() {
			defer func() { done <- struct{}{} }()
			s := tensor.NewScope(tensor.Autocast([]dtype.DType{dtype.Float16, dtype.BFloat16}[i%2]))
			defer s.Close()
			y := s.Enter(tensor.Ones(2, 8)).Linear(w, nil)
			y.Float().Sum().Backward()
			got[i] = y.DType()
		}()
	}
	for range got {
		<-done
	}
	if want := slices.Repeat([]dtype.DType{dtype.Float16, dtype.BFloat16}, 4); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
