package kern

import (
	"cresset/dtype"
	"cresset/internal/par"
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
	par.For(s.N*s.C, max(1, copyGrain/(rows*width*count)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, row := 0, a; row < s.H; j, row = j+1, row+s.StrideH {
				from, to := phases[(i*rows+j)*width:], dx[(i*s.H+row)*s.W:][:s.W]
				for b := range count {
					for q, v := range from[b*apart:][:ceilDiv(s.W-b, s.StrideW)] {
						to[b+q*s.StrideW] = v
					}
				}
			}
		}
	})
	return nil
}
