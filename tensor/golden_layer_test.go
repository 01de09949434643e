package tensor

var goldenLayers = map[string]goldenOp{
	"conv2d": func(in []*Tensor) []*Tensor { return []*Tensor{in[0].Conv2D(in[1], in[2])} },
	"conv2d(stride=2,padding=1)": func(in []*Tensor) []*Tensor {
		return []*Tensor{in[0].Conv2D(in[1], in[2], Stride(2), Padding(1))}
	},
	"conv2d(dilation=2,padding=2)": func(in []*Tensor) []*Tensor {
		return []*Tensor{in[0].Conv2D(in[1], nil, Dilation(2), Padding(2))}
	},
	"conv2d(groups=2)":  func(in []*Tensor) []*Tensor { return []*Tensor{in[0].Conv2D(in[1], nil, Groups(2))} },
	"conv1d(padding=1)": func(in []*Tensor) []*Tensor { return []*Tensor{in[0].Conv1D(in[1], in[2], Padding(1))} },

	"max_pool2d(2)": func(in []*Tensor) []*Tensor { return []*Tensor{in[0].MaxPool2D(2)} },
	"max_pool2d(3,stride=2,padding=1)": func(in []*Tensor) []*Tensor {
		return []*Tensor{in[0].MaxPool2D(3, Stride(2), Padding(1))}
	},
	"avg_pool2d(2)": func(in []*Tensor) []*Tensor { return []*Tensor{in[0].AvgPool2D(2)} },
	"avg_pool2d(3,stride=2,padding=1)": func(in []*Tensor) []*Tensor {
		return []*Tensor{in[0].AvgPool2D(3, Stride(2), Padding(1))}
	},
	"adaptive_avg_pool2d(3,2)": func(in []*Tensor) []*Tensor { return []*Tensor{in[0].AdaptiveAvgPool2D(3, 2)} },

	"layer_norm": func(in []*Tensor) []*Tensor { return []*Tensor{in[0].LayerNorm([]int{4}, in[1], in[2])} },
	"batch_norm(training)": func(in []*Tensor) []*Tensor {
		return []*Tensor{in[0].BatchNorm(in[1], in[2], nil, nil, Training(true))}
	},
	"batch_norm(eval)": func(in []*Tensor) []*Tensor {
		mean, variance := Of([]float64{0.1, -0.2, 0.3}), Of([]float64{1, 2, 0.5})
		return []*Tensor{in[0].BatchNorm(in[1], in[2], mean, variance)}
	},
}
