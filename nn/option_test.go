package nn_test

import (
	"reflect"
	"testing"

	"cresset/dtype"
	"cresset/nn"
)

// TestOptionsThatALayerDoesNotTake do not compile: the type that an option has does not implement the layer's interface.
func TestOptionsThatALayerDoesNotTake(t *testing.T) {
	takes := func(layer, option any) bool {
		f := reflect.TypeOf(layer)
		return reflect.TypeOf(option).Out(0).Implements(f.In(f.NumIn() - 1).Elem())
	}
	for _, c := range []struct {
		name          string
		layer, option any
		want          bool
	}{
		{"a bias of Linear", nn.NewLinear, nn.Bias, true},
		{"a stride of Linear", nn.NewLinear, nn.Stride, false},
		{"a width of Conv2D", nn.NewConv2D, nn.KernelWidth, true},
		{"an output padding of Conv1D", nn.NewConv1D, nn.OutputPadding, false},
		{"a bias of MaxPool2D", nn.NewMaxPool2D, nn.Bias, false},
		{"a dilation of AvgPool2D", nn.NewAvgPool2D, nn.Dilation, false},
		{"a dtype of Embedding", nn.NewEmbedding, nn.As, true},
		{"a momentum of LayerNorm", nn.NewLayerNorm, nn.Momentum, false},
		{"a device of BatchNorm2D", nn.NewBatchNorm2D, nn.On, true},
	} {
		if got := takes(c.layer, c.option); got != c.want {
			t.Errorf("%s: compiles %t, want %t", c.name, got, c.want)
		}
	}
}

func TestOptionsSayDefaults(t *testing.T) {
	l := nn.NewLayerNorm([]int{3}, nn.As(dtype.Float64), nn.Bias(false), nn.Eps(1e-3))
	if l.Weight.DType() != dtype.Float64 || l.Bias != nil || l.Eps != 1e-3 {
		t.Errorf("got %v with weight of %s", l, l.Weight.DType())
	}
	b := nn.NewBatchNorm1D(3, nn.Momentum(0), nn.Eps(0), nn.Affine(false), nn.Affine(true))
	if b.Momentum != 0 || b.Eps != 0 || b.Weight == nil {
		t.Errorf("got %v", b)
	}
}
