package checkpoint_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cresset/checkpoint"
	"cresset/nn"
	"cresset/tensor"
)

// resnet is torchvision's ResNet of BasicBlocks; its fields have torchvision's names.
type resnet struct {
	Conv1                          *nn.Conv2D
	BN1                            *nn.BatchNorm2D
	Layer1, Layer2, Layer3, Layer4 *nn.Sequential
	FC                             *nn.Linear
}

func newResNet(widths [4]int, classes int) *resnet {
	return &resnet{
		Conv1: nn.NewConv2D(3, widths[0], 7, nn.Stride(2), nn.Padding(3), nn.Bias(false)), BN1: nn.NewBatchNorm2D(widths[0]),
		Layer1: blocks(widths[0], widths[0], 1), Layer2: blocks(widths[0], widths[1], 2),
		Layer3: blocks(widths[1], widths[2], 2), Layer4: blocks(widths[2], widths[3], 2),
		FC: nn.NewLinear(widths[3], classes),
	}
}

func (r *resnet) stem(x *tensor.Tensor) *tensor.Tensor {
	return nn.NewMaxPool2D(3, nn.Stride(2), nn.Padding(1)).Forward(r.BN1.Forward(r.Conv1.Forward(x)).ReLU())
}

func (r *resnet) Forward(x *tensor.Tensor) *tensor.Tensor {
	x = r.stem(x)
	for _, layer := range []*nn.Sequential{r.Layer1, r.Layer2, r.Layer3, r.Layer4} {
		x = layer.Forward(x)
	}
	return r.FC.Forward(nn.NewAdaptiveAvgPool2D(1, 1).Forward(x).Flatten(1, -1))
}

// basicBlock is two convolutions beside a way around them.
type basicBlock struct {
	Conv1, Conv2 *nn.Conv2D
	BN1, BN2     *nn.BatchNorm2D
	Downsample   *nn.Sequential // nil where the shapes are the same
}

func blocks(in, out, stride int) *nn.Sequential {
	first := &basicBlock{
		Conv1: nn.NewConv2D(in, out, 3, nn.Stride(stride), nn.Padding(1), nn.Bias(false)), BN1: nn.NewBatchNorm2D(out),
		Conv2: nn.NewConv2D(out, out, 3, nn.Padding(1), nn.Bias(false)), BN2: nn.NewBatchNorm2D(out),
	}
	if in != out || stride != 1 {
		first.Downsample = nn.NewSequential(nn.NewConv2D(in, out, 1, nn.Stride(stride), nn.Bias(false)), nn.NewBatchNorm2D(out))
	}
	second := &basicBlock{
		Conv1: nn.NewConv2D(out, out, 3, nn.Padding(1), nn.Bias(false)), BN1: nn.NewBatchNorm2D(out),
		Conv2: nn.NewConv2D(out, out, 3, nn.Padding(1), nn.Bias(false)), BN2: nn.NewBatchNorm2D(out),
	}
	return nn.NewSequential(first, second)
}

func (b *basicBlock) Forward(x *tensor.Tensor) *tensor.Tensor {
	y := b.BN2.Forward(b.Conv2.Forward(b.BN1.Forward(b.Conv1.Forward(x)).ReLU()))
	if b.Downsample != nil {
		x = b.Downsample.Forward(x)
	}
	return y.Add(x).ReLU()
}

// TestResNet loads files with torchvision's names into a model made of package nn, which computes the logits that torchvision's
// does, in evaluation and in training.
func TestResNet(t *testing.T) {
	type recorded struct {
		Shape []int
		Data  []float32
	}
	var want struct {
		In, Logits, Layer1 recorded
		TrainLogits        recorded `json:"train_logits"`
		TrainLoss          float64  `json:"train_loss"`
	}
	text, err := os.ReadFile("testdata/resnet18_tiny/expected.json")
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, got *tensor.Tensor, want recorded) {
		t.Helper()
		if !slices.Equal(got.Shape(), want.Shape) {
			t.Fatalf("%s: shape %v, want %v", what, got.Shape(), want.Shape)
		}
		for i, v := range tensor.Values[float32](got) {
			if w := float64(want.Data[i]); math.Abs(float64(v)-w) > 1e-4*max(1, math.Abs(w)) {
				t.Errorf("%s: element %d is %v, want %v", what, i, v, w)
			}
		}
	}
	x := tensor.FromSlice(want.In.Data, want.In.Shape...)
	for _, file := range []string{"model.safetensors", "resnet18_tiny.pth"} {
		t.Run(file, func(t *testing.T) {
			net := newResNet([4]int{4, 8, 12, 16}, 5)
			if err := checkpoint.Load(filepath.Join("testdata/resnet18_tiny", file), net); err != nil {
				t.Fatal(err)
			}
			nn.Eval(net)
			check("logits", net.Forward(x), want.Logits)
			check("layer1", net.Layer1.Forward(net.stem(x)).Narrow(0, 0, 1), want.Layer1)
			nn.Train(net)
			check("logits in training", net.Forward(x), want.TrainLogits)
		})
	}
}
