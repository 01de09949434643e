package nn_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"cresset/nn"
	"cresset/tensor"
)

// TestModulesOfFunctions compares modules with the functions of package tensor, and what they print with PyTorch 2.15.
func TestModulesOfFunctions(t *testing.T) {
	x, image := tensor.Randn(2, 4), tensor.Randn(2, 4, 3, 6)
	solid := tensor.Randn(1, 2, 3, 4, 5)
	one, two, three := []int{1, 1}, []int{1, 1, 1, 1}, []int{1, 1, 1, 1, 1, 1}
	for _, c := range []struct {
		layer nn.Module
		print string
		x     *tensor.Tensor
		want  *tensor.Tensor
	}{
		{nn.NewSELU(), "SELU()", x, x.SELU()},
		{nn.NewCELU(2), "CELU(alpha=2.0)", x, x.CELU(2)},
		{nn.NewReLU6(), "ReLU6()", x, x.ReLU6()},
		{nn.NewHardtanh(-1, 2), "Hardtanh(min_val=-1.0, max_val=2.0)", x, x.Hardtanh(-1, 2)},
		{nn.NewHardswish(), "Hardswish()", x, x.Hardswish()},
		{nn.NewHardsigmoid(), "Hardsigmoid()", x, x.Hardsigmoid()},
		{nn.NewLogSigmoid(), "LogSigmoid()", x, x.LogSigmoid()},
		{nn.NewMish(), "Mish()", x, x.Mish()},
		{nn.NewSoftsign(), "Softsign()", x, x.Softsign()},
		{nn.NewTanhshrink(), "Tanhshrink()", x, x.Tanhshrink()},
		{nn.NewThreshold(0.1, 20), "Threshold(threshold=0.1, value=20.0)", x, x.Threshold(0.1, 20)},
		{nn.NewHardshrink(0.5), "Hardshrink(0.5)", x, x.Hardshrink(0.5)},
		{nn.NewSoftshrink(0.5), "Softshrink(0.5)", x, x.Softshrink(0.5)},
		{nn.NewGLU(-1), "GLU(dim=-1)", x, x.GLU(-1)},
		{nn.NewLogSoftmax(1), "LogSoftmax(dim=1)", x, x.LogSoftmax(1)},
		{nn.NewSoftmin(1), "Softmin(dim=1)", x, x.Neg().Softmax(1)},
		{nn.NewSoftmax2D(), "Softmax2d()", image, image.Softmax(1)},
		{nn.NewIdentity(), "Identity()", x, x},
		{nn.NewPReLU(4), "PReLU(num_parameters=4)", x, x.LeakyReLU(0.25)},
		{nn.NewZeroPad1D(1), "ZeroPad1d((1, 1))", x, x.Pad([]int{1, 1}, 0)},
		{nn.NewZeroPad2D(1, 2, 0, 3), "ZeroPad2d((1, 2, 0, 3))", image, image.Pad([]int{1, 2, 0, 3}, 0)},
		{nn.NewZeroPad3D(1), "ZeroPad3d((1, 1, 1, 1, 1, 1))", image, image.Pad([]int{1, 1, 1, 1, 1, 1}, 0)},
		{nn.NewConstantPad1D(3.5, 2, 1), "ConstantPad1d(padding=(2, 1), value=3.5)", x, x.Pad([]int{2, 1}, 3.5)},
		{nn.NewConstantPad2D(-1, 1), "ConstantPad2d(padding=(1, 1, 1, 1), value=-1.0)", image, image.Pad(two, -1)},
		{nn.NewConstantPad3D(2, 1), "ConstantPad3d(padding=(1, 1, 1, 1, 1, 1), value=2.0)", solid, solid.Pad(three, 2)},
		{nn.NewReflectionPad1D(1), "ReflectionPad1d((1, 1))", x, x.PadReflect(one)},
		{nn.NewReflectionPad2D(2), "ReflectionPad2d((2, 2, 2, 2))", image, image.PadReflect([]int{2, 2, 2, 2})},
		{nn.NewReflectionPad3D(1), "ReflectionPad3d((1, 1, 1, 1, 1, 1))", solid, solid.PadReflect(three)},
		{nn.NewReplicationPad1D(1), "ReplicationPad1d((1, 1))", x, x.PadReplicate(one)},
		{nn.NewReplicationPad2D(2), "ReplicationPad2d((2, 2, 2, 2))", image, image.PadReplicate([]int{2, 2, 2, 2})},
		{nn.NewReplicationPad3D(1), "ReplicationPad3d((1, 1, 1, 1, 1, 1))", solid, solid.PadReplicate(three)},
		{nn.NewCircularPad1D(1), "CircularPad1d((1, 1))", x, x.PadCircular(one)},
		{nn.NewCircularPad2D(1), "CircularPad2d((1, 1, 1, 1))", image, image.PadCircular([]int{1, 1, 1, 1})},
		{nn.NewCircularPad3D(1), "CircularPad3d((1, 1, 1, 1, 1, 1))", solid, solid.PadCircular(three)},
		{nn.NewUnflatten(1, 2, 2), "Unflatten(dim=1, unflattened_size=(2, 2))", x, x.View(2, 2, 2)},
		{nn.NewPixelUnshuffle(3), "PixelUnshuffle(downscale_factor=3)", image, image.PixelUnshuffle(3)},
		{nn.NewChannelShuffle(2), "ChannelShuffle(groups=2)", image, image.ChannelShuffle(2)},
		{nn.NewUpsamplingNearest2D(nn.Size(4)), "UpsamplingNearest2d(size=4, mode='nearest')", image, image.Interpolate([]int{4})},
		{nn.NewUpsamplingBilinear2D(nn.ScaleFactor(2, 3)), "UpsamplingBilinear2d(scale_factor=(2.0, 3.0), mode='bilinear')",
			image, image.Interpolate(nil, tensor.Bilinear, tensor.ScaleFactor(2, 3), tensor.AlignCorners(true))},
	} {
		if got := fmt.Sprint(c.layer); got != c.print {
			t.Errorf("got  %s\nwant %s", got, c.print)
		}
		if got := c.layer.Forward(c.x); !got.Equal(c.want) {
			t.Errorf("%s: got\n%v\nwant\n%v", c.print, got, c.want)
		}
	}
}

