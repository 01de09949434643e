package cuda

import (
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

// dropoutsWidening add what is left of a half type to a residual of float32, whose gradient dropoutGradsNarrowing take back.
var dropoutsWidening, dropoutGradsNarrowing = typedForHalves("dropout_widening"), typedForHalves("dropout_grad_narrowing")

// dropout writes the elements to out[0], in[1] added where that is given, and the mask to out[1]. The numbers depend on the width of the vectors that a thread
// reads, which is therefore PyTorch's.
func dropout(d *Device, c *backend.Call, k kernelID) error {
	s := scratch{device: d}
	defer s.free()
	in := s.packed(&c.In()[0])
	if c.Out()[0].DType != c.DType {
		k = dropoutsWidening[c.DType]
	}
	return d.draw(c, func(p *kernels.Draw, o op.Draw) error {
		g, draws := kernels.DrawGrid(p.N, 4, d.properties.Multiprocessors, d.properties.MaxThreadsPerSM)
		p.In, p.Mask, p.A, p.Width = in, address(&c.Out()[1]), o.A, 1
		if len(c.In()) > 1 {
			p.Residual = s.packed(&c.In()[1])
		}
		switch {
		case p.N%4 == 0:
			p.Width = 4
		case p.N%2 == 0:
			p.Width = 2
		}
		d.place(p, o, draws)
		return issue(&s, k, g, p)
	})
}

// dropoutGrad writes in[0] · in[1] · the scale, of a gradient that may be float32 and is rounded to the elements' type first.
func dropoutGrad(d *Device, c *backend.Call, k kernelID) error {
	if c.In()[0].DType != c.DType {
		k = dropoutGradsNarrowing[c.DType]
	}
	return elementwise(d, c, k)
}
