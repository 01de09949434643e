package data

import (
	"fmt"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomediumitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonobolditalic"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// digitFaces returns the ten digits of each Go font, read once. The small caps are left out: their digits are those of the
// regular fonts.
var digitFaces = sync.OnceValue(func() [][10]outline {
	fonts := [][]byte{
		goregular.TTF, gomedium.TTF, gobold.TTF, goitalic.TTF, gobolditalic.TTF,
		gomono.TTF, gomonobold.TTF, gomonobolditalic.TTF,
		gomediumitalic.TTF, gomonoitalic.TTF, // the last heldOutFaces, for the test set alone
	}
	faces := make([][10]outline, len(fonts))
	for i, ttf := range fonts {
		f, err := sfnt.Parse(ttf)
		if err != nil {
			panic(fmt.Sprintf("data: embedded font %d: %v", i, err))
		}
		for digit := range faces[i] {
			faces[i][digit], err = readOutline(f, rune('0'+digit))
			if err != nil {
				panic(fmt.Sprintf("data: digit %d of embedded font %d: %v", digit, i, err))
			}
		}
	}
	return faces
})

// heldOutFaces is the number of faces that a model does not see in training.
const heldOutFaces = 2

// point is a place on the plane, x to the right, y down.
type point struct{ x, y float64 }

// outline is a glyph as closed polygons around the origin, one high; holes run the other way round.
type outline [][]point

// curveSteps is the number of lines that stand for one curve: its error stays below a twentieth of a pixel.
const curveSteps = 8

// readOutline reads a glyph in font units, flattens it and normalizes it.
func readOutline(f *sfnt.Font, r rune) (outline, error) {
	glyph, err := f.GlyphIndex(nil, r)
	if err != nil {
		return nil, err
	}
	unitsPerEm := fixed.Int26_6(f.UnitsPerEm())
	segments, err := f.LoadGlyph(nil, glyph, unitsPerEm, nil)
	if err != nil {
		return nil, err
	}
	var shape outline
	for _, s := range segments {
		to := toPoint(s.Args[0])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			shape = append(shape, []point{to})
		case sfnt.SegmentOpLineTo:
			last := &shape[len(shape)-1]
			*last = append(*last, to)
		case sfnt.SegmentOpQuadTo:
			last := &shape[len(shape)-1]
			*last = appendCurve(*last, to, toPoint(s.Args[1]))
		default:
			return nil, fmt.Errorf("outline segment %d is not TrueType's", s.Op)
		}
	}
	box, _, err := f.GlyphBounds(nil, glyph, unitsPerEm, font.HintingNone)
	if err != nil {
		return nil, err
	}
	normalize(shape, toPoint(box.Min), toPoint(box.Max))
	return shape, nil
}

// toPoint converts font units, which are integers in disguise.
func toPoint(p fixed.Point26_6) point { return point{float64(p.X), float64(p.Y)} }

// appendCurve appends the quadratic Bézier curve from the last point to end, bent towards control.
func appendCurve(line []point, control, end point) []point {
	a := line[len(line)-1]
	for k := 1; k <= curveSteps; k++ {
		// The weights are small integers, so each sum is exact and in no need of a conversion against fusing.
		u, v := float64(curveSteps-k), float64(k)
		line = append(line, point{
			(u*u*a.x + 2*u*v*control.x + v*v*end.x) / (curveSteps * curveSteps),
			(u*u*a.y + 2*u*v*control.y + v*v*end.y) / (curveSteps * curveSteps),
		})
	}
	return line
}

// normalize moves the middle of the box to the origin and makes the box one high.
func normalize(shape outline, low, high point) {
	height := high.y - low.y
	for _, line := range shape {
		for i, p := range line {
			line[i] = point{(p.x - (low.x+high.x)/2) / height, (p.y - (low.y+high.y)/2) / height}
		}
	}
}