// TestGatedMLPs compares gated layers with their formula.
func TestGatedMLPs(t *testing.T) {
	x := tensor.Randn(2, 3, 4)
	for _, c := range []struct {
		layer *nn.GatedMLP
		gate  func(*tensor.Tensor) *tensor.Tensor
		print string
	}{
		{nn.NewSwiGLU(4, 6), (*tensor.Tensor).SiLU, "SwiGLU(4, hidden=6, bias=True)"},
		{nn.NewGEGLU(4, 6, nn.Bias(false)), (*tensor.Tensor).GELUTanh, "GEGLU(4, hidden=6, bias=False)"},
	} {
		if got := fmt.Sprint(c.layer); got != c.print {
			t.Errorf("got  %s\nwant %s", got, c.print)
		}
		linear := func(l *nn.Linear, x *tensor.Tensor) *tensor.Tensor { return x.Linear(l.Weight, l.Bias) }
		want := linear(c.layer.Down, c.gate(linear(c.layer.Gate, x)).Mul(linear(c.layer.Up, x)))
		if got := c.layer.Forward(x); !got.Equal(want) {
			t.Errorf("%s: got\n%v\nwant\n%v", c.print, got, want)
		}
	}
}

// TestCTCLossModule compares the module with the function.
func TestCTCLossModule(t *testing.T) {
	x, targets := tensor.Randn(5, 2, 4).LogSoftmax(2), tensor.Of([][]int{{1, 2}, {3, 1}})
	inputs, labels := []int{5, 4}, []int{2, 1}
	loss := nn.NewCTCLoss(tensor.Blank(0), tensor.SumReduction)
	want := tensor.CTCLoss(x, targets, inputs, labels, tensor.SumReduction)
	if got := loss.Forward(x, targets, inputs, labels); !got.Equal(want) || fmt.Sprint(loss) != "CTCLoss()" {
		t.Errorf("%v gives %v, want %v", loss, got, want)
	}
}

