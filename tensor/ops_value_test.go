package tensor_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// checkValues compares the results in every allowed dtype with the row's reference.
func (r *opRow) checkValues(t *testing.T, dev device.Device) {
	for _, dt := range r.allowed() {
		y := r.f(r.tensors(dev, dt, false))
		r.compare(t, dev, dt, y, r.want(r.arrays(dt), dt))
	}
}

// want returns what the row's reference makes of the inputs. A row that another test judges is its own reference in
// float64: other dtypes must agree with it, but for one that is perType, of which the shape alone is known.
func (r *opRow) want(in []array, dt dtype.DType) array {
	base := r.base()
	switch {
	case r.perType:
		base = dt
	case r.ref != nil:
		return elementwise(r.ref, in)
	case r.naive != nil:
		return r.naive(in)
	}
	x := make([]*tensor.Tensor, len(in))
	for i := range in {
		x[i] = in[i].tensor(device.CPU, r.typeOf(i, base))
	}
	return arrayOf(r.f(x))
}

// check wants what a maker makes to be where and what its place says, and other dtypes refused.
func (m *maker) check(t *testing.T, dev device.Device) {
	for _, dt := range allTypes {
		var x *tensor.Tensor
		err := tensor.Try(func() { x = m.f(tensor.On(dev).As(dt)) })
		switch {
		case !dev.IsCPU() && errors.Is(err, tensor.ErrKernel): // not on this device
		case !slices.Contains(m.dtypes, dt):
			if !errors.Is(err, tensor.ErrDType) && !errors.Is(err, tensor.ErrKernel) {
				t.Errorf("%s of %s: got %v, want a refusal of the dtype", m.name, dt, err)
			}
		case err != nil:
			t.Errorf("%s of %s: %v", m.name, dt, err)
		case x.DType() != dt || x.Device() != dev || !slices.Equal(x.Shape(), m.shape) || x.RequiresGrad():
			t.Errorf("%s is %s%v on %s, want %s%v on %s", m.name, x.DType(), x.Shape(), x.Device(), dt, m.shape, dev)
		}
	}
}

// compare reports the first element of y that is not what the reference says.
func (r *opRow) compare(t *testing.T, dev device.Device, dt dtype.DType, y *tensor.Tensor, want array) {
	t.Helper()
	result := r.resultType(dt)
	if y.DType() != result || y.Device() != dev || !slices.Equal(y.Shape(), want.shape) {
		t.Errorf("%s of %s: got %s%v on %s, want %s%v on %s", r.name, dt, y.DType(), y.Shape(), y.Device(), result, want.shape, dev)
		return
	}
	for k, got := range tensor.Values[float64](y) {
		if w := wrapped(want.v[k], result); !r.near(got, w, result) {
			t.Errorf("%s of %s: element %d is %v, want %v", r.name, dt, k, got, w)
			return
		}
	}
}

// near reports whether got is want but for the roundings that the row allows.
func (r *opRow) near(got, want float64, dt dtype.DType) bool {
	if got == want || math.IsNaN(got) && math.IsNaN(want) {
		return true
	}
	if !dt.IsFloat() {
		return false
	}
	p := precisions[dt]
	roundings := r.roundings
	if roundings == 0 {
		roundings = 4
	}
	if math.IsInf(got, 0) && math.Abs(want) >= p.largest*(1-roundings*p.unit) {
		return got > 0 == (want > 0)
	}
	return math.Abs(got-want) <= roundings*(p.unit*(math.Abs(want)+r.scale)+p.least)
}

// precision is a float type: half the distance from 1 to the next number, the smallest number, and the largest.
type precision struct{ unit, least, largest float64 }

var precisions = map[dtype.DType]precision{
	dtype.Float64:  {0x1p-53, 0x1p-1074, math.MaxFloat64},
	dtype.Float32:  {0x1p-24, 0x1p-149, math.MaxFloat32},
	dtype.Float16:  {0x1p-11, 0x1p-24, 65504},
	dtype.BFloat16: {0x1p-8, 0x1p-133, 0x1.FEp127},
}

// wrapped returns what an integer type keeps of v.
func wrapped(v float64, dt dtype.DType) float64 {
	switch dt {
	case dtype.Bool:
		if v != 0 {
			return 1
		}
		return 0
	case dtype.Uint8:
		return float64(uint8(int64(v)))
	case dtype.Int8:
		return float64(int8(int64(v)))
	case dtype.Int16:
		return float64(int16(int64(v)))
	case dtype.Int32:
		return float64(int32(int64(v)))
	case dtype.Int64:
		return math.Trunc(v)
	}
	return v
}

// specials are the numbers at the edges of the float types, subnormal ones among them.
var specials = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, -3, 1.5, -2.5, math.Inf(1), math.Inf(-1), math.NaN(),
	0x1p-149, -0x1p-140, 0x1p-126, 0x1p-1074, 0x1p-24, 65504, -math.MaxFloat32, math.MaxFloat64,
}

// checkSpecials feeds an elementwise row all combinations of special numbers. Signs of zeros count, NaN must come where
// the reference has it, and subnormal numbers must not become zero.
func (r *opRow) checkSpecials(t *testing.T, dev device.Device) {
	if r.ref == nil || r.noSpecials != "" {
		return
	}
	for _, dt := range r.allowed() {
		if !dt.IsFloat() {
			continue
		}
		in, x := r.specialInputs(dt), make([]*tensor.Tensor, len(r.in))
		for i := range in {
			x[i] = in[i].tensor(dev, r.typeOf(i, dt))
		}
		y := tensor.Values[float64](r.f(x))
		for k, want := range elementwise(r.ref, in).v {
			want = rounded(want, r.resultType(dt))
			if !r.near(y[k], want, r.resultType(dt)) || y[k] == 0 && want == 0 && math.Signbit(y[k]) != math.Signbit(want) {
				t.Errorf("%s of %s%v is %v, want %v", r.name, dt, place(in, k), y[k], want)
			}
		}
	}
}

// specialInputs returns inputs that meet in all combinations.
func (r *opRow) specialInputs(dt dtype.DType) []array {
	n := 1
	for range r.in {
		n *= len(specials)
	}
	in := make([]array, len(r.in))
	for i, period := 0, 1; i < len(in); i, period = i+1, period*len(specials) {
		in[i] = newArray(n)
		for k := range in[i].v {
			v := specials[k/period%len(specials)]
			if !r.typeOf(i, dt).IsFloat() {
				v = float64(k / period % 2)
			}
			in[i].v[k] = rounded(v, r.typeOf(i, dt))
		}
	}
	return in
}

// place returns what met at element k.
func place(in []array, k int) []float64 {
	v := make([]float64, len(in))
	for i := range in {
		v[i] = in[i].v[k]
	}
	return v
}
