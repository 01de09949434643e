package cpu

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/kern"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// resample sums elements along the last axes of in[0] by the places in[1] and the weights in[2].
func resample[T dtype.Float](c *backend.Call) error {
	x, y := &c.In()[0], &c.Out()[0]
	if y.Layout.Size() == 0 {
		return nil
	}
	s := resampleShape(x.Layout.Shape(), y.Layout.Shape())
	places, weights := dense[int64](&c.In()[1]), dense[T](&c.In()[2])
	var taps [3]kern.AxisTaps[T]
	for i, width := range c.Params.(op.Resample).Width {
		n := width * s.To[i]
		taps[i] = kern.AxisTaps[T]{Width: width, Places: places[:n], Weights: weights[:n]}
		places, weights = places[n:], weights[n:]
	}
	return kern.Float[T]().Resample(s, taps, dense[T](x), dense[T](y))
}

// resampleShape takes the last three axes of both shapes; those before them count as planes.
func resampleShape(in, out layout.Shape) *kern.ResampleShape {
	s := kern.ResampleShape{Planes: 1, From: [3]int{1, 1, 1}, To: [3]int{1, 1, 1}}
	for i, n := range in {
		if at := i + 3 - len(in); at >= 0 {
			s.From[at], s.To[at] = n, out[i]
		} else {
			s.Planes *= n
		}
	}
	return &s
}
