// Package gradcheck judges gradients by finite differences.
package gradcheck

import (
	"errors"
	"fmt"
	"math"

	"cresset/dtype"
	"cresset/tensor"
)

// Func is what is differentiated: any function of tensors whose result is float64. It must not change its inputs.
type Func func(x []*tensor.Tensor) *tensor.Tensor

// Mismatch is a partial derivative on which Backward and the differences disagree.
type Mismatch struct {
	Name      string  // what was differentiated
	Input     int     // among the inputs
	Index     []int   // of the element
	Got, Want float64 // from Backward, from the differences
}

// Error names the derivative and both values.
func (e *Mismatch) Error() string {
	return fmt.Sprintf("%s: gradient of input %d at %v: Backward gives %v, differences %v", e.Name, e.Input, e.Index, e.Got, e.Want)
}

const (
	// The error of a central difference is step²·f'''/6 of truncation and f·2⁻⁵³/step of rounding: for an f of ordinary
	// size both stay well below the tolerance, while a wrong formula misses by far.
	step      = 1e-5
	tolerance = 1e-7
)

// Check compares the gradients of Σ wᵢ·f(x)ᵢ, for fixed weights w, as Backward computes them in one run, with central
// differences at every element of every float64 input. Inputs of integers and bools are constants. The result joins a
// *Mismatch for the worst element of each input.
//
// Nothing is left out in silence: an input of another float dtype, a result that is not float64 or tracks no gradient, and
// a value that is not finite are errors.
func Check(name string, f Func, x ...*tensor.Tensor) error {
	c := &checker{name: name, f: f}
	if err := c.copy(x); err != nil {
		return err
	}
	got, err := c.backward()
	if err != nil {
		return err
	}
	var faults []error
	for i := range x {
		if c.values[i] != nil {
			faults = append(faults, c.input(i, got[i]))
		}
	}
	return errors.Join(faults...)
}

type checker struct {
	name    string
	f       Func
	values  [][]float64      // of float64 inputs; nil for constants
	inputs  []*tensor.Tensor // share values
	weights []float64
}

// copy takes the inputs' values, so that a difference can change one element at a time.
func (c *checker) copy(x []*tensor.Tensor) error {
	tracked := 0
	for i, t := range x {
		switch {
		case !t.DType().IsFloat():
			c.values, c.inputs = append(c.values, nil), append(c.inputs, t)
		case t.DType() != dtype.Float64:
			return fmt.Errorf("%s: input %d is %s: differences need float64", c.name, i, t.DType())
		default:
			v := tensor.Values[float64](t)
			c.values, c.inputs = append(c.values, v), append(c.inputs, shaped(v, t))
			tracked++
		}
	}
	if tracked == 0 {
		return fmt.Errorf("%s: no input is float64", c.name)
	}
	return nil
}

// backward returns the gradients of all inputs by Backward. An input that the result does not depend on has zeros.
func (c *checker) backward() ([][]float64, error) {
	leaves := make([]*tensor.Tensor, len(c.inputs))
	for i, x := range c.inputs {
		leaves[i] = x
		if c.values[i] != nil {
			leaves[i] = x.Clone().SetRequiresGrad(true)
		}
	}
	y := c.f(leaves)
	switch {
	case y.DType() != dtype.Float64:
		return nil, fmt.Errorf("%s: the result is %s, want float64", c.name, y.DType())
	case !y.RequiresGrad():
		return nil, fmt.Errorf("%s: the result tracks no gradient", c.name)
	}
	c.weights = weights(y.NumEl())
	y.Backward(tensor.Gradient(shaped(c.weights, y)))
	grads := make([][]float64, len(leaves))
	for i, x := range leaves {
		if c.values[i] == nil {
			continue
		}
		grads[i] = make([]float64, x.NumEl())
		g := x.Grad()
		if g == nil {
			continue
		}
		if !g.Shape().Equal(x.Shape()) || g.DType() != x.DType() || g.Device() != x.Device() {
			return nil, fmt.Errorf("%s: the gradient of input %d is %s%v on %s, want %s%v on %s", c.name, i,
				g.DType(), g.Shape(), g.Device(), x.DType(), x.Shape(), x.Device())
		}
		grads[i] = tensor.Values[float64](g)
	}
	return grads, nil
}

// shaped returns values in the shape of x, on its device.
func shaped(values []float64, x *tensor.Tensor) *tensor.Tensor {
	return tensor.FromSlice(values).Reshape(x.Shape()...).To(x.Device())
}

// weights returns n different numbers of both signs, so that no gradient can hide in a sum.
func weights(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = math.Sin(float64(3*i+1)) + 0.25
	}
	return w
}

// input compares the gradient of one input and returns its worst element, if that is wrong.
func (c *checker) input(i int, got []float64) error {
	worst, excess := -1, 0.0
	want := make([]float64, len(got))
	for j := range got {
		want[j] = c.difference(i, j)
		if math.IsNaN(want[j]) || math.IsInf(want[j], 0) {
			return fmt.Errorf("%s: the difference of input %d at %v is %v: choose inputs where the result is finite", c.name, i, c.index(i, j), want[j])
		}
		e := math.Abs(got[j]-want[j]) / (1 + math.Abs(want[j]))
		if !(e <= tolerance) && !(e <= excess) {
			worst, excess = j, e
		}
	}
	if worst < 0 {
		return nil
	}
	return &Mismatch{Name: c.name, Input: i, Index: c.index(i, worst), Got: got[worst], Want: want[worst]}
}

// difference returns ∂/∂x of the weighted sum at element j of input i. The sum is of differences, not a difference of
// sums, because large terms that do not depend on x would drown it.
func (c *checker) difference(i, j int) float64 {
	x := c.values[i][j]
	h := step * max(1, math.Abs(x))
	above := c.at(i, j, x+h)
	below := c.at(i, j, x-h)
	sum := 0.0
	for k, w := range c.weights {
		sum += w * (above[k] - below[k])
	}
	return sum / ((x + h) - (x - h)) // the distance as rounded
}

// at returns f's result with element j of input i set to v.
func (c *checker) at(i, j int, v float64) []float64 {
	values, before := c.values[i], c.inputs[i]
	old := values[j]
	values[j] = v
	c.inputs[i] = shaped(values, before)
	out := tensor.Values[float64](c.f(c.inputs))
	values[j], c.inputs[i] = old, before
	return out
}

// index returns where element j of input i stands.
func (c *checker) index(i, j int) []int {
	shape := c.inputs[i].Shape()
	at := make([]int, len(shape))
	for a := len(shape) - 1; a >= 0; a-- {
		at[a] = j % shape[a]
		j /= shape[a]
	}
	return at
}
