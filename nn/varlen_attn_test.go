package nn_test

import (
	"errors"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

// TestVarlenAttnOfPackedSequences compares packed sequences with each by itself: plain, under Autocast and compiled.
func TestVarlenAttnOfPackedSequences(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		tensor.ManualSeed(2)
		x := tensor.On(dev).Randn(9, 3, 2, 8)
		at := tensor.Of([]int32{0, 4, 4, 9})
		packed := func(x *tensor.Tensor) *tensor.Tensor {
			return nn.VarlenAttn(x.Select(1, 0), x.Select(1, 1), x.Select(1, 2), at, at, 5, 5, tensor.IsCausal(true))
		}
		apart := func(x *tensor.Tensor) *tensor.Tensor {
			part := func(from, to int) *tensor.Tensor {
				y := x.Slice(0, from, to)
				heads := func(i int) *tensor.Tensor { return y.Select(1, i).Transpose(0, 1) }
				return tensor.ScaledDotProductAttention(heads(0), heads(1), heads(2), tensor.IsCausal(true)).Transpose(0, 1)
			}
			return tensor.Cat([]*tensor.Tensor{part(0, 4), part(4, 9)}, 0)
		}
		for _, amp := range []bool{false, true} {
			run := func(f func(x *tensor.Tensor) *tensor.Tensor) (y, grad *tensor.Tensor) {
				s := tensor.NewScope(tensor.Autocast(dtype.BFloat16, tensor.Enabled(amp)))
				t.Cleanup(s.Close)
				leaf := x.Detach().SetRequiresGrad(true)
				y = f(s.Enter(leaf))
				y.Float().Square().Sum().Backward()
				return y.Detach(), leaf.Grad()
			}
			want, wantGrad := run(apart)
			compiled := tensor.Compile(packed)
			run(compiled) // records
			for name, f := range map[string]func(x *tensor.Tensor) *tensor.Tensor{"op by op": packed, "compiled": compiled} {
				got, grad := run(f)
				if got.DType() != want.DType() || !got.Equal(want) || !grad.Equal(wantGrad) {
					t.Errorf("autocast %v, %s: got %v and the gradient %v, want %v and %v", amp, name, got, grad, want, wantGrad)
				}
			}
		}
	})
}

// TestVarlenAttnRefusesBordersThatAreComputed: a recording would keep the borders of its first call.
func TestVarlenAttnRefusesBordersThatAreComputed(t *testing.T) {
	f := tensor.Compile(func(in ...*tensor.Tensor) []*tensor.Tensor {
		return []*tensor.Tensor{nn.VarlenAttn(in[0], in[0], in[0], in[1], in[1], 4, 4)}
	})
	err := tensor.Try(func() { f(tensor.Ones(4, 1, 2), tensor.Of([]int32{0, 4})) })
	if !errors.Is(err, tensor.ErrCompile) || !strings.Contains(err.Error(), "values of tensors") {
		t.Errorf("got %v", err)
	}
}
