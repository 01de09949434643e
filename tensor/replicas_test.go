package tensor_test

import (
	"slices"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/internal/friend"
	"cresset/tensor"
)

// TestFlatTensors passes tensors of several dtypes and layouts through the kernels that carry many at once. One GPU is enough
// for it.
func TestFlatTensors(t *testing.T) {
	for _, dev := range devicetest.All(t) {
		if dev.IsCPU() {
			continue
		}
		var sums, others []*tensor.Tensor
		for i, dt := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.Float16, dtype.Float32, dtype.BFloat16, dtype.Float32, dtype.Float64} {
			x := tensor.On(dev).Arange(0, []int{1, 1500, 3, 0, 5, 777, 2}[i], 1).To(dt)
			sums, others = append(sums, x.Clone()), append(others, x)
		}
		columns := tensor.On(dev).Arange(0, 6, 1).Float().Reshape(2, 3).T()
		sums, others = append(sums, columns.Contiguous()), append(others, columns)
		tensor.AddFlat(sums, others)
		for i, x := range others {
			want := tensor.Values[float64](x.Double().MulScalar(3).To(x.DType()))
			if got := tensor.Values[float64](sums[i]); !slices.Equal(got, want) {
				t.Errorf("%s, tensor %d: got %v, want %v", dev, i, got, want)
			}
		}
	}
}

// TestReplicasRefuse says what cannot be copied to where.
func TestReplicasRefuse(t *testing.T) {
	first, second := twoGPUs(t)
	for want, f := range map[string]func(r friend.Replicas[*tensor.Tensor]){
		"Broadcast function not implemented for CPU tensors": func(r friend.Replicas[*tensor.Tensor]) {
			r.Of([]*tensor.Tensor{tensor.On(first).Ones(2)}, []device.Device{first, device.CPU})
		},
		"Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1!": func(r friend.Replicas[*tensor.Tensor]) {
			r.Of([]*tensor.Tensor{tensor.On(second).Ones(2)}, []device.Device{first, second})
		},
	} {
		if err := tensor.Try(func() { f(inner.NewReplicas()) }); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
