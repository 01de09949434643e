package ptx

import (
	"math"
	"strings"
)

// Conversions for tensor cores: two float32 packed as halves, and tf32.

// packing decodes cvt to f16x2, bf16x2 and tf32, and to a half with .relu or .rz.
func (b *body) packing(o *opcode, args []operand) (instr, bool) {
	to, ok := strings.CutSuffix(o.name, ".f32")
	if !ok {
		return instr{}, false
	}
	switch to = to[strings.LastIndex(to, ".")+1:]; to {
	case "tf32":
		return b.toTF32(o, args), true
	case "f16x2", "bf16x2":
	case "f16", "bf16":
		if o.parts[0] == "rn" && len(o.parts) == 3 {
			return instr{}, false
		}
	default:
		return instr{}, false
	}
	mode := b.need(o, "rn", "rz")
	relu := o.take("relu") != ""
	o.take("satfinite")
	types := b.types(o, 2)
	f := halfOf(types[0])
	convert := f.round
	if mode == "rz" {
		convert = f.truncate
	}
	one := func(x uint32) uint32 {
		v := float64(f32(x))
		if relu {
			v = reluOf(v)
		}
		return uint32(convert(v))
	}
	f32Type := dataTypes["f32"]
	if types[0].bits == 16 {
		b.want(o.name, args, 2)
		return instr{kind: kind32, d: b.dest(args[0], types[0]), a: b.source(args[1], f32Type), op32: func(d, a, _, _ *lanes32) {
			for i := range d {
				d[i] = one(a[i])
			}
		}}, true
	}
	b.want(o.name, args, 3)
	return instr{kind: kind32, d: b.dest(args[0], types[0]), a: b.source(args[1], f32Type), b: b.source(args[2], f32Type),
		op32: func(d, a, b, _ *lanes32) {
			for i := range d {
				d[i] = one(a[i])<<16 | one(b[i])
			}
		}}, true
}

// toTF32 is cvt.rna.tf32.f32 and cvt.rn.tf32.f32: float32 with ten bits of fraction.
func (b *body) toTF32(o *opcode, args []operand) instr {
	mode := b.need(o, "rna", "rn", "rz")
	o.take("relu")
	o.take("satfinite")
	b.want(o.name, args, 2)
	t := dataTypes["b32"]
	return instr{kind: kind32, d: b.dest(args[0], t), a: b.source(args[1], t), op32: func(d, a, _, _ *lanes32) {
		for i := range d {
			d[i] = roundTF32(a[i], mode)
		}
	}}
}

// roundTF32 cuts 13 bits: away from zero in the middle, to even, or always toward zero.
func roundTF32(x uint32, mode string) uint32 {
	if v := f32(x); v != v {
		return x&^(1<<13-1) | 1<<22
	} else if math.IsInf(float64(v), 0) {
		return x
	}
	switch mode {
	case "rna":
		x += 1 << 12
	case "rn":
		x += 1<<12 - 1 + x>>13&1
	}
	return x &^ (1<<13 - 1)
}
