package cuda

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

func (t *table) addSoftmax() {
	for _, dt := range append(floats[:2:2], halves...) {
		for o, operands := range map[op.Op]int{op.Softmax: 1, op.LogSoftmax: 1, op.SoftmaxGrad: 2, op.LogSoftmaxGrad: 2} {
			t[o][dt] = row{launch: newSoftmaxer(softmaxNames[o], dt, operands).launch}
		}
	}
}

// softmaxNames are what the kernels are called.
var softmaxNames = map[op.Op]string{
	op.Softmax: "softmax", op.LogSoftmax: "log_softmax", op.SoftmaxGrad: "softmax_grad", op.LogSoftmaxGrad: "log_softmax_grad",
}

// softmaxer is the two kernels of a softmax: a row of threads for each run, or neighbouring runs side by side.
type softmaxer struct {
	rows, columns kernelID
	held          uint64 // what a row holds of a run, in units of 4 bytes for each element
}

func newSoftmaxer(name string, dt dtype.DType, operands int) *softmaxer {
	return &softmaxer{typed(name, dt), typed(name+"_columns", dt), uint64(operands * max(dt.Size()/4, 1))}
}

var softmaxParams paramPool[kernels.Softmax]

// launch computes the softmax along the axis, or its gradient, of dy and the result; what it writes is fresh.
func (o *softmaxer) launch(d *Device, c *backend.Call, _ kernelID) error {
	out := &c.Out()[0]
	if out.Layout.Size() == 0 {
		return nil
	}
	s, p := softmaxParams.begin(d)
	defer s.free()
	outer, n, inner := layout.Around(out.Layout.Shape(), c.Params.(op.Axis).Axis)
	*p = kernels.Softmax{Outer: uint64(outer), N: uint64(n), Inner: uint64(inner), Out: address(out)}
	if len(c.In()) == 1 {
		p.In = s.packed(&c.In()[0])
	} else {
		p.Dy, p.Y = s.packed(&c.In()[0]), s.packed(&c.In()[1])
	}
	return o.along(&s, p)
}

// along launches the kernel that suits the runs.
func (o *softmaxer) along(s *scratch, p *kernels.Softmax) error {
	if s.err != nil {
		return s.err
	}
	if p.Inner > 1 {
		g, ok := kernels.ColumnGrid(p.Outer*p.Inner, 1)
		return launchRuns(s.device, o.columns, g, ok, p)
	}
	return launchHeld(s.device, o.rows, p.Outer, p.N*o.held, p)
}
