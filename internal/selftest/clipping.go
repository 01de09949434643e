package selftest

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// clippings has a check for each dtype of gradients whose norms are found, and which are clipped, together and one by one.
func clippings() []Check {
	var checks []Check
	for _, dt := range floats {
		checks = append(checks, Check{"optimizers", "clipping", dt, func(dev device.Device) error {
			for _, drawn := range []func(dt dtype.DType) []*tensor.Tensor{ofSizes, transposed} {
				want, wantNorms := clipped(device.CPU, drawn(dt))
				got, norms := clipped(dev, drawn(dt))
				if err := compare(norms.To(dt), wantNorms.To(dt), 1); err != nil {
					return err
				}
				for i := range want {
					if err := compare(got[i], want[i], 2); err != nil {
						return err
					}
				}
			}
			return nil
		}})
	}
	return checks
}

// clipped returns gradients on a device, clipped to half their norm, and the norms that they had.
func clipped(dev device.Device, grads []*tensor.Tensor) (clipped []*tensor.Tensor, norms *tensor.Tensor) {
	each := make([]*tensor.Tensor, len(grads))
	for i, g := range grads {
		grads[i], each[i] = g.To(dev), g.Norm().Double()
	}
	u := inner.NewUpdates()
	if norms = u.Norms(grads); norms == nil {
		norms = tensor.Stack(each, 0)
	}
	total := norms.Norm()
	for _, g := range grads {
		u.Clip(g, total, tensor.Stack(each, 0).Norm().Float64()/2)
	}
	u.Run()
	return grads, norms
}
