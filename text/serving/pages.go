package serving

import (
	"cresset/device"
	"cresset/dtype"
	"cresset/models"
	"cresset/nn"
	"cresset/tensor"
)

// pages keep the keys and values of all layers for the positions of all blocks, [positions, heads, size]: position p of block b is b·blockSize + p.
type pages struct {
	device device.Device
	layers []page
}

type page struct{ keys, values *tensor.Tensor }

// keep writes keys and values [1, heads, tokens, size] to places of the page.
func (p page) keep(slots, k, v *tensor.Tensor) {
	p.keys.IndexCopyInPlace(0, slots, k.Select(0, 0).Transpose(0, 1))
	p.values.IndexCopyInPlace(0, slots, v.Select(0, 0).Transpose(0, 1))
}

// idle is a place that no sequence gets, where there is one block more than sequences get.
func (p *pages) idle() int { return p.layers[0].keys.Size(0) - blockSize }

// shape is what a model asks of its cache and of those that use it.
type shape struct {
	device     device.Device
	layers     []layerShape
	vocabulary int
}

type layerShape struct {
	heads, keySize, valueSize int
	window                    int
	dtype                     dtype.DType
}

// bytes returns the memory of the keys and values of a position.
func (s *shape) bytes() int {
	n := 0
	for _, l := range s.layers {
		n += l.heads * (l.keySize + l.valueSize) * l.dtype.Size()
	}
	return n
}

// measure reads a token to learn a model's shape.
func measure(m models.Decoder) (*shape, error) {
	s := &shape{}
	for _, p := range nn.Parameters(m) {
		s.device = p.Device()
		break
	}
	err := tensor.Try(func() {
		scope := tensor.NewScope()
		defer scope.Close()
		scores := m.Read(scope.Enter(tensor.Of([][]int{{0}})).To(s.device), s)
		s.vocabulary = scores.Size(-1)
	})
	return s, err
}

// Positions implements nn.Past.
func (s *shape) Positions(int) [][]int { return [][]int{{0}} }

// Wanted implements nn.Past.
func (s *shape) Wanted(x *tensor.Tensor) *tensor.Tensor { return x }

// Attend implements nn.Past.
func (s *shape) Attend(_ int, q, k, v *tensor.Tensor, how nn.Attention) *tensor.Tensor {
	s.layers = append(s.layers, layerShape{heads: k.Size(1), keySize: k.Size(3), valueSize: v.Size(3), window: how.Window, dtype: k.DType()})
	return how.Attend(q, k, v, nil, 0)
}

// newPages takes the memory of some blocks.
func newPages(s *shape, blocks int) (p *pages, err error) {
	p = &pages{device: s.device}
	return p, tensor.Try(func() {
		for _, l := range s.layers {
			place := tensor.On(s.device).As(l.dtype)
			p.layers = append(p.layers, page{
				keys:   place.Empty(blocks*blockSize, l.heads, l.keySize),
				values: place.Empty(blocks*blockSize, l.heads, l.valueSize),
			})
		}
	})
}
