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

// softmax computes runs along the axis, each by a row of threads; the result is fresh.
func softmax(d *Device, c *backend.Call, k kernelID) error {
	s := scratch{device: d}
	defer s.free()
	in, err := s.packed(&c.In()[0])
	if err != nil {
		return err
	}
	p := softmaxParams.take()
	defer softmaxParams.give(p)
	p.In, p.Dy, p.Y = in, 0, 0
	return alongRuns(d, c, k, p)
}

// softmaxGrad is the gradient, of dy and the result.
func softmaxGrad(d *Device, c *backend.Call, k kernelID) error {
	s := scratch{device: d}
	defer s.free()
	dy, err := s.packed(&c.In()[0])
	if err != nil {
		return err
	}
	y, err := s.packed(&c.In()[1])
	if err != nil {
		return err
	}
	p := softmaxParams.take()
	defer softmaxParams.give(p)
	p.In, p.Dy, p.Y = 0, dy, y
	return alongRuns(d, c, k, p)
}

// alongRuns fills in the extents of a softmax and launches it.
func alongRuns(d *Device, c *backend.Call, k kernelID, p *kernels.Softmax) error {
	out := &c.Out()[0]
	if out.Layout.Size() == 0 {
		return nil
	}
	outer, n, inner := layout.Around(out.Layout.Shape(), c.Params.(op.Axis).Axis)
	p.Outer, p.N, p.Inner, p.Out = uint64(outer), uint64(n), uint64(inner), address(out)
	return launchRows(d, k, p.Outer*p.Inner, p.N, p)
}
