package tile

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

// Convolutions with few outputs, as depthwise ones, run over planes whose lines, padding included, are contiguous: the weight of a
// tap is multiplied by elements at a fixed offset from those of the output. Columns beyond the lines' ends are computed too, and
// dropped.

const (
	slideBytes       = 256 // of a block that slides take at once
	correlateTaps    = 3   // that a loaded vector of y is multiplied for
	correlateVectors = 4   // of a block
)

// A slider writes the functions that go over planes.
//
// SI and BX point to the block of x and y, DX to the weights or sums, R8 to the taps, of which R9 holds the number and AX
// counts them; CX counts blocks.
type slider struct {
	*machine
	elem
	fn *asm.Func
}

func (m *machine) slides(f *asm.File, e elem) {
	s := &slider{m, e, newFunc(f, m.functionName("slide", e), "y[i] = bias + Σ w[t] · x[taps[t]+i] for blocks of 256 bytes of y")}
	s.slide()
	s.fn = newFunc(f, m.functionName("correlate", e), "sums[t] += y[i] · x[taps[t]+i] for blocks of four vectors of y, which have sums of their own")
	s.correlate()
	s.fn = newFunc(f, m.functionName("zip", e), "y[2i] = x[i] and y[2i+1] = w[i] for whole vectors")
	s.zip(f)
}

func (s *slider) op(name string, operands ...string) { s.fn.Op(name, operands...) }

func (s *slider) begin() {
	s.op("MOVQ", slideCall.at("x"), "SI")
	s.op("MOVQ", slideCall.at("y"), "BX")
	s.op("MOVQ", slideCall.at("w"), "DX")
	s.op("MOVQ", slideCall.at("taps"), "R8")
	s.op("MOVQ", slideCall.at("tapped"), "R9")
	s.op("MOVQ", slideCall.at("blocks"), "CX")
}

func (s *slider) slide() {
	vectors := slideBytes / s.bytes
	weight := s.reg(vectors)
	s.begin()
	s.op("MOVQ", slideCall.at("bias"), "R10")
	s.fn.Label("block")
	s.op("VBROADCAST"+s.single, "(R10)", s.reg(0))
	for v := 1; v < vectors; v++ {
		s.op("VMOVAPS", s.reg(0), s.reg(v))
	}
	s.op("XORL", "AX", "AX")
	s.op("PCALIGN", "$32")
	s.fn.Label("tap")
	s.op("MOVLQSX", "(R8)(AX*4)", "R11")
	s.op("VBROADCAST"+s.single, fmt.Sprintf("(DX)(AX*%d)", s.size), weight)
	s.op("LEAQ", fmt.Sprintf("(SI)(R11*%d)", s.size), "R12")
	for v := range vectors {
		s.op("VFMADD231"+s.suffix, at("R12", v*s.bytes), weight, s.reg(v))
	}
	s.op("INCQ", "AX")
	s.op("CMPQ", "AX", "R9")
	s.op("JLT", "tap")
	for v := range vectors {
		s.op("VMOVU"+s.suffix, s.reg(v), at("BX", v*s.bytes))
	}
	s.op("ADDQ", fmt.Sprintf("$%d", slideBytes), "SI")
	s.op("ADDQ", fmt.Sprintf("$%d", slideBytes), "BX")
	s.op("DECQ", "CX")
	s.op("JNZ", "block")
	s.op("VZEROUPPER")
	s.op("RET")
}

// correlate takes the taps in groups, whose elements of x R10, R11 and R12 point to; R13 is the block's offset from
// the first one, R14 points to that of y.
func (s *slider) correlate() {
	pointers := []string{"R10", "R11", "R12"}
	sum := func(t, v int) string { return s.reg(t*correlateVectors + v) }
	s.begin()
	s.op("XORL", "AX", "AX")
	s.fn.Label("group")
	for t, p := range pointers {
		s.op("MOVLQSX", fmt.Sprintf("%d(R8)(AX*4)", 4*t), p)
		s.op("LEAQ", fmt.Sprintf("(SI)(%s*%d)", p, s.size), p)
		for v := range correlateVectors {
			s.op("VMOVU"+s.suffix, at("DX", (t*correlateVectors+v)*s.bytes), sum(t, v))
		}
	}
	s.op("MOVQ", slideCall.at("blocks"), "CX")
	s.op("XORL", "R13", "R13")
	s.op("PCALIGN", "$32")
	s.fn.Label("block")
	for v := range correlateVectors {
		element := s.reg(correlateTaps*correlateVectors + v)
		s.op("VMOVU"+s.suffix, fmt.Sprintf("%d(BX)(R13*1)", v*s.bytes), element)
		for t, p := range pointers {
			s.op("VFMADD231"+s.suffix, fmt.Sprintf("%d(%s)(R13*1)", v*s.bytes, p), element, sum(t, v))
		}
	}
	s.op("ADDQ", fmt.Sprintf("$%d", correlateVectors*s.bytes), "R13")
	s.op("DECQ", "CX")
	s.op("JNZ", "block")
	for t := range pointers {
		for v := range correlateVectors {
			s.op("VMOVU"+s.suffix, sum(t, v), at("DX", (t*correlateVectors+v)*s.bytes))
		}
	}
	s.op("ADDQ", fmt.Sprintf("$%d", correlateTaps*correlateVectors*s.bytes), "DX")
	s.op("ADDQ", fmt.Sprintf("$%d", correlateTaps), "AX")
	s.op("CMPQ", "AX", "R9")
	s.op("JLT", "group")
	s.op("VZEROUPPER")
	s.op("RET")
}

// zip interleaves the elements of two vectors; AVX2 does so within halves of 16 bytes, which it then exchanges.
func (s *slider) zip(f *asm.File) {
	n := s.lanes(s.elem)
	a, b, lo, hi := s.reg(0), s.reg(1), s.reg(2), s.reg(3)
	s.begin()
	if s.masks {
		for part, r := range []int{4, 5} {
			var words []uint32
			for i := range n {
				words = append(words, uint32(part*n/2+i/2+i%2*n))
				if s.size == 8 {
					words = append(words, 0)
				}
			}
			s.op("VMOVUPS", f.Words(words...), s.reg(r))
		}
	}
	s.fn.Label("vector")
	s.op("VMOVU"+s.suffix, "(SI)", a)
	s.op("VMOVU"+s.suffix, "(DX)", b)
	if s.masks {
		s.op("VMOVAPS", s.reg(4), lo)
		s.op("VMOVAPS", s.reg(5), hi)
		s.op("VPERMI2"+s.suffix, b, a, lo)
		s.op("VPERMI2"+s.suffix, b, a, hi)
	} else {
		s.op("VUNPCKL"+s.suffix, b, a, s.reg(4))
		s.op("VUNPCKH"+s.suffix, b, a, s.reg(5))
		s.op("VPERM2F128", "$0x20", s.reg(5), s.reg(4), lo)
		s.op("VPERM2F128", "$0x31", s.reg(5), s.reg(4), hi)
	}
	s.op("VMOVU"+s.suffix, lo, "(BX)")
	s.op("VMOVU"+s.suffix, hi, at("BX", s.bytes))
	s.op("ADDQ", fmt.Sprintf("$%d", s.bytes), "SI")
	s.op("ADDQ", fmt.Sprintf("$%d", s.bytes), "DX")
	s.op("ADDQ", fmt.Sprintf("$%d", 2*s.bytes), "BX")
	s.op("DECQ", "CX")
	s.op("JNZ", "vector")
	s.op("VZEROUPPER")
	s.op("RET")
}
