package resnet

import (
	"cresset/internal/hub"
	"cresset/nn"
	"cresset/nn/nninit"
)

// New returns a model of given sizes with new weights, drawn as torchvision draws them: N(0, 2/(channels made · kernel's area)) for convolutions.
// It takes On and As.
func New(c Config, opts ...nn.Option) (*Model, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	b := builder{opts, c.expansion()}
	m := &Model{Config: c, Conv: b.conv(3, c.Widths[0], 7, 2), Norm: b.norm(c.Widths[0])}
	channels := c.Widths[0]
	for i, layer := range []*[]*Block{&m.Layer1, &m.Layer2, &m.Layer3, &m.Layer4} {
		for j := range c.Blocks[i] {
			stride := 1
			if i > 0 && j == 0 {
				stride = 2
			}
			*layer = append(*layer, b.block(channels, c.Widths[i], stride))
			channels = c.Widths[i] * b.expansion
		}
	}
	m.Classifier = nn.NewLinear(channels, c.Classes, hub.Linear(true, opts)...)
	return m, nil
}

// builder makes the parts of a model.
type builder struct {
	opts      []nn.Option
	expansion int
}

// conv returns a convolution that keeps the size of pictures, but for its stride.
func (b builder) conv(in, out, kernel, stride int) *nn.Conv2D {
	opts := []nn.ConvOption{nn.Stride(stride), nn.Padding(kernel / 2), nn.Bias(false)}
	for _, o := range b.opts {
		opts = append(opts, o)
	}
	c := nn.NewConv2D(in, out, kernel, opts...)
	nninit.KaimingNormal(c.Weight, nninit.FanOut, nninit.ReLU)
	return c
}

func (b builder) norm(channels int) *nn.BatchNorm2D {
	var opts []nn.BatchNormOption
	for _, o := range b.opts {
		opts = append(opts, o)
	}
	return nn.NewBatchNorm2D(channels, opts...)
}

func (b builder) block(in, width, stride int) *Block {
	out := width * b.expansion
	var block Block
	if b.expansion == 1 {
		block.Conv1, block.Norm1 = b.conv(in, width, 3, stride), b.norm(width)
		block.Conv2, block.Norm2 = b.conv(width, out, 3, 1), b.norm(out)
	} else {
		block.Conv1, block.Norm1 = b.conv(in, width, 1, 1), b.norm(width)
		block.Conv2, block.Norm2 = b.conv(width, width, 3, stride), b.norm(width)
		block.Conv3, block.Norm3 = b.conv(width, out, 1, 1), b.norm(out)
	}
	if stride != 1 || in != out {
		block.Downsample = nn.NewSequential(b.conv(in, out, 1, stride), b.norm(out))
	}
	return &block
}

var _ nn.Module = (*Model)(nil)
