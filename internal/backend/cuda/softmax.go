package cuda

import (
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

func (t *table) addSoftmax() {
	for _, dt := range floats {
		t[op.Softmax][dt] = row{softmax, typed("softmax", dt)}
		t[op.LogSoftmax][dt] = row{softmax, typed("log_softmax", dt)}
		t[op.SoftmaxGrad][dt] = row{softmaxGrad, typed("softmax_grad", dt)}
		t[op.LogSoftmaxGrad][dt] = row{softmaxGrad, typed("log_softmax_grad", dt)}
	}
}

var softmaxParams paramPool[kernels.Softmax]

func softmax(d *Device, c *backend.Call, k kernelID) error {
	return alongRuns(d, c, k, func(p *kernels.Softmax, at *[maxScratch]uint64) { p.In = at[0] })
}

func softmaxGrad(d *Device, c *backend.Call, k kernelID) error {
	return alongRuns(d, c, k, func(p *kernels.Softmax, at *[maxScratch]uint64) { p.Dy, p.Y = at[0], at[1] })
}

// alongRuns launches a row of threads for each run along the axis; the result is fresh.
func alongRuns(d *Device, c *backend.Call, k kernelID, set func(p *kernels.Softmax, at *[maxScratch]uint64)) error {
	s := scratch{device: d}
	defer s.free()
	var at [maxScratch]uint64
	if err := s.all(c, &at); err != nil {
		return err
	}
	p := softmaxParams.take()
	defer softmaxParams.give(p)
	out := &c.Out()[0]
	outer, n, inner := around(out.Layout.Shape, c.Params.(op.Axis).Axis)
	if out.Layout.Size() == 0 {
		return nil
	}
	*p = kernels.Softmax{Outer: uint64(outer), N: uint64(n), Inner: uint64(inner), Out: address(out)}
	set(p, &at)
	return launchRows(d, k, p.Outer*p.Inner, p.N, p)
}

// around returns the extents before, of and after an axis; a tensor without axes counts as one element.
func around(shape layout.Shape, axis int) (outer, n, inner int) {
	outer, n, inner = 1, 1, 1
	for i, d := range shape {
		switch {
		case i < axis:
			outer *= d
		case i == axis:
			n = d
		default:
			inner *= d
		}
	}
	return outer, n, inner
}