// TestLosses compares losses with the functions of package tensor.
func TestLosses(t *testing.T) {
	x, y := tensor.Rand(3, 4), tensor.Rand(3, 4)
	classes, signs := tensor.Of([]int{1, 0, 3}), tensor.Of([]float32{1, -1, 1})
	labels := tensor.Of([][]int{{1, 0, -1, 2}, {3, -1, 0, 0}, {0, 1, 2, 3}})
	weight := tensor.Of([]float32{1, 2, 3, 4})
	sum := tensor.SumReduction
	for _, c := range []struct {
		loss interface {
			Forward(x, y *tensor.Tensor) *tensor.Tensor
		}
		print     string
		x, target *tensor.Tensor
		want      *tensor.Tensor
	}{
		{nn.NewL1Loss(), "L1Loss()", x, y, tensor.L1Loss(x, y)},
		{nn.NewMSELoss(sum), "MSELoss()", x, y, tensor.MSELoss(x, y, sum)},
		{nn.NewSmoothL1Loss(tensor.Beta(0.1)), "SmoothL1Loss()", x, y, tensor.SmoothL1Loss(x, y, tensor.Beta(0.1))},
		{nn.NewHuberLoss(tensor.Delta(0.2)), "HuberLoss()", x, y, tensor.HuberLoss(x, y, tensor.Delta(0.2))},
		{nn.NewCrossEntropyLoss(tensor.Weight(weight), sum), "CrossEntropyLoss()", x, classes, tensor.CrossEntropy(x, classes, tensor.Weight(weight), sum)},
		{nn.NewNLLLoss(), "NLLLoss()", x, classes, tensor.NLLLoss(x, classes)},
		{nn.NewBCELoss(), "BCELoss()", x, y, tensor.BCE(x, y)},
		{nn.NewBCEWithLogitsLoss(tensor.PosWeight(weight), sum), "BCEWithLogitsLoss()", x, y, tensor.BCEWithLogits(x, y, tensor.PosWeight(weight), sum)},
		{nn.NewKLDivLoss(tensor.BatchMean(true)), "KLDivLoss()", x, y, tensor.KLDiv(x, y, tensor.BatchMean(true))},
		{nn.NewPoissonNLLLoss(), "PoissonNLLLoss()", x, y, tensor.PoissonNLLLoss(x, y)},
		{nn.NewSoftMarginLoss(), "SoftMarginLoss()", x, y, tensor.SoftMarginLoss(x, y)},
		{nn.NewHingeEmbeddingLoss(tensor.Margin(2)), "HingeEmbeddingLoss()", x, y.Sign(), tensor.HingeEmbeddingLoss(x, y.Sign(), tensor.Margin(2))},
		{nn.NewMultiMarginLoss(tensor.P(2)), "MultiMarginLoss()", x, classes, tensor.MultiMarginLoss(x, classes, tensor.P(2))},
		{nn.NewMultilabelMarginLoss(), "MultiLabelMarginLoss()", x, labels, tensor.MultilabelMarginLoss(x, labels)},
		{nn.NewMultilabelSoftMarginLoss(), "MultiLabelSoftMarginLoss()", x, y.Round(), tensor.MultilabelSoftMarginLoss(x, y.Round())},
	} {
		if got := fmt.Sprint(c.loss); got != c.print {
			t.Errorf("got  %s\nwant %s", got, c.print)
		}
		if got := c.loss.Forward(c.x, c.target); !got.Equal(c.want) {
			t.Errorf("%s: got %v, want %v", c.print, got, c.want)
		}
	}
	z := tensor.Rand(3, 4)
	distance := func(x, y *tensor.Tensor) *tensor.Tensor { return tensor.PairwiseDistance(x, y, 2) }
	for _, c := range []struct {
		loss interface {
			Forward(x, y, z *tensor.Tensor) *tensor.Tensor
		}
		print string
		z     *tensor.Tensor
		want  *tensor.Tensor
	}{
		{nn.NewGaussianNLLLoss(), "GaussianNLLLoss()", z, tensor.GaussianNLLLoss(x, y, z)},
		{nn.NewCosineEmbeddingLoss(), "CosineEmbeddingLoss()", signs, tensor.CosineEmbeddingLoss(x, y, signs)},
		{nn.NewMarginRankingLoss(tensor.Margin(1)), "MarginRankingLoss()", z.Sign(), tensor.MarginRankingLoss(x, y, z.Sign(), tensor.Margin(1))},
		{nn.NewTripletMarginLoss(tensor.Swap(true)), "TripletMarginLoss()", z, tensor.TripletMarginLoss(x, y, z, tensor.Swap(true))},
		{nn.NewTripletMarginWithDistanceLoss(distance, tensor.Swap(true)), "TripletMarginWithDistanceLoss()", z, tensor.TripletMarginLoss(x, y, z, tensor.Swap(true))},
	} {
		if got := fmt.Sprint(c.loss); got != c.print {
			t.Errorf("got  %s\nwant %s", got, c.print)
		}
		if got := c.loss.Forward(x, y, c.z); !got.AllClose(c.want, 1e-6, 1e-6) {
			t.Errorf("%s: got %v, want %v", c.print, got, c.want)
		}
	}
	if got := slices.Collect(maps.Keys(nn.State(nn.NewNLLLoss(tensor.Weight(weight))))); !slices.Equal(got, []string{"weight"}) {
		t.Errorf("the state of a loss with a weight has %v", got)
	}
}

// TestDropoutsOfChannels drop whole channels, those with alpha keep mean and variance.
func TestDropoutsOfChannels(t *testing.T) {
	x := tensor.Ones(20, 30, 4)
	y := nn.NewDropout1D(0.5).Forward(x)
	if each := y.Select(2, 0).Unsqueeze(2).ExpandAs(y); !y.Equal(each) {
		t.Errorf("a channel is dropped in part")
	}
	if dropped := y.EqScalar(0).Float().Mean().Float64(); math.Abs(dropped-0.5) > 0.1 || y.Max().Item().(float64) != 2 {
		t.Errorf("%v are dropped, the others are %v", dropped, y.Max())
	}
	volumes := nn.NewDropout3D(0.5).Forward(tensor.Ones(30, 1, 20, 1))
	if each := volumes.Select(2, 0).Unsqueeze(2).ExpandAs(volumes); !volumes.Equal(each) {
		t.Errorf("a channel of a volume without a batch is dropped in part")
	}
	normal := tensor.Randn(100, 1000)
	for _, d := range []*nn.MaskedDropout{nn.NewAlphaDropout(0.3), nn.NewFeatureAlphaDropout(0.3)} {
		y := d.Forward(normal)
		if mean, std := y.Mean().Float64(), y.Std().Float64(); math.Abs(mean) > 0.02 || math.Abs(std-1) > 0.02 {
			t.Errorf("%v: mean %v, deviation %v", d, mean, std)
		}
		if nn.Eval(d).Forward(normal) != normal {
			t.Errorf("%v changes its input in evaluation", d)
		}
	}
	if got, want := fmt.Sprint(nn.NewDropout2D(0.2)), "Dropout2d(p=0.2, inplace=False)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
