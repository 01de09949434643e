package kern

import (
	"cresset/dtype"
	"cresset/internal/op"
)

// depthwiseElement is what depthwise convolutions by windows of 3x3 read and write.
type depthwiseElement interface{ dtype.Float | dtype.BF16 }

// depthwisePlanes makes planes of E ones of T, as which they are computed: they are those where the types are the same, else copies in working memory.
type depthwisePlanes[E depthwiseElement, T dtype.Float] struct{}

// wide reports whether planes are copied.
func (depthwisePlanes[E, T]) wide() bool {
	_, same := any([]E(nil)).([]T)
	return !same
}

// size returns the working memory for so many elements.
func (p depthwisePlanes[E, T]) size(elems int) int {
	if p.wide() {
		return elems
	}
	return 0
}

// of returns what stands for planes to be written.
func (p depthwisePlanes[E, T]) of(planes []E, space []T) []T {
	if same, ok := any(planes).([]T); ok {
		return same
	}
	return space[:len(planes)]
}

// read returns what stands for planes that are read.
func (p depthwisePlanes[E, T]) read(planes []E, space []T) []T {
	wide := p.of(planes, space)
	if p.wide() {
		widen(any(wide).([]float32), any(planes).([]dtype.BF16))
	}
	return wide
}

// write stores what of returned.
func (p depthwisePlanes[E, T]) write(planes []E, wide []T) {
	if p.wide() {
		narrow(any(planes).([]dtype.BF16), any(wide).([]float32))
	}
}

// widened runs f with weights, and a bias or nil, in float32.
func widened(w, bias []dtype.BF16, f func(w, bias []float32) error) error {
	return withWorkspace(len(w)+len(bias), func(space []float32) error {
		wide := space[:len(w)]
		widen(wide, w)
		if bias == nil {
			return f(wide, nil)
		}
		widen(space[len(w):], bias)
		return f(wide, space[len(w):])
	})
}

// convDepthwiseBF16 is convDepthwise of bfloat16.
func convDepthwiseBF16(s *ConvShape, x, w, bias, y []dtype.BF16) error {
	return widened(w, bias, func(w, bias []float32) error { return convDepthwise(s, x, w, bias, op.Invalid, y) })
}

// gradWeightDepthwiseBF16 is gradWeightDepthwise of bfloat16.
func gradWeightDepthwiseBF16(s *ConvShape, x, dy, dw []dtype.BF16) error {
	return withWorkspace(len(dw), func(wide []float32) error {
		err := gradWeightDepthwise(s, x, dy, wide)
		narrow(dw, wide)
		return err
	})
}
