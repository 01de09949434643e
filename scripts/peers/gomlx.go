package main

import (
	"fmt"

	"github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	"github.com/gomlx/gomlx/pkg/ml/context"
	"github.com/gomlx/gomlx/pkg/ml/layers"
	"github.com/gomlx/gomlx/pkg/ml/layers/activations"
	"github.com/gomlx/gomlx/pkg/ml/train"
	"github.com/gomlx/gomlx/pkg/ml/train/losses"
	"github.com/gomlx/gomlx/pkg/ml/train/optimizers"
)

// gomlx returns what GoMLX's backend in pure Go can do, each as a graph that is compiled before it is timed.
func gomlx() map[string]func() func() {
	w := map[string]func() func(){}
	for _, n := range []int{128, 256, 512, 1024, 2048} {
		w[fmt.Sprint("mm/", n)] = binary(graph.Dot, []int{n, n}, []int{n, n})
	}
	for _, batch := range []int{1, 8, 32, 64} {
		w[fmt.Sprintf("mm/%dx784x256", batch)] = binary(graph.Dot, []int{batch, 784}, []int{784, 256})
	}
	for size, n := range map[string]int{"1e3": 1e3, "1e5": 1e5, "1e7": 1e7} {
		w["add/"+size] = binary(graph.Add, []int{n}, []int{n})
	}
	w["small/add"] = binary(graph.Add, []int{4}, []int{4})
	for name, f := range map[string]func(*graph.Node) *graph.Node{
		"exp": graph.Exp, "log": graph.Log, "tanh": graph.Tanh, "sigmoid": graph.Sigmoid,
		"relu": activations.Relu, "gelu": activations.Gelu, "silu": activations.Swish,
	} {
		w[name+"/1e5"] = unary(f, 1e5)
		w[name+"/1e7"] = unary(f, 1e7)
	}
	for _, s := range [][]int{{128, 128}, {4096, 1024}} {
		shape := fmt.Sprintf("/%dx%d", s[0], s[1])
		w["softmax"+shape] = unary(func(x *graph.Node) *graph.Node { return graph.Softmax(x, 1) }, s...)
		w["log_softmax"+shape] = unary(func(x *graph.Node) *graph.Node { return graph.LogSoftmax(x, 1) }, s...)
		w["sum_rows"+shape] = unary(func(x *graph.Node) *graph.Node { return graph.ReduceSum(x, 1) }, s...)
		w["sum_columns"+shape] = unary(func(x *graph.Node) *graph.Node { return graph.ReduceSum(x, 0) }, s...)
		w["layer_norm"+shape] = layerNorm(s)
	}
	w["train/mlp_sgd"] = trainer(func() optimizers.Interface {
		return optimizers.StochasticGradientDescent().WithDecay(false).WithLearningRate(1e-3).Done()
	})
	w["train/mlp_adam"] = trainer(func() optimizers.Interface { return optimizers.Adam().Done() })
	return w
}

func unary(f func(*graph.Node) *graph.Node, shape ...int) func() func() {
	return func() func() {
		exec, x := graph.MustNewExec(simplego.GetBackend(), f), operand(shape)
		return func() { exec.MustExec1(x).MustFinalizeAll() }
	}
}

func binary(f func(x, y *graph.Node) *graph.Node, a, b []int) func() func() {
	return func() func() {
		exec, x, y := graph.MustNewExec(simplego.GetBackend(), f), operand(a), operand(b)
		return func() { exec.MustExec1(x, y).MustFinalizeAll() }
	}
}

func layerNorm(shape []int) func() func() {
	return func() func() {
		norm := func(ctx *context.Context, x *graph.Node) *graph.Node {
			return layers.LayerNormalization(ctx, x, -1).Epsilon(1e-5).Done()
		}
		exec, x := context.MustNewExec(simplego.GetBackend(), context.New(), norm), operand(shape)
		return func() { exec.MustExec1(x).MustFinalizeAll() }
	}
}

// trainer makes steps of the model that cresset's internal/bench calls mlp.
func trainer(optimizer func() optimizers.Interface) func() func() {
	return func() func() {
		model := func(ctx *context.Context, _ any, inputs []*graph.Node) []*graph.Node {
			x := inputs[0]
			for i, width := range []int{256, 128, 10} {
				if i > 0 {
					x = activations.Relu(x)
				}
				x = layers.DenseWithBias(ctx.Inf("layer_%d", i), x, width)
			}
			return []*graph.Node{x}
		}
		t := train.NewTrainer(simplego.GetBackend(), context.New(), model, losses.SparseCategoricalCrossEntropyLogits, optimizer(), nil, nil)
		labels := make([]int32, 64)
		for i := range labels {
			labels[i] = int32(i % 10)
		}
		x := []*tensors.Tensor{operand([]int{64, 784})}
		y := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(labels, 64, 1)}
		return func() {
			metrics, err := t.TrainStep(nil, x, y)
			if err != nil {
				panic(err)
			}
			for _, m := range metrics {
				m.MustFinalizeAll()
			}
		}
	}
}

func operand(shape []int) *tensors.Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return tensors.FromFlatDataAndDimensions(random(n), shape...)
}
