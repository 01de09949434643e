package cpu

import (
	"errors"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
	"cresset/internal/rng"
)

func (t *table) addRandom() {
	addReal[float32](t)
	addReal[float64](t)
	addReal[dtype.F16](t)
	addReal[dtype.BF16](t)
	addDiscrete[bool](t)
	addDiscrete[uint8](t)
	addDiscrete[int8](t)
	addDiscrete[int16](t)
	addDiscrete[int32](t)
	addDiscrete[int64](t)
	addDiscrete[dtype.F16](t)
	addDiscrete[dtype.BF16](t)
	addDiscrete[float32](t)
	addDiscrete[float64](t)
	t[op.RandPerm][dtype.Int64] = draw(func(g *rng.MT19937, dst []int64, _ op.Draw) error {
		rng.Perm(g, dst)
		return nil
	})
}

func addReal[T rng.Real](t *table) {
	dt := dtype.Of[T]()
	t[op.Uniform][dt] = draw(func(g *rng.MT19937, dst []T, p op.Draw) error {
		rng.Uniform(g, dst, p.A, p.B)
		return nil
	})
	t[op.Normal][dt] = normal[T]
	t[op.Exponential][dt] = draw(func(g *rng.MT19937, dst []T, p op.Draw) error {
		rng.Exponential(g, dst, p.A)
		return nil
	})
	t[op.BernoulliTensor][dt] = rowMajor(bernoulliEach[T])
}

func addDiscrete[T dtype.Element](t *table) {
	dt := dtype.Of[T]()
	t[op.RandInt][dt] = draw(func(g *rng.MT19937, dst []T, p op.Draw) error {
		if p.Whole {
			rng.Random(g, dst)
			return nil
		}
		return rng.RandInt(g, dst, p.Low, p.High)
	})
	t[op.Bernoulli][dt] = draw(func(g *rng.MT19937, dst []T, p op.Draw) error {
		rng.Bernoulli(g, dst, p.A)
		return nil
	})
}

// draw makes a kernel of a function that draws elements.
//
//go:noinline
func draw[T dtype.Element](recipe func(g *rng.MT19937, dst []T, p op.Draw) error) Kernel {
	return drawing(func(g *rng.MT19937, dst pointer, n int, p op.Draw) error { return recipe(g, elements[T](dst, n), p) }).run
}

// drawing draws n contiguous elements.
type drawing func(g *rng.MT19937, dst pointer, n int, p op.Draw) error

// run draws the elements of any layout in the order of memory, whatever their index.
func (d drawing) run(c *backend.Call) error {
	p, out := c.Params.(op.Draw), &c.Out()[0]
	var w workspace
	defer w.free()
	to := *out
	gaps := out.Layout.Span() != out.Layout.Size() // without them the order of the axes does not matter
	if gaps {
		if err := w.like(&to, out.Layout.Shape(), out.DType); err != nil {
			return err
		}
	}
	g := p.Generator.(*Generator)
	g.mu.Lock()
	defer g.mu.Unlock()
	n := out.Layout.Size()
	if err := d(&g.mt, start(&to), n, p); err != nil || !gaps || n == 0 {
		return err
	}
	scatterInMemoryOrder(out, start(&to))
	return nil
}

// scatterInMemoryOrder writes elements to those of v, which is not empty, those at lower addresses first.
func scatterInMemoryOrder(v *backend.View, from pointer) {
	var l layout.Loop
	l.Init(v.Layout)
	size, n := v.DType.Size(), l.Inner()
	for r := range l.Runs() {
		to := ahead(bufferOf(v), l.Start(0, r)*size) // within the buffer, as the layout is
		copyMatrix(size, to, strides{step: l.InnerStep(0)}, ahead(from, r*n*size), strides{step: 1}, 1, n)
	}
}

// normal has a recipe for blocks, which takes a contiguous tensor, and one for single elements.
//
//go:noinline
func normal[T rng.Real](c *backend.Call) error {
	recipe := rng.Normal[T]
	if r, ok := any(kern.Normal).(func(g *rng.MT19937, dst []T, mean, std float64)); ok {
		recipe = r
	}
	if !c.Out()[0].Layout.IsContiguous() {
		recipe = rng.NormalEach[T]
	}
	return draw(func(g *rng.MT19937, dst []T, p op.Draw) error {
		recipe(g, dst, p.A, p.B)
		return nil
	})(c)
}

// bernoulliEach draws each element with its own probability, in row-major order; the result is contiguous and has the
// dtype of p.
func bernoulliEach[T rng.Real](c *backend.Call) error {
	p := dense[T](&c.In()[0])
	if !inUnit(p) {
		return errNotProbability
	}
	return draw(func(g *rng.MT19937, dst []T, _ op.Draw) error {
		rng.BernoulliEach(g, dst, p)
		return nil
	})(c)
}

//lint:ignore ST1005 PyTorch's text
var errNotProbability = errors.New("Expected p_in >= 0 && p_in <= 1 to be true, but got false.  " +
	"(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)")

// inUnit reports whether all values are in [0, 1]; NaN does not.
//
//go:noinline
func inUnit[T rng.Real](p []T) bool {
	switch p := any(p).(type) {
	case []float32:
		for _, v := range p {
			if !(v >= 0 && v <= 1) {
				return false
			}
		}
	case []float64:
		for _, v := range p {
			if !(v >= 0 && v <= 1) {
				return false
			}
		}
	case []dtype.F16:
		return halfInUnit(p)
	case []dtype.BF16:
		return halfInUnit(p)
	}
	return true
}

//go:noinline
func halfInUnit[T interface{ Float32() float32 }](p []T) bool {
	for _, v := range p {
		if x := v.Float32(); !(x >= 0 && x <= 1) {
			return false
		}
	}
	return true
}
