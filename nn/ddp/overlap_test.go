package ddp

import (
	"testing"

	"cresset/dist"
	"cresset/nn"
	"cresset/tensor"
)

// TestReducesWhileBackwardComputes: the last layer's gradients are on their way before the first layer's are computed.
func TestReducesWhileBackwardComputes(t *testing.T) {
	err := dist.Spawn(1, func(g *dist.Group) error {
		first, last := nn.NewLinear(2, 2), nn.NewLinear(2, 2)
		model, err := NewDistributedDataParallel(nn.NewSequential(first, last), g, BucketCapMB(1e-5))
		if err != nil {
			return err
		}
		sent := -1
		out := Call(model, tensor.Ones(1, 2), func(m *nn.Sequential, x *tensor.Tensor) *tensor.Tensor {
			h := first.Forward(x)
			h.RegisterHook(func(*tensor.Tensor) *tensor.Tensor { sent = model.reducer.sent; return nil })
			return last.Forward(h)
		})
		out.Sum().Backward()
		if buckets := len(model.reducer.buckets); buckets != 4 || sent != 2 {
			t.Errorf("%d of %d buckets were sent when the last layer was done", sent, buckets)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
