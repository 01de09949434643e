package tensor_test

import (
	"testing"

	"cresset/device"
	"cresset/dtype"
	. "cresset/tensor"
)

// TestKernelsHavePyTorchsNames holds the texts about dtypes that an op does not take to PyTorch 2.15's.
func TestKernelsHavePyTorchsNames(t *testing.T) {
	image := func(x *Tensor) *Tensor { return x.Reshape(1, 1, 3, 4) }
	volume := func(x *Tensor) *Tensor { return x.Reshape(1, 1, 1, 3, 4) }
	for _, row := range []struct {
		name string
		dt   dtype.DType
		want string
		do   func(x *Tensor)
	}{
		{"abs", dtype.Bool, `"abs_cpu" not implemented for 'Bool'`, func(x *Tensor) { x.Abs() }},
		{"floor", dtype.Bool, `"floor_vml_cpu" not implemented for 'Bool'`, func(x *Tensor) { x.Floor() }},
		{"ceil", dtype.Bool, `"ceil_vml_cpu" not implemented for 'Bool'`, func(x *Tensor) { x.Ceil() }},
		{"round", dtype.Bool, `"round_vml_cpu" not implemented for 'Bool'`, func(x *Tensor) { x.Round() }},
		{"trunc", dtype.Bool, `"trunc_vml_cpu" not implemented for 'Bool'`, func(x *Tensor) { x.Trunc() }},
		{"fmod", dtype.Bool, `"fmod_cpu" not implemented for 'Bool'`, func(x *Tensor) { x.Fmod(x) }},
		{"remainder", dtype.Bool, `"remainder_cpu" not implemented for 'Bool'`, func(x *Tensor) { x.Remainder(x) }},
		{"floor divide", dtype.Bool, `"div_floor_cpu" not implemented for 'Bool'`, func(x *Tensor) { x.FloorDivide(x) }},
		{"truncated quotient", dtype.Bool, `"div_trunc_cpu" not implemented for 'Bool'`, func(x *Tensor) { x.DivTrunc(x) }},
		{"silu", dtype.Int64, `"silu_cpu" not implemented for 'Long'`, func(x *Tensor) { x.SiLU() }},
		{"gelu", dtype.Int32, `"GeluKernelImpl" not implemented for 'Int'`, func(x *Tensor) { x.GELU() }},
		{"relu", dtype.Bool, "Boolean inputs not supported for relu", func(x *Tensor) { x.ReLU() }},
		{"argmin", dtype.Bool, "argmin(): does not support bool input", func(x *Tensor) { x.ArgMinAxis(0) }},
		{"median", dtype.Bool, `"median_cpu" not implemented for 'Bool'`, func(x *Tensor) { x.Median() }},
		{"median of an axis", dtype.Bool, `"median_out" not implemented for 'Bool'`, func(x *Tensor) { x.NaNMedianAxis(0) }},
		{"kthvalue", dtype.Bool, `"kthvalue_cpu" not implemented for 'Bool'`, func(x *Tensor) { x.KthValue(1, 0) }},
		{"topk", dtype.Bool, "topk does not support bool dtypes on CPU", func(x *Tensor) { x.TopK(1, 0) }},
		{"arange", dtype.Bool, `"arange_cpu" not implemented for 'Bool'`, func(x *Tensor) { Like(x).Arange(0, 5, 1) }},
		{"linspace", dtype.Bool, `"linspace_cpu" not implemented for 'Bool'`, func(x *Tensor) { Like(x).Linspace(0, 5, 3) }},
		{"windows", dtype.Uint8, `"im2col_out_cpu" not implemented for 'Byte'`, func(x *Tensor) { image(x).Unfold2D(2) }},
		{"reflection", dtype.Bool, `"reflection_pad1d" not implemented for 'Bool'`, func(x *Tensor) { x.PadReflect([]int{1, 1}) }},
		{"replication", dtype.Bool, `"replication_pad2d" not implemented for 'Bool'`, func(x *Tensor) { image(x).PadReplicate([]int{1, 1, 1, 1}) }},
		{"nearest", dtype.Int64, `"upsample_nearest2d_channels_last" not implemented for 'Long'`, func(x *Tensor) { image(x).Interpolate([]int{2, 2}) }},
		{"bilinear", dtype.Int64, `"upsample_bilinear2d_channels_last" not implemented for 'Long'`, func(x *Tensor) { image(x).Interpolate([]int{2, 2}, Bilinear) }},
		{"bicubic", dtype.Int32, `"compute_indices_weights_cubic" not implemented for 'Int'`, func(x *Tensor) { image(x).Interpolate([]int{2, 2}, Bicubic) }},
		{"trilinear", dtype.Int32, `"compute_indices_weights_linear" not implemented for 'Int'`, func(x *Tensor) { volume(x).Interpolate([]int{1, 2, 2}, Trilinear) }},
		{"nearest of volumes", dtype.Int32, `"compute_indices_weights_nearest" not implemented for 'Int'`, func(x *Tensor) { volume(x).Interpolate([]int{1, 2, 2}) }},
		{"antialias", dtype.Int32, `"compute_index_ranges_weights" not implemented for 'Int'`, func(x *Tensor) { image(x).Interpolate([]int{2, 2}, Bilinear, Antialias(true)) }},
		{"area", dtype.Int32, `"adaptive_avg_pool2d" not implemented for 'Int'`, func(x *Tensor) { image(x).Interpolate([]int{2, 2}, Area) }},
		{"grid", dtype.Int32, `"grid_sampler_2d_cpu_kernel_impl" not implemented for 'Int'`, func(x *Tensor) { image(x).GridSample(x.Reshape(1, 2, 3, 2)) }},
		{"grid of volumes", dtype.Int32, `"grid_sampler3d_cpu" not implemented for 'Int'`, func(x *Tensor) { volume(x).GridSample(x.Reshape(1, 1, 2, 2, 3)) }},
		{"adaptive average", dtype.Int64, `"adaptive_avg_pool2d" not implemented for 'Long'`, func(x *Tensor) { x.AdaptiveAvgPool1D(2) }},
		{"adaptive average of volumes", dtype.Int64, `"adaptive_avg_pool3d_cpu" not implemented for 'Long'`, func(x *Tensor) { volume(x).AdaptiveAvgPool3D(1, 2, 2) }},
		{"adaptive maximum", dtype.Int64, `"adaptive_max_pool2d" not implemented for 'Long'`, func(x *Tensor) { image(x).AdaptiveMaxPool2D(2, 2) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			x := On(device.CPU).As(row.dt).Ones(3, 4)
			err := Try(func() { row.do(x) })
			if err == nil || err.Error() != "tensor: "+row.want && err.Error() != row.want {
				t.Errorf("got error %v, want %s", err, row.want)
			}
		})
	}
}
