package data

import (
	"math/rand/v2"

	"cresset/tensor"
)

// GlyphSize is the height and width of a picture made by Glyphs.
const GlyphSize = 28

// Glyphs draws a data set of digits, white on black: the ten Go fonts, each picture rotated, scaled, sheared, moved and
// covered with noise at random. Pictures depend on nothing but Train, Seed and their index, on every machine.
// It panics where Count is negative.
func Glyphs(opts ...GlyphOption) *Images {
	o := optionsOf(append([]GlyphOption{Train(true)}, opts...))
	count := 2000
	if o.train {
		count = 8000
	}
	if o.count != nil {
		count = *o.count
	}
	if count < 0 {
		refuse(tensor.ErrValue, "a data set cannot have %d pictures", count)
	}
	const area = GlyphSize * GlyphSize
	m := &Images{Pixels: make([]uint8, count*area), Labels: make([]uint8, count), Height: GlyphSize, Width: GlyphSize, Classes: 10}
	g := &glyphMaker{raster: newRaster(GlyphSize, GlyphSize), faces: digitFaces()}
	if o.train {
		g.faces = g.faces[:len(g.faces)-heldOutFaces]
	}
	for i := range count {
		g.seed(o, i)
		m.Labels[i] = uint8(g.below(10))
		g.draw(int(m.Labels[i]), m.Pixels[i*area:(i+1)*area])
	}
	return m
}

// glyphMaker draws one picture after another. Its arithmetic is that of IEEE 754, which is the same everywhere, as long as
// no product is fused with a sum (hence the conversions) and no function of package math is asked.
type glyphMaker struct {
	random rand.PCG
	raster *raster
	faces  [][10]outline
	line   []point
}

// seed starts the random numbers of picture i: each has its own stream, so that a longer set begins with the shorter one.
func (g *glyphMaker) seed(o options, i int) {
	stream := uint64(i) << 1
	if o.train {
		stream |= 1
	}
	g.random.Seed(o.seed, stream)
}

// below returns a random integer in [0, n).
func (g *glyphMaker) below(n int) int { return int(((g.random.Uint64() >> 32) * uint64(n)) >> 32) }

// between returns a random number in [low, high).
func (g *glyphMaker) between(low, high float64) float64 {
	return low + float64((high-low)*(float64(g.random.Uint64()>>11)/(1<<53)))
}

// draw draws a digit in a random face and pose.
func (g *glyphMaker) draw(digit int, pixels []uint8) {
	face := g.faces[g.below(len(g.faces))]
	place := g.pose()
	for _, line := range face[digit] {
		g.line = g.line[:0]
		for _, p := range line {
			g.line = append(g.line, place.apply(p))
		}
		g.raster.polygon(g.line)
	}
	g.raster.fill(pixels)
	g.expose(pixels)
}

// affine is the map from p to (xx*x + xy*y + x0, yx*x + yy*y + y0).
type affine struct{ xx, xy, x0, yx, yy, y0 float64 }

func (m *affine) apply(p point) point {
	return point{
		float64(m.xx*p.x) + float64(m.xy*p.y) + m.x0,
		float64(m.yx*p.x) + float64(m.yy*p.y) + m.y0,
	}
}

// pose returns a random map from an outline to the canvas: scale, shear, rotation, translation.
func (g *glyphMaker) pose() *affine {
	height := g.between(16, 21)
	width := float64(height * g.between(0.8, 1.2))
	shear := g.between(-0.2, 0.2)
	// With t = tan(angle/2), cos and sin are (1-t*t)/(1+t*t) and 2t/(1+t*t), which need no function that differs between
	// machines. 0.1763 is tan(10 degrees): rotated by more than 20, a 6 begins to look like a 9.
	t := g.between(-0.1317, 0.1317)
	tt := float64(t * t)
	cos, sin := (1-tt)/(1+tt), 2*t/(1+tt)
	slant := float64(shear * height)
	return &affine{
		xx: float64(cos * width), xy: float64(cos*slant) - float64(sin*height), x0: GlyphSize/2 + g.between(-1.5, 1.5),
		yx: float64(sin * width), yy: float64(sin*slant) + float64(cos*height), y0: GlyphSize/2 + g.between(-1.5, 1.5),
	}
}

// expose gives the ink a random strength and adds noise to every pixel: the sum of four uniform numbers, nearly a bell curve.
func (g *glyphMaker) expose(pixels []uint8) {
	ink := g.below(96) + 160
	grain := g.below(24) + 8
	var bits uint64
	for i, p := range pixels {
		if i%2 == 0 {
			bits = g.random.Uint64()
		}
		noise := -510 // the mean of four bytes
		for range 4 {
			noise += int(bits & 0xff)
			bits >>= 8
		}
		// The sum of four bytes has a standard deviation of 148, so grain is the noise's deviation in grey levels.
		v := int(p)*ink/255 + noise*grain/148
		pixels[i] = uint8(min(max(v, 0), 255))
	}
}
