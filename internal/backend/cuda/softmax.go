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
	return alongRuns(d, c, k, func(s *scratch, p *kernels.Softmax) { p.In = s.packed(&c.In()[0]) })
}

// softmaxGrad is the gradient, of dy and the result.
func softmaxGrad(d *Device, c *backend.Call, k kernelID) error {
	return alongRuns(d, c, k, func(s *scratch, p *kernels.Softmax) { p.Dy, p.Y = s.packed(&c.In()[0]), s.packed(&c.In()[1]) })
}

// alongRuns fills in the extents of a softmax and lets pack add its operands.
func alongRuns(d *Device, c *backend.Call, k kernelID, pack func(s *scratch, p *kernels.Softmax)) error {
	out := &c.Out()[0]
	if out.Layout.Size() == 0 {
		return nil
	}
	s, p := softmaxParams.begin(d)
	defer s.free()
	outer, n, inner := layout.Around(out.Layout.Shape(), c.Params.(op.Axis).Axis)
	*p = kernels.Softmax{Outer: uint64(outer), N: uint64(n), Inner: uint64(inner), Out: address(out)}
	pack(&s, p)
	return issueRows(&s, k, p.Outer*p.Inner, p.N, p)
}
