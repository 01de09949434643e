package selftest

import (
	"fmt"
	"slices"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// A sample is a function of tensors with the operands that it is tried on.
type sample struct {
	name      string
	in        []operand
	f         func(x []*tensor.Tensor) []*tensor.Tensor
	dtypes    []dtype.DType // of the operands that do not say theirs
	roundings float64       // how far results may be apart, in roundings of the largest number; 0: not at all
	grad      bool          // gradients of the operands that are floats are compared too
	rounded   bool          // GPUs may round operands of float32 to 11 bits
}

// mostInHalves bounds roundings of half types, in which sums that differ by many roundings of float32 differ by one, if at all.
const mostInHalves = 2

// operand makes an operand on the CPU.
type operand func(dt dtype.DType, seed int64) *tensor.Tensor

// The dtypes that samples are tried in.
var (
	floats  = []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16}
	single  = []dtype.DType{dtype.Float32, dtype.Float64}
	numeric = append(floats[:4:4], dtype.Int64, dtype.Int32, dtype.Uint8)
	each    = append(numeric[:7:7], dtype.Int16, dtype.Int8, dtype.Bool)
)

// of is an operand of normal elements. It is not inlined, nor are below and one, since each row would compile the closure anew.
//
//go:noinline
func of(shape ...int) operand {
	return func(dt dtype.DType, seed int64) *tensor.Tensor { return normal(dt, seed, shape...) }
}

// below is an operand of int64 numbers from 0 to n-1.
//
//go:noinline
func below(n int, shape ...int) operand {
	return func(_ dtype.DType, seed int64) *tensor.Tensor {
		return tensor.Empty(shape...).UniformInPlace(0, float64(n), tensor.NewGenerator(seed)).Floor().ClampInPlace(0, n-1).Long()
	}
}

// coins is an operand of bools.
func coins(shape ...int) operand {
	return func(_ dtype.DType, seed int64) *tensor.Tensor {
		return tensor.Empty(shape...).UniformInPlace(0, 1, tensor.NewGenerator(seed)).GtScalar(0.5)
	}
}

// one makes a function of one result what a sample takes.
//
//go:noinline
func one(f func(x []*tensor.Tensor) *tensor.Tensor) func(x []*tensor.Tensor) []*tensor.Tensor {
	return func(x []*tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{f(x)} }
}

// two is one for a function of two results.
func two(f func(x []*tensor.Tensor) (a, b *tensor.Tensor)) func(x []*tensor.Tensor) []*tensor.Tensor {
	return func(x []*tensor.Tensor) []*tensor.Tensor {
		a, b := f(x)
		return []*tensor.Tensor{a, b}
	}
}

// check compares the results, and the gradients of their weighted sum.
func (s sample) check(dev device.Device, dt dtype.DType) error {
	want, wantGrads := s.compute(device.CPU, dt)
	got, gotGrads := s.compute(dev, dt)
	roundings := s.roundings
	if dt == dtype.Float16 || dt == dtype.BFloat16 {
		roundings = min(roundings, mostInHalves)
	}
	for i := range want {
		if err := compare(got[i], want[i], roundings); err != nil {
			return fmt.Errorf("result %d: %w", i, err)
		}
	}
	for i, w := range wantGrads {
		switch g := gotGrads[i]; {
		case (g == nil) != (w == nil):
			return fmt.Errorf("gradient of operand %d: there on one device only", i)
		case w == nil:
		default:
			if err := compare(g, w, 4*roundings); err != nil {
				return fmt.Errorf("gradient of operand %d: %w", i, err)
			}
		}
	}
	return nil
}

func (s sample) compute(dev device.Device, dt dtype.DType) (results, grads []*tensor.Tensor) {
	if s.rounded {
		defer roundProducts()()
	}
	x := make([]*tensor.Tensor, len(s.in))
	for i, in := range s.in {
		x[i] = in(dt, int64(i)).To(dev)
		if s.grad && x[i].DType().IsFloat() {
			x[i].SetRequiresGrad(true)
		}
	}
	results = s.f(x)
	if !s.grad {
		return results, nil
	}
	for i, y := range results {
		if y.RequiresGrad() {
			y.Backward(tensor.Gradient(normal(y.DType(), int64(100+i), y.Shape()...).To(dev)), tensor.RetainGraph(true))
			results[i] = y.Detach()
		}
	}
	for _, x := range x {
		grads = append(grads, x.Grad())
	}
	return results, grads
}

// sampled has a check for each sample and dtype.
func sampled() (checks []Check) {
	for _, family := range []struct {
		name    string
		samples []sample
	}{
		{"moving and choosing", moving}, {"indices", indexing}, {"reductions and scans", reductions}, {"rows", rows},
		{"products", slices.Concat(products, following(), quantized())}, {"layers", slices.Concat(layers, roundedConvolutions, attentions())}, {"losses", losses},
	} {
		checks = append(checks, checksOf(family.name, family.samples)...)
	}
	return checks
}

func checksOf(family string, samples []sample) (checks []Check) {
	for _, s := range samples {
		for _, dt := range s.dtypes {
			checks = append(checks, Check{family, s.name, dt, func(dev device.Device) error { return s.check(dev, dt) }})
		}
	}
	return checks
}

// casts has a check for each pair of dtypes.
func casts() []Check {
	var checks []Check
	for from := dtype.Bool; from < dtype.Count; from++ {
		for to := dtype.Bool; to < dtype.Count; to++ {
			checks = append(checks, Check{"casts", "to " + to.Name(), from, func(dev device.Device) error {
				x := values(from, 4099, 1)
				if from.IsFloat() && !to.IsFloat() { // what a dtype cannot hold is undefined
					x = normal(from, 1, 4099).MulScalar(20)
					if to == dtype.Uint8 {
						x = x.Abs()
					}
				}
				if err := compare(x.To(dev).To(to), x.To(to), 0); err != nil {
					return err
				}
				x = x.Narrow(0, 3, 4096).View(64, 64).Transpose(0, 1)
				return compare(x.To(dev).To(to), x.To(to), 0)
			}})
		}
	}
	return checks
}
