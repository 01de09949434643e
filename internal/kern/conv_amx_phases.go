package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// ConvBF16GradInput is Conv2DGradInput of bfloat16, whose phases ConvBF16 computes, and reports whether it computes the gradient.
func ConvBF16GradInput(s *ConvShape, dy, w, bias, dx []dtype.BF16) (bool, error) {
	if len(dx) == 0 || len(dy) == 0 || len(w) == 0 {
		return false, nil
	}
	if s.spreads() {
		return true, widened(w, bias, func(w, bias []float32) error { return gradInputDepthwise(s, dy, w, bias, dx) })
	}
	rows, cols := s.phases()
	for a := range rows {
		for b := range cols {
			if p := s.phased(s.phase(a, b)); p.R*p.S > 0 && !p.depthwise() && !p.takesAMX() {
				return false, nil
			}
		}
	}
	conv := func(p *ConvShape, dy, w, phase []dtype.BF16) error {
		_, err := ConvBF16(p, dy, w, bias, phase)
		return err
	}
	return true, gradInputByPhases(s, dy, w, bias, dx, 0, conv, interleaveHalves)
}

// interleaveHalves is interleavePhases of bfloat16.
func interleaveHalves(s *ConvShape, a int, phases []dtype.BF16, apart int, dx []dtype.BF16) error {
	rows, width := ceilDiv(s.H, s.StrideH), ceilDiv(s.W, s.StrideW)
	_, count := s.phases()
	joined := vec.HasAMX() && count == 2 && s.StrideW == 2
	return ForWithWorkspace(s.N*s.C, max(1, copyGrain/(rows*width*count)), ceilDiv(rows*width, vec.AMXCols)*vec.AMXCols, func(lo, hi int, space []float32) {
		for i := lo; i < hi; i++ {
			from := phases[i*rows*width:]
			if joined { // the gradient of conv3x3_stride2_bf16/32x64x56x56 takes a tenth less time so
				vec.PairPanels(space, vec.AMXCols, from, apart, 1, rows*width)
			}
			for j, row := 0, a; row < s.H; j, row = j+1, row+s.StrideH {
				to := dx[(i*s.H+row)*s.W:][:s.W]
				if joined {
					copy(to, asHalves(space)[2*j*width:])
					continue
				}
				for b := range count {
					for q, v := range from[j*width+b*apart:][:ceilDiv(s.W-b, s.StrideW)] {
						to[b+q*s.StrideW] = v
					}
				}
			}
		}
	})
}
