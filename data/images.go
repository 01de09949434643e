package data

import (
	"cresset/tensor"
)

// Images is a set of labelled pictures of one size, held in memory as bytes.
type Images struct {
	Pixels        []uint8 // 0 dark to 255 bright, picture by picture, channel by channel, row by row
	Labels        []uint8 // one per picture, below Classes
	Channels      int     // 3 for colours; 0 stands for 1, which is gray
	Height, Width int
	Classes       int
	Names         []string // of the classes, nil where they are not known
}

// channels returns how many there are.
func (m *Images) channels() int { return max(m.Channels, 1) }

// Len returns the number of pictures.
func (m *Images) Len() int { return len(m.Labels) }

// At returns the pixels and the label of picture i; the pixels share m's memory. It panics unless 0 <= i < m.Len().
func (m *Images) At(i int) (pixels []uint8, label uint8) {
	if err := outside(i, m.Len()); err != nil {
		panic(err)
	}
	area := m.channels() * m.Height * m.Width
	return m.Pixels[i*area : (i+1)*area : (i+1)*area], m.Labels[i]
}

// Split returns the first n pictures and the others, sharing m's memory; it panics unless 0 <= n <= m.Len().
func (m *Images) Split(n int) (first, rest *Images) {
	if n < 0 || n > m.Len() {
		refuse(tensor.ErrValue, "cannot split %d images at %d", m.Len(), n)
	}
	at := n * m.channels() * m.Height * m.Width
	first, rest = new(*m), new(*m)
	first.Pixels, rest.Pixels = m.Pixels[:at:at], m.Pixels[at:]
	first.Labels, rest.Labels = m.Labels[:n:n], m.Labels[n:]
	return first, rest
}

// brightness holds each pixel value over 255.
var brightness = func() (table [256]float32) {
	for i := range table {
		table[i] = float32(i) / 255
	}
	return table
}()

// Batch returns pictures as float32 in [0, 1], shaped [n, Channels, Height, Width], and their labels as int64.
// An index that no picture has is an error.
func (m *Images) Batch(indices []int) (Batch, error) {
	if err := anyOutside(indices, m.Len()); err != nil {
		return Batch{}, err
	}
	inputs := make([]float32, 0, len(indices)*m.channels()*m.Height*m.Width)
	targets := make([]int64, len(indices))
	for at, i := range indices {
		pixels, label := m.At(i)
		for _, p := range pixels {
			inputs = append(inputs, brightness[p])
		}
		targets[at] = int64(label)
	}
	return Batch{
		Inputs:  tensor.FromSlice(inputs, len(indices), m.channels(), m.Height, m.Width),
		Targets: tensor.FromSlice(targets, len(indices)),
	}, nil
}
