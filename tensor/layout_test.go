package tensor_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// draw reads choices from fuzzed bytes; when they run out every choice is 0.
type draw struct{ bytes []byte }

// below returns a choice of n.
func (d *draw) below(n int) int {
	if len(d.bytes) == 0 {
		return 0
	}
	b := d.bytes[0]
	d.bytes = d.bytes[1:]
	return int(b) % n
}

// shape returns up to four extents from 0 to 3.
func (d *draw) shape() []int {
	shape := make([]int, d.below(5))
	for i := range shape {
		shape[i] = (d.below(4) + 2) % 4
	}
	return shape
}

// operand returns a tensor of any layout that broadcasts to shape, and its numbers.
func (d *draw) operand(shape []int) (*tensor.Tensor, array) {
	own := slices.Clone(shape[d.below(len(shape)+1):])
	for i := range own {
		if d.below(3) == 0 {
			own[i] = 1
		}
	}
	x := newArray(own...)
	for k := range x.v {
		x.v[k] = float64((7*k+d.below(5))%11) - 5
	}
	t := x.tensor(device.CPU, dtype.Float32)
	switch d.below(4) {
	case 0:
		t = reversed(t)
	case 1:
		t = scattered(t, 1+d.below(3))
	case 2:
		for axis := range own {
			if own[axis] > 0 && d.below(2) == 0 {
				t = t.Slice(axis, 0, 1).Expand(own...)
			}
		}
	}
	return t, arrayOf(t)
}

// randomBytes are seeds for fuzz tests, of which a plain test run is made.
func randomBytes(n int) (seeds [][]byte) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		b := make([]byte, 24)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		seeds = append(seeds, b)
	}
	return seeds
}

// FuzzBroadcast computes elementwise ops on operands of any layout that are broadcast together, and their gradients, as
// plain loops do.
func FuzzBroadcast(f *testing.F) {
	for _, seed := range randomBytes(300) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		d := &draw{choices}
		shape := d.shape()
		x, a := d.operand(shape)
		y, b := d.operand(shape)
		x, y = x.Detach().SetRequiresGrad(true), y.Detach().SetRequiresGrad(true)
		z := x.Mul(y).Sub(y)
		want := elementwise(func(v []float64) float64 { return v[0]*v[1] - v[1] }, []array{a, b})
		if got := arrayOf(z.Detach()); !slices.Equal(got.shape, want.shape) || !slices.Equal(got.v, want.v) {
			t.Fatalf("%v · %v is %v, want %v", a, b, got, want)
		}
		z.Sum().Backward()
		dx, dy := newArray(a.shape...), newArray(b.shape...)
		each(want.shape, func(at []int) {
			*dx.broadcastAt(at) += *b.broadcastAt(at)
			*dy.broadcastAt(at) += *a.broadcastAt(at) - 1
		})
		if got := arrayOf(gradOf(x)); !slices.Equal(got.v, dx.v) {
			t.Errorf("gradient of %v beside %v is %v, want %v", a, b, got, dx)
		}
		if got := arrayOf(gradOf(y)); !slices.Equal(got.v, dy.v) {
			t.Errorf("gradient of %v beside %v is %v, want %v", b, a, got, dy)
		}
	})
}

// FuzzReshape keeps the elements in row-major order, whatever the layout, and takes them back where they came from.
func FuzzReshape(f *testing.F) {
	for _, seed := range randomBytes(300) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		d := &draw{choices}
		x, a := d.operand(d.shape())
		x = x.Detach().SetRequiresGrad(true)
		factors := slices.DeleteFunc(slices.Clone(a.shape), func(n int) bool { return n == 1 })
		for range d.below(3) {
			factors = slices.Insert(factors, d.below(len(factors)+1), 1)
		}
		if len(factors) > 1 && d.below(2) == 0 {
			factors = append(factors[2:], factors[0]*factors[1])
		}
		y := x.Reshape(factors...)
		if got := arrayOf(y.Detach()); !slices.Equal(got.shape, factors) || !slices.Equal(got.v, a.v) {
			t.Fatalf("%v reshaped to %v is %v", a, factors, got)
		}
		if back := arrayOf(y.Detach().Reshape(a.shape...)); !slices.Equal(back.v, a.v) {
			t.Errorf("%v comes back from %v as %v", a, factors, back)
		}
		weights := newArray(factors...)
		for k := range weights.v {
			weights.v[k] = float64(k)
		}
		y.Backward(tensor.Gradient(weights.tensor(device.CPU, dtype.Float32)))
		if got := arrayOf(gradOf(x)); !slices.Equal(got.v, weights.v) {
			t.Errorf("gradient of %v reshaped to %v is %v, want %v", a, factors, got, weights)
		}
	})
}
