package hardware

import (
	"math"
	"testing"
)

// TestPeaks has the data sheets' TFLOP/s of products that add in float32 (V100's and T4's of float16), TOPS of int8, at the clocks of the presets, which are within a tenth of theirs.
func TestPeaks(t *testing.T) {
	for preset, want := range map[string]struct{ float32, half, tf32, float64, int8 float64 }{
		"v100":    {15.7, 125, 0, 7.8, 0},
		"t4":      {8.1, 65, 0, 8.1 / 32, 130},
		"a100":    {19.5, 312, 156, 19.5, 624},
		"rtx4090": {82.6, 165, 82.6, 82.6 / 64, 661},
		"h100":    {67, 989, 494, 67, 1979},
		"b200":    {75, 2250, 1100, 37, 4500},
		"rtx5090": {105, 210, 105, 105. / 64, 838},
	} {
		m, err := Preset(preset, 1)
		if err != nil {
			t.Fatal(err)
		}
		g := &m.GPUs[0]
		for what, c := range map[string]struct {
			lanes int
			want  float64
		}{
			"float32": {Lanes(g.Major, g.Minor), want.float32},
			"half":    {TensorLanes(g.Name, g.Major, g.Minor, 2), want.half},
			"int8":    {TensorLanes(g.Name, g.Major, g.Minor, 1), want.int8},
			"tf32":    {TensorLanes(g.Name, g.Major, g.Minor, 4), want.tf32},
			"float64": {TensorLanes(g.Name, g.Major, g.Minor, 8), want.float64},
		} {
			got := 2 * float64(c.lanes) * float64(g.Multiprocessors) * float64(g.Clock) / 1e12
			if c.want > 0 && math.Abs(got-c.want) > 0.1*c.want {
				t.Errorf("%s, %s: got %.1f TFLOP/s, want %.1f", preset, what, got, c.want)
			}
		}
	}
}
