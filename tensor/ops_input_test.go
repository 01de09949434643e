package tensor_test

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// arg says what an input of a row is.
type arg struct {
	shape    []int
	lo, hi   float64     // floats are drawn from [lo, hi); both 0 means [-2, 2)
	away     []float64   // and stay clear of these, where the function has a kink or a jump
	whole    [2]int      // integers are drawn from the first to the second; both 0 means -5 to 9
	values   []float64   // instead of draws, repeated as needed
	dtype    dtype.DType // fixed, whatever dtype the row is run in: indices, masks
	constant bool        // takes no gradient
}

// clearance is how far draws stay away from kinks: more than a difference of gradcheck reaches, and than float16 rounds.
const clearance = 0.02

// dtypes by what rows allow.
var (
	floatTypes   = []dtype.DType{dtype.Float64, dtype.Float32, dtype.Float16, dtype.BFloat16}
	integerTypes = []dtype.DType{dtype.Int64, dtype.Int32, dtype.Int16, dtype.Int8, dtype.Uint8}
	numberTypes  = slices.Concat(floatTypes, integerTypes)
	bitTypes     = slices.Concat(integerTypes, []dtype.DType{dtype.Bool})
	allTypes     = slices.Concat(numberTypes, []dtype.DType{dtype.Bool})
)

// What results are, by the dtype of the inputs.

func toFloat(dt dtype.DType) dtype.DType {
	if dt.IsFloat() {
		return dt
	}
	return dtype.Default
}

func toSum(dt dtype.DType) dtype.DType {
	if dt.IsFloat() {
		return dt
	}
	return dtype.Int64
}

func toNumber(dt dtype.DType) dtype.DType {
	if dt == dtype.Bool {
		return dtype.Int64
	}
	return dt
}

func toBool(dtype.DType) dtype.DType  { return dtype.Bool }
func toIndex(dtype.DType) dtype.DType { return dtype.Int64 }

// allowed returns the dtypes that the row is run in, the one that judges the others first.
func (r *opRow) allowed() []dtype.DType {
	if r.dtypes == nil {
		return floatTypes
	}
	return r.dtypes
}

// base is the dtype for checks that one dtype stands for.
func (r *opRow) base() dtype.DType { return r.allowed()[0] }

// resultType returns the dtype of the result.
func (r *opRow) resultType(dt dtype.DType) dtype.DType {
	if r.result == nil {
		return dt
	}
	return r.result(dt)
}

// typeOf returns the dtype of input i where the row is run in dt.
func (r *opRow) typeOf(i int, dt dtype.DType) dtype.DType {
	if fixed := r.in[i].dtype; fixed != dtype.Undefined {
		return fixed
	}
	return dt
}

// arrays returns the inputs as numbers that dt holds exactly, the same in every run.
func (r *opRow) arrays(dt dtype.DType) []array { return r.arraysOf(dt, nil) }

// arraysOf is arrays with other shapes; nil ones are the row's own.
func (r *opRow) arraysOf(dt dtype.DType, shapes [][]int) []array {
	x := make([]array, len(r.in))
	for i := range r.in {
		shape := r.in[i].shape
		if shapes != nil {
			shape = shapes[i]
		}
		h := fnv.New64a()
		h.Write([]byte(r.name))
		draws := rand.New(rand.NewPCG(h.Sum64(), uint64(i)))
		x[i] = array{shape, make([]float64, extent(shape))}
		for k := range x[i].v {
			x[i].v[k] = r.in[i].draw(draws, k, r.typeOf(i, dt))
		}
	}
	return x
}

func (a *arg) draw(r *rand.Rand, k int, dt dtype.DType) float64 {
	switch {
	case a.values != nil:
		return rounded(a.values[k%len(a.values)], dt)
	case dt == dtype.Bool:
		return float64(r.IntN(2))
	case !dt.IsFloat():
		lo, hi := a.whole[0], a.whole[1]
		if a.whole == [2]int{} {
			lo, hi = -5, 9
		}
		if !dt.IsSigned() {
			lo = max(lo, 0)
		}
		return float64(lo + r.IntN(hi-lo+1))
	}
	lo, hi := a.lo, a.hi
	if lo == 0 && hi == 0 {
		lo, hi = -2, 2
	}
	for {
		v := rounded(lo+(hi-lo)*r.Float64(), dt)
		if !slices.ContainsFunc(a.away, func(kink float64) bool { return math.Abs(v-kink) < clearance }) {
			return v
		}
	}
}

// rounded returns the number of dt that v is converted to.
func rounded(v float64, dt dtype.DType) float64 {
	switch dt {
	case dtype.Float32:
		return float64(float32(v))
	case dtype.Float16:
		return float64(dtype.F16FromFloat64(v).Float32())
	case dtype.BFloat16:
		return float64(dtype.BF16FromFloat64(v).Float32())
	case dtype.Float64:
		return v
	}
	return wrapped(v, dt)
}

// tensors returns the inputs as contiguous tensors: leaves where gradients are wanted and possible.
func (r *opRow) tensors(dev device.Device, dt dtype.DType, grad bool) []*tensor.Tensor {
	return r.leaves(r.reshaped(dev, dt, nil), grad)
}

// leaves makes inputs leaves.
func (r *opRow) leaves(x []*tensor.Tensor, grad bool) []*tensor.Tensor {
	for i := range x {
		if grad && x[i].DType().IsFloat() && !r.in[i].constant {
			x[i] = x[i].Detach().SetRequiresGrad(true)
		}
	}
	return x
}

// unleaf returns copies of leaves that may be changed in place.
func (r *opRow) unleaf(x []*tensor.Tensor) []*tensor.Tensor {
	y := slices.Clone(x)
	y[0] = x[0].Clone()
	return y
}

// reshaped returns the inputs in other shapes; nil ones are the row's own.
func (r *opRow) reshaped(dev device.Device, dt dtype.DType, shapes [][]int) []*tensor.Tensor {
	x := make([]*tensor.Tensor, len(r.in))
	for i, a := range r.arraysOf(dt, shapes) {
		x[i] = a.tensor(dev, r.typeOf(i, dt))
	}
	return x
}

// withExtents returns shapes for all inputs that have axes in the row.
func (r *opRow) withExtents(shape []int) [][]int {
	shapes := make([][]int, len(r.in))
	for i, a := range r.in {
		if len(a.shape) > 0 {
			shapes[i] = shape
		}
	}
	return shapes
}
