package vision

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/tensor"
)

// recorded is what torchvision 0.29.2 makes of drawn(3, 9, 7) after torch.manual_seed, and what torch.randint(1000, ()) draws
// afterwards. Names are those of transforms, with the seed.
type recorded struct {
	Shape  []int
	Float  bool
	Values []float64
	After  int64
}

// drawn is the picture of which torchvision.json was made.
func drawn(channels, height, width int) *tensor.Tensor {
	pixels := make([]uint8, 0, channels*height*width)
	for c := range channels {
		for y := range height {
			for x := range width {
				pixels = append(pixels, uint8(c*67+y*31+x*17+y*x*c*5))
			}
		}
	}
	return tensor.FromSlice(pixels, channels, height, width)
}

func TestTransformsAsTorchvision(t *testing.T) {
	raw, err := os.ReadFile("testdata/torchvision.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]recorded
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	transforms := map[string]Transform{
		"resize 5": Resize(5), "resize 12": Resize(12), "resize 4x11": ResizeTo(4, 11), "resize float": ResizeTo(4, 11),
		"center 4x5": CenterCrop(4, 5), "center 12x4": CenterCrop(12, 4),
		"crop": RandomCrop(4, 5), "crop padded": RandomCrop(8, 7, Padding(2), Fill(9)), "crop needed": RandomCrop(11, 9, PadIfNeeded(true)),
		"crop same": RandomCrop(9, 7), "resized crop": RandomResizedCrop(5, 6),
		"resized crop tall": RandomResizedCrop(5, 6, Scale(2, 3), Ratio(2, 3)), "resized crop wide": RandomResizedCrop(5, 6, Scale(2, 3), Ratio(0.1, 0.2)),
		"flip h": RandomHorizontalFlip(0.5), "flip v": RandomVerticalFlip(0.5), "normalize": Normalize([]float64{0.5, 0.4, 0.3}, []float64{0.2, 0.3, 0.4}),
		"gray": Grayscale(1), "gray 3": Grayscale(3), "gray float": Grayscale(1),
		"jitter brightness": ColorJitter(Brightness(0.5)), "jitter contrast": ColorJitter(Contrast(0.5)),
		"jitter saturation": ColorJitter(Saturation(0.5)), "jitter hue": ColorJitter(Hue(0.3)),
		"jitter all":              ColorJitter(Brightness(0.4), Contrast(0.3), Saturation(0.9), Hue(0.2)),
		"jitter float brightness": ColorJitter(Brightness(0.5)), "jitter float contrast": ColorJitter(Contrast(0.5)),
		"jitter float saturation": ColorJitter(Saturation(0.5)), "jitter float hue": ColorJitter(Hue(0.3)),
		"jitter float all": ColorJitter(Brightness(0.4), Contrast(0.3), Saturation(0.9), Hue(0.2)),
	}
	tested := map[string]bool{}
	for key, want := range all {
		name, seed := key[:len(key)-2], int64(key[len(key)-1]-'0')
		transform := transforms[name]
		if transform == nil {
			t.Fatalf("no transform is named %s", name)
		}
		tested[name] = true
		x := drawn(3, 9, 7)
		if want.Float {
			x = ToFloat()(x, nil)
		}
		before := tensor.Values[float64](x)
		for _, own := range []bool{false, true} {
			var g *tensor.Generator
			after := tensor.Place{}
			if own {
				g = tensor.NewGenerator(seed)
				after = after.With(g)
			} else {
				tensor.ManualSeed(seed)
			}
			got := Compose(transform)(x, g)
			check(t, key, got, want)
			if v := after.RandInt(0, 1000, 1).Item(); v != want.After {
				t.Errorf("%s: drew %v afterwards, want %d", key, v, want.After)
			}
		}
		if !slices.Equal(tensor.Values[float64](x), before) {
			t.Errorf("%s changed the picture that it was given", name)
		}
	}
	if len(tested) != len(transforms) {
		t.Errorf("%d of %d transforms are recorded", len(tested), len(transforms))
	}
}

// check compares bytes exactly, but for one step of what is resized, whose sums may fall on either side of a half; and floats to the
// seventh digit, which float32 rounds.
func check(t *testing.T, name string, got *tensor.Tensor, want recorded) {
	t.Helper()
	if !slices.Equal(got.Shape(), want.Shape) || got.DType().IsFloat() != want.Float {
		t.Errorf("%s: got %v of %v, want %v", name, got.Shape(), got.DType(), want.Shape)
		return
	}
	for i, v := range tensor.Values[float64](got) {
		tolerance := 0.0
		switch {
		case want.Float:
			tolerance = 4e-7 * max(1, math.Abs(v))
		case strings.HasPrefix(name, "resize"):
			tolerance = 1
		}
		if math.Abs(v-want.Values[i]) > tolerance {
			t.Errorf("%s: element %d is %v, want %v", name, i, v, want.Values[i])
			return
		}
	}
}

func TestTransformsTakeSeveralPictures(t *testing.T) {
	x := drawn(3, 9, 7)
	two := tensor.Stack([]*tensor.Tensor{x, x.Flip(-1)}, 0)
	for name, transform := range map[string]Transform{
		"resize": Resize(5), "crop": RandomCrop(4, 5), "gray": Grayscale(3), "hue": ColorJitter(Hue(0.3)), "saturation": ColorJitter(Saturation(0.3)),
		"flip": RandomVerticalFlip(1), "normalize": Compose(ToFloat(), Normalize([]float64{0.5}, []float64{0.1})),
	} {
		one, both := transform(x, tensor.NewGenerator(1)), transform(two, tensor.NewGenerator(1))
		if got := both.Select(0, 0); !got.Equal(one) {
			t.Errorf("%s: the first of two pictures is %v, want %v", name, got, one)
		}
	}
}

func TestTransformsRefuse(t *testing.T) {
	x := drawn(3, 9, 7)
	for want, do := range map[string]func(){
		"Required crop size (10, 5) is larger than input image size (9, 7)":                           func() { RandomCrop(10, 5)(x, nil) },
		"Input and output sizes should be greater than 0, but got a result of 0x5":                    func() { CenterCrop(0, 5) },
		"a picture has three axes, channels, height and width, but got torch.Size([2])":               func() { Resize(3)(tensor.Zeros(2), nil) },
		"pictures are of torch.uint8 or of a floating dtype, not of torch.int64":                      func() { ToFloat()(x.Long(), nil) },
		"Input tensor should be a float tensor. Got torch.uint8.":                                     func() { Normalize([]float64{1}, []float64{1})(x, nil) },
		"std evaluated to zero, leading to division by zero.":                                         func() { Normalize([]float64{1}, []float64{0}) },
		"there are 1 means and 2 deviations":                                                          func() { Normalize([]float64{1}, []float64{1, 2}) },
		"a flip's probability has to be between 0 and 1, but got 1.5":                                 func() { RandomVerticalFlip(1.5) },
		"num_output_channels should be either 1 or 3":                                                 func() { Grayscale(2) },
		"Input image tensor permitted channel values are 1 or 3, but found 4":                         func() { Grayscale(1)(tensor.Zeros(4, 1, 1), nil) },
		"hue values should be between (-0.5, 0.5), but got 0.6":                                       func() { Hue(0.6) },
		"If contrast is a single number, it must be non negative.":                                    func() { Contrast(-1) },
		"Scale and ratio should be of kind (min, max), but got [1 0.5] and [0.75 1.3333333333333333]": func() { RandomResizedCrop(1, 1, Scale(1, 0.5)) },
	} {
		var e *tensor.Error
		if err := tensor.Try(do); err == nil || err.Error() != want || !errors.As(err, &e) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if y := ToFloat()(x, nil); y.DType() != dtype.Float32 || ToFloat()(y, nil) != y {
		t.Error("ToFloat changes floats")
	}
}
