// Package resnet is the convolutional network of He et al. (2015) with 18 to 152 layers. Names of parameters are those of torchvision.
package resnet

import (
	"cresset/nn"
	"cresset/tensor"
)

// Model gives pictures scores of classes.
type Model struct {
	Conv       *nn.Conv2D      `nn:"conv1"`
	Norm       *nn.BatchNorm2D `nn:"bn1"`
	Layer1     []*Block        `nn:"layer1"` // of a quarter of a picture's size on a side; each that follows halves it
	Layer2     []*Block        `nn:"layer2"`
	Layer3     []*Block        `nn:"layer3"`
	Layer4     []*Block        `nn:"layer4"`
	Classifier *nn.Linear      `nn:"fc"`
	Config     Config
}

// Block adds convolutions of x to x, or to what Downsample makes of it.
type Block struct {
	Conv1      *nn.Conv2D      `nn:"conv1"`
	Norm1      *nn.BatchNorm2D `nn:"bn1"`
	Conv2      *nn.Conv2D      `nn:"conv2"`
	Norm2      *nn.BatchNorm2D `nn:"bn2"`
	Conv3      *nn.Conv2D      `nn:"conv3"` // of a bottleneck; nil in a basic block
	Norm3      *nn.BatchNorm2D `nn:"bn3"`
	Downsample *nn.Sequential  `nn:"downsample"` // nil where x has the size and channels of the result
}

// Forward returns the scores [batch, classes] of pictures [batch, 3, H, W].
func (m *Model) Forward(x *tensor.Tensor) *tensor.Tensor {
	x = m.Norm.Forward(m.Conv.Forward(x)).ReLU().MaxPool2D(3, tensor.Stride(2), tensor.Padding(1))
	for _, stage := range [][]*Block{m.Layer1, m.Layer2, m.Layer3, m.Layer4} {
		for _, b := range stage {
			x = b.Forward(x)
		}
	}
	return m.Classifier.Forward(x.MeanAxes([]int{2, 3}))
}

// Forward returns the block's output for x [batch, channels, H, W].
func (b *Block) Forward(x *tensor.Tensor) *tensor.Tensor {
	y := b.Norm1.Forward(b.Conv1.Forward(x)).ReLU()
	y = b.Norm2.Forward(b.Conv2.Forward(y))
	if b.Conv3 != nil {
		y = b.Norm3.Forward(b.Conv3.Forward(y.ReLU()))
	}
	if b.Downsample != nil {
		x = b.Downsample.Forward(x)
	}
	return y.Add(x).ReLU()
}

// Settings returns m.Config.
func (m *Model) Settings() any { return m.Config }
