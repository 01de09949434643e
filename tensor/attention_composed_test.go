package tensor_test

import (
	"errors"
	"math"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestAttentionsGradientIsItsFormula compares the gradients of the kernel with those of CreateGraph, which are made of other ops.
func TestAttentionsGradientIsItsFormula(t *testing.T) {
	inf := math.Inf(-1)
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		place := tensor.On(dev)
		mask := tensor.Of([][]float64{{0.5, -1, inf, 2}, {inf, inf, inf, inf}, {inf, 1, 0, -0.5}}).To(dev)
		seen := mask.NeScalar(inf)
		for _, c := range []struct {
			name    string
			grouped bool
			opts    []tensor.AttentionOption
		}{
			{"plain", false, nil},
			{"causal", false, []tensor.AttentionOption{tensor.IsCausal(true), tensor.Scale(0.7)}},
			{"causal, within a window, behind others", true, []tensor.AttentionOption{tensor.IsCausal(true), tensor.SlidingWindow(2), tensor.QueryOffset(1), tensor.EnableGQA(true)}},
			{"with a soft cap", false, []tensor.AttentionOption{tensor.SoftCap(0.8), tensor.AttnMask(mask)}},
			{"queries that see nothing", true, []tensor.AttentionOption{tensor.AttnMask(seen), tensor.EnableGQA(true)}},
			{"with dropout", false, []tensor.AttentionOption{tensor.DropoutP(0.4), tensor.AttnMask(seen)}},
		} {
			tensor.ManualSeed(3)
			x := []*tensor.Tensor{place.Randn(2, 4, 3, 5).Double(), place.Randn(2, 4, 4, 5).Double(), place.Randn(2, 4, 4, 2).Double()}
			if c.grouped {
				x[1], x[2] = x[1].Narrow(1, 0, 2).Clone(), x[2].Narrow(1, 0, 2).Clone()
			}
			for i := range x {
				x[i].SetRequiresGrad(true)
			}
			got := attentionByFormula(t, c.name, x, c.opts)
			err := tensor.Try(func() { got[0].Sum().Backward() })
			if unseen := dev.IsCUDA() && c.name == "with dropout"; unseen != errors.Is(err, tensor.ErrAutograd) {
				t.Errorf("%s: a second derivative: %v", c.name, err)
			}
		}
	})
}

// attentionByFormula returns the gradients that CreateGraph makes, and compares them with the kernel's.
func attentionByFormula(t *testing.T, name string, x []*tensor.Tensor, opts []tensor.AttentionOption) []*tensor.Tensor {
	t.Helper()
	y := tensor.ScaledDotProductAttention(x[0], x[1], x[2], opts...)
	loss := y.Mul(tensor.RandnLike(y.Detach())).Sum()
	want := tensor.Grad(loss, x, tensor.RetainGraph(true))
	got := tensor.Grad(loss, x, tensor.CreateGraph(true))
	for i := range got {
		if !got[i].Detach().AllClose(want[i], 1e-12, 1e-12) {
			t.Errorf("%s: gradient %d is %v, want %v", name, i, got[i], want[i])
		}
	}
	return got
}

// TestAttentionsGradientOfBroadcastOperands has axes that some operands alone have, and keys and values of unlike groups.
func TestAttentionsGradientOfBroadcastOperands(t *testing.T) {
	mask := tensor.Randn(3, 2, 3, 4)
	for _, c := range []struct {
		name                  string
		queries, keys, values []int
		opts                  []tensor.AttentionOption
	}{
		{"dropout", []int{1, 2, 3, 5}, []int{1, 2, 4, 5}, []int{3, 2, 4, 2}, []tensor.AttentionOption{tensor.DropoutP(0.4)}},
		{"a mask", []int{1, 2, 3, 5}, []int{1, 2, 4, 5}, []int{3, 1, 4, 2}, []tensor.AttentionOption{tensor.AttnMask(mask.GtScalar(0))}},
		{"a bias", []int{1, 1, 3, 5}, []int{1, 2, 4, 5}, []int{3, 2, 4, 2}, []tensor.AttentionOption{tensor.AttnMask(mask.Double())}},
		{"five axes", []int{2, 1, 2, 3, 5}, []int{1, 2, 2, 4, 5}, []int{1, 1, 2, 4, 2}, []tensor.AttentionOption{tensor.IsCausal(true)}},
		{"groups", []int{1, 12, 3, 5}, []int{1, 4, 4, 5}, []int{3, 6, 4, 2}, []tensor.AttentionOption{tensor.EnableGQA(true), tensor.DropoutP(0.3)}},
		{"all weights dropped", []int{1, 2, 3, 5}, []int{1, 2, 4, 5}, []int{1, 2, 4, 2}, []tensor.AttentionOption{tensor.DropoutP(1)}},
		{"no keys", []int{1, 2, 3, 5}, []int{1, 2, 0, 5}, []int{1, 2, 0, 2}, []tensor.AttentionOption{tensor.IsCausal(true)}},
	} {
		var x []*tensor.Tensor
		for _, shape := range [][]int{c.queries, c.keys, c.values} {
			x = append(x, tensor.Randn(shape...).Double().SetRequiresGrad(true))
		}
		attentionByFormula(t, c.name, x, c.opts)
	}
}
