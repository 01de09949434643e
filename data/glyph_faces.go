package data

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// facesText is the outlines of the digits of ten fonts; its head tells the form.
//
//go:embed glyph_faces.txt
var facesText string

// digitFaces returns the ten digits of each font, read once.
var digitFaces = sync.OnceValue(func() (faces [][10]outline) {
	digit := 0
	for line := range strings.Lines(facesText) {
		if line[0] == '#' {
			continue
		}
		if digit%10 == 0 {
			faces = append(faces, [10]outline{})
		}
		faces[digit/10][digit%10] = readOutline(line)
		digit++
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

// readOutline reads a line of facesText, flattens the outline and normalizes it.
func readOutline(line string) (shape outline) {
	rest := strings.NewReader(line)
	read := func(values ...any) bool {
		_, err := fmt.Fscan(rest, values...)
		return err == nil
	}
	var low, high, to, control point
	read(&low.x, &low.y, &high.x, &high.y)
	for op := ""; read(&op); {
		if op == "Q" {
			read(&control.x, &control.y)
		}
		read(&to.x, &to.y)
		if op == "M" {
			shape = append(shape, nil)
		}
		last := &shape[len(shape)-1]
		if op == "Q" {
			*last = appendCurve(*last, control, to)
		} else {
			*last = append(*last, to)
		}
	}
	normalize(shape, low, high)
	return shape
}

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
