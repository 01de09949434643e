package cuda

import (
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

func (t *table) addResampling() {
	for _, dt := range floats {
		t[op.Interpolate][dt] = row{resampled, typed("resample", dt)}
	}
}

var resampleParams paramPool[kernels.Resample]

// resampled sums elements along the last axes of in[0] by the places in[1] and the weights in[2].
func resampled(d *Device, c *backend.Call, k kernelID) error {
	out := &c.Out()[0]
	if out.Layout.Size() == 0 {
		return nil
	}
	s, p := resampleParams.begin(d)
	defer s.free()
	*p = kernels.Resample{
		Planes: 1, Out: address(out), In: s.packed(&c.In()[0]), Places: s.packed(&c.In()[1]), Weights: s.packed(&c.In()[2]),
		From: [3]int64{1, 1, 1}, To: [3]int64{1, 1, 1},
	}
	from, to := c.In()[0].Layout.Shape(), out.Layout.Shape()
	for i, n := range from {
		if at := i + 3 - len(from); at >= 0 {
			p.From[at], p.To[at] = int64(n), int64(to[i])
		} else {
			p.Planes *= uint64(n)
		}
	}
	for i, width := range c.Params.(op.Resample).Width {
		p.Width[i] = int64(width)
	}
	return issue(&s, k, d.flat(out.Layout.Size()), p)
}
