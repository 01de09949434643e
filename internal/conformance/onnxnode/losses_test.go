package onnxnode

import (
	"math"

	"cresset/dtype"
	"cresset/tensor"
)

// losses, and the steps of optimizers.
var losses = map[string]operator{
	"NegativeLogLikelihoodLoss": func(n *node) []*tensor.Tensor {
		return one(tensor.NLLLoss(n.input(0), n.input(1).To(dtype.Int64), lossOptions(n)...))
	},
	"SoftmaxCrossEntropyLoss": func(n *node) []*tensor.Tensor {
		log := n.input(0).LogSoftmax(1)
		return []*tensor.Tensor{tensor.NLLLoss(log, n.input(1).To(dtype.Int64), lossOptions(n)...), log}
	},
	"Adagrad":  adagrad,
	"Adam":     adam,
	"Momentum": momentum,
}

func lossOptions(n *node) []tensor.NLLLossOption {
	opts := []tensor.NLLLossOption{map[string]tensor.Reduction{
		"mean": tensor.MeanReduction, "sum": tensor.SumReduction, "none": tensor.NoReduction,
	}[n.text("reduction", "mean")]}
	if n.has(2) {
		opts = append(opts, tensor.Weight(n.input(2)))
	}
	if n.given("ignore_index") {
		opts = append(opts, tensor.IgnoreIndex(n.integer("ignore_index", 0)))
	}
	return opts
}

// eachParameter runs a step on each parameter, its gradient and what an optimizer keeps of it, and returns the new values, kind by kind.
func eachParameter(n *node, kinds int, step func(rate, t float64, v []*tensor.Tensor) []*tensor.Tensor) []*tensor.Tensor {
	rate, t := n.input(0).Float64(), n.input(1).Float64()
	count := (len(n.Inputs) - 2) / kinds
	out := make([]*tensor.Tensor, count*(kinds-1))
	for i := range count {
		v := make([]*tensor.Tensor, kinds)
		for k := range kinds {
			v[k] = n.input(2 + k*count + i)
		}
		for k, y := range step(rate, t, v) {
			out[k*count+i] = y
		}
	}
	return out
}

func adagrad(n *node) []*tensor.Tensor {
	return eachParameter(n, 3, func(rate, t float64, v []*tensor.Tensor) []*tensor.Tensor {
		rate /= 1 + t*n.float("decay_factor", 0)
		g := v[1].Add(v[0].MulScalar(n.float("norm_coefficient", 0)))
		h := v[2].Add(g.Square())
		return []*tensor.Tensor{v[0].Sub(g.MulScalar(rate).Div(h.Sqrt().AddScalar(n.float("epsilon", 0)))), h}
	})
}

func adam(n *node) []*tensor.Tensor {
	a, b := n.float("alpha", 0.9), n.float("beta", 0.999)
	return eachParameter(n, 4, func(rate, t float64, v []*tensor.Tensor) []*tensor.Tensor {
		g := v[1].Add(v[0].MulScalar(n.float("norm_coefficient", 0)))
		first, second := v[2].MulScalar(a).Add(g.MulScalar(1-a)), v[3].MulScalar(b).Add(g.Square().MulScalar(1-b))
		if t > 0 {
			rate *= math.Pow(1-math.Pow(b, t), 0.5) / (1 - math.Pow(a, t))
		}
		x := v[0].Sub(first.MulScalar(rate).Div(second.Sqrt().AddScalar(n.float("epsilon", 0))))
		return []*tensor.Tensor{x.MulScalar(1 - n.float("norm_coefficient_post", 0)), first, second}
	})
}

func momentum(n *node) []*tensor.Tensor {
	return eachParameter(n, 3, func(rate, t float64, v []*tensor.Tensor) []*tensor.Tensor {
		alpha, beta := n.float("alpha", 0), n.float("beta", 0)
		if t == 0 {
			beta = 1
		}
		g := v[1].Add(v[0].MulScalar(n.float("norm_coefficient", 0)))
		m := v[2].MulScalar(alpha).Add(g.MulScalar(beta))
		if n.text("mode", "") == "nesterov" {
			return []*tensor.Tensor{v[0].Sub(g.Add(m.MulScalar(alpha)).MulScalar(rate)), m}
		}
		return []*tensor.Tensor{v[0].Sub(m.MulScalar(rate)), m}
	})
}
