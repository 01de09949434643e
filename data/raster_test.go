package data

import (
	"slices"
	"testing"
)

func TestRasterFill(t *testing.T) {
	box := func(x0, y0, x1, y1 float64) []point { return []point{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}} }
	hole := func(x0, y0, x1, y1 float64) []point { return []point{{x0, y0}, {x0, y1}, {x1, y1}, {x1, y0}} }
	cases := []struct {
		name     string
		polygons [][]point
		want     []uint8 // 4x3
	}{
		{"nothing", nil, make([]uint8, 12)},
		{"whole pixels", [][]point{box(1, 1, 3, 2)}, []uint8{0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 0}},
		{"parts of pixels", [][]point{box(0.5, 0.25, 2.25, 1)}, []uint8{95, 191, 47, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"beyond the canvas", [][]point{box(-9, -9, 9, 1)}, []uint8{255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"far outside", [][]point{box(9, -9, 12, 12), box(-9, -9, -1, 12)}, make([]uint8, 12)},
		{"overlap counts once", [][]point{box(0, 0, 2, 1), box(1, 0, 3, 1)}, []uint8{255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"hole", [][]point{box(0, 0, 4, 3), hole(1, 1, 3, 2)}, []uint8{255, 255, 255, 255, 255, 0, 0, 255, 255, 255, 255, 255}},
		{"diagonal", [][]point{{{0, 0}, {2, 0}, {0, 2}}}, []uint8{255, 127, 0, 0, 127, 0, 0, 0, 0, 0, 0, 0}},
	}
	r := newRaster(4, 3)
	got := make([]uint8, 12)
	for _, c := range cases {
		for _, p := range c.polygons {
			r.polygon(p)
		}
		r.fill(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}
