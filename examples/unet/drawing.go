package main

import (
	"math/rand/v2"

	"cresset/tensor"
)

const (
	side    = 32 // of a picture
	classes = 3  // background, disc, cross
)

// drawing makes pictures of discs and crosses of different brightness under noise, and the class of each pixel.
type drawing struct{ *rand.Rand }

func newDrawing(seed uint64) drawing { return drawing{rand.New(rand.NewPCG(seed, 0))} }

// batch returns n pictures [n, 1, side, side] and their labels [n, side, side].
func (d drawing) batch(n int) (pictures, labels *tensor.Tensor) {
	light, class := make([]float32, n*side*side), make([]int64, n*side*side)
	for i := range n {
		at := i * side * side
		d.picture(light[at:][:side*side], class[at:][:side*side])
	}
	return tensor.FromSlice(light, n, 1, side, side), tensor.FromSlice(class, n, side, side)
}

func (d drawing) picture(light []float32, class []int64) {
	for range 1 + d.IntN(3) {
		x, y, radius := d.IntN(side), d.IntN(side), 4+d.IntN(5)
		bright, cross := 0.6+0.4*d.Float32(), d.IntN(2)
		for i := range light {
			dx, dy := i%side-x, i/side-y
			near, far := min(max(dx, -dx), max(dy, -dy)), max(dx, -dx, dy, -dy)
			if cross == 1 && near < 2 && far < radius || cross == 0 && dx*dx+dy*dy < radius*radius {
				light[i], class[i] = bright, int64(1+cross)
			}
		}
	}
	for i := range light {
		light[i] += 0.2 * float32(d.NormFloat64())
	}
}
