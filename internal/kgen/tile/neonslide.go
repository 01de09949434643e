package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Registers of NEON's slides.
const (
	armSlideX       = "R1" // x, y, and weights or sums
	armSlideY       = "R2"
	armSlideW       = "R3"
	armSlideTaps    = "R4"
	armSlideTapped  = "R5"
	armBlocks       = "R6"
	armSlideTapLeft = "R7"
	armWeight       = "R8" // the weight and its tap
	armSlideTap     = "R9"
	armSlidePoint   = "R10" // the elements of x; correlate has one for each of its taps
	armAtBlock      = "R15" // of y
)

// A neonSlider writes the functions that go over planes for arm64, as slider does for the other machines.
type neonSlider struct{ armFunc }

func neonSlides(f *asm.File, e elem) {
	s := &neonSlider{newArmFunc(f, "slide", e, "y[i] = bias + Σ w[t] · x[taps[t]+i] for blocks of 256 bytes of y")}
	s.slide()
	s.armFunc = newArmFunc(f, "correlate", e, "sums[t] += y[i] · x[taps[t]+i] for blocks of four vectors of y, which have sums of their own")
	s.correlate()
	s.armFunc = newArmFunc(f, "zip", e, "y[2i] = x[i] and y[2i+1] = w[i] for whole vectors")
	s.zip()
}

func (s *neonSlider) begin() {
	s.field(slideCall.at("x"), armSlideX)
	s.field(slideCall.at("y"), armSlideY)
	s.field(slideCall.at("w"), armSlideW)
	s.field(slideCall.at("taps"), armSlideTaps)
	s.field(slideCall.at("tapped"), armSlideTapped)
	s.field(slideCall.at("blocks"), armBlocks)
}

// slide keeps a block's sums in the first 16 registers.
func (s *neonSlider) slide() {
	const vectors = slideBytes / neonBytes
	bias, weight, element := vectors, vectors+1, vectors+2
	one := map[int]string{4: "S", 8: "D"}[s.size]
	s.begin()
	s.field(slideCall.at("bias"), armScratch)
	s.op(s.move(), "("+armScratch+")", float(bias))
	s.op("VDUP", fmt.Sprintf("V%d.%s[0]", bias, one), fmt.Sprintf("V%d.%s%d", bias, one, s.lanes()))
	s.fn.Label("block")
	for v := range vectors {
		s.op("VORR", vector(bias), vector(bias), vector(v))
	}
	s.op("MOVD", armSlideW, armWeight)
	s.op("MOVD", armSlideTaps, armSlideTap)
	s.op("MOVD", armSlideTapped, armSlideTapLeft)
	s.fn.Label("tap")
	s.op("MOVW.P", "4("+armSlideTap+")", armScratch)
	s.op("ADD", s.scaled(armScratch), armSlideX, armSlidePoint)
	s.op(s.move()+".P", fmt.Sprintf("%d(%s)", s.size, armWeight), float(weight))
	for v := range vectors {
		x := element + v%4
		s.op("FMOVQ", at(armSlidePoint, v*neonBytes), float(x))
		s.fmaElement(v, x, weight)
	}
	s.op("SUBS", "$1", armSlideTapLeft)
	s.op("BNE", "tap")
	for v := range vectors {
		s.op("FMOVQ", float(v), at(armSlideY, v*neonBytes))
	}
	s.op("ADD", fmt.Sprintf("$%d", slideBytes), armSlideX)
	s.op("ADD", fmt.Sprintf("$%d", slideBytes), armSlideY)
	s.op("SUBS", "$1", armBlocks)
	s.op("BNE", "block")
	s.op("RET")
}

func (s *neonSlider) correlate() {
	const element, other = correlateTaps * correlateVectors, correlateTaps*correlateVectors + correlateVectors
	pointer := func(t int) string { return reg(10 + t) }
	sum := func(t, v int) int { return t*correlateVectors + v }
	s.begin()
	s.fn.Label("group")
	for t := range correlateTaps {
		s.op("MOVW.P", "4("+armSlideTaps+")", armScratch)
		s.op("ADD", s.scaled(armScratch), armSlideX, pointer(t))
		for v := range correlateVectors {
			s.op("FMOVQ", at(armSlideW, sum(t, v)*neonBytes), float(sum(t, v)))
		}
	}
	s.op("MOVD", armSlideY, armAtBlock)
	s.field(slideCall.at("blocks"), armBlocks)
	s.fn.Label("block")
	for v := range correlateVectors {
		s.op("FMOVQ.P", fmt.Sprintf("%d(%s)", neonBytes, armAtBlock), float(element+v))
		for t := range correlateTaps {
			s.op("FMOVQ.P", fmt.Sprintf("%d(%s)", neonBytes, pointer(t)), float(other+t))
			s.three(neonFMLA, sum(t, v), element+v, other+t)
		}
	}
	s.op("SUBS", "$1", armBlocks)
	s.op("BNE", "block")
	for t := range correlateTaps {
		for v := range correlateVectors {
			s.op("FMOVQ.P", float(sum(t, v)), fmt.Sprintf("%d(%s)", neonBytes, armSlideW))
		}
	}
	s.op("SUBS", fmt.Sprintf("$%d", correlateTaps), armSlideTapped)
	s.op("BGT", "group")
	s.op("RET")
}

func (s *neonSlider) zip() {
	s.begin()
	s.fn.Label("vector")
	s.op("FMOVQ.P", fmt.Sprintf("%d(%s)", neonBytes, armSlideX), float(0))
	s.op("FMOVQ.P", fmt.Sprintf("%d(%s)", neonBytes, armSlideW), float(1))
	s.op("VZIP1", s.numbers(1), s.numbers(0), s.numbers(2))
	s.op("VZIP2", s.numbers(1), s.numbers(0), s.numbers(3))
	s.op("FMOVQ.P", float(2), fmt.Sprintf("%d(%s)", neonBytes, armSlideY))
	s.op("FMOVQ.P", float(3), fmt.Sprintf("%d(%s)", neonBytes, armSlideY))
	s.op("SUBS", "$1", armBlocks)
	s.op("BNE", "vector")
	s.op("RET")
}
