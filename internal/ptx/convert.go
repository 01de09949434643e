package ptx

import "math"

// conversion describes a cvt instruction. It reads the source into 64 bits, as an integer with its sign extended or as a
// float64, and writes the result of them.
type conversion struct {
	to, from dataType
	whole    func(float64) float64 // rounds to an integer, or nil
	wide     bool                  // whether an integer's register has 64 bits
}

// roundings are the directions in which floats become integers.
var roundings = map[string]func(float64) float64{
	"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil,
}

func readInt[N int8 | uint8 | number](d *lanes64, w *warp, slot int32) {
	a := &w.r32[slot]
	for i := range d {
		d[i] = uint64(N(a[i]))
	}
}

func readWide(d *lanes64, w *warp, slot int32) { *d = w.r64[slot] }

// readLow reads the type of the result from the low bits of wide registers.
func (c conversion) readLow(d *lanes64, w *warp, slot int32) {
	for i, x := range w.r64[slot] {
		d[i] = c.extend(x)
	}
}

func readF32(d *lanes64, w *warp, slot int32) {
	a := &w.r32[slot]
	for i := range d {
		d[i] = u64(float64(f32(a[i])))
	}
}

func readHalf(f halfFormat) func(d *lanes64, w *warp, slot int32) {
	return func(d *lanes64, w *warp, slot int32) {
		a := &w.r32[slot]
		for i := range d {
			d[i] = u64(float64(f.value(uint16(a[i]))))
		}
	}
}

// readers are the first step, by the type of the source.
var readers = map[string]func(d *lanes64, w *warp, slot int32){
	"u8": readInt[uint8], "s8": readInt[int8], "u16": readInt[uint16], "s16": readInt[int16],
	"u32": readInt[uint32], "s32": readInt[int32], "f32": readF32,
	"u64": readWide, "s64": readWide, "f64": readWide,
	"f16": readHalf(formatF16), "bf16": readHalf(formatBF16),
}

// step returns the second step.
func (c conversion) step() func(x uint64) uint64 {
	switch {
	case c.from.kind == float && c.to.kind == float:
		return c.floatToFloat
	case c.from.kind == float:
		return c.floatToInt
	case c.to.kind == float:
		return c.intToFloat
	}
	return c.extend
}

// extend cuts x to the type and extends it to a register.
func (c conversion) extend(x uint64) uint64 {
	shift := 64 - c.to.bits
	if c.to.kind == signed {
		return uint64(int64(x<<shift) >> shift)
	}
	return x << shift >> shift
}

// limits returns the range of the integer type.
func (c conversion) limits() (low int64, high uint64) {
	if c.to.kind == signed {
		return math.MinInt64 >> (64 - c.to.bits), math.MaxInt64 >> (64 - c.to.bits)
	}
	return 0, math.MaxUint64 >> (64 - c.to.bits)
}

// floatToInt rounds, and moves what is out of range to its ends. A NaN becomes 0, or where either type has 64 bits the
// highest bit alone.
func (c conversion) floatToInt(x uint64) uint64 {
	v := f64(x)
	if v != v {
		if c.from.bits == 64 || c.to.bits == 64 {
			return c.extend(1 << (c.to.bits - 1))
		}
		return 0
	}
	v = c.whole(v)
	low, high := c.limits()
	top := math.Ldexp(1, c.to.bits)
	if c.to.kind == signed {
		top /= 2
	}
	switch {
	case v >= top:
		return high
	case v <= float64(low):
		return uint64(low)
	case v < 0:
		return uint64(int64(v))
	}
	return uint64(v)
}

func (c conversion) intToFloat(x uint64) uint64 {
	isSigned := c.from.kind == signed
	switch {
	case c.to.bits == 16 && isSigned:
		return uint64(halfOf(c.to).round(float64(int64(x))))
	case c.to.bits == 16:
		return uint64(halfOf(c.to).round(float64(x)))
	case c.to.bits == 64 && isSigned:
		return u64(float64(int64(x)))
	case c.to.bits == 64:
		return u64(float64(x))
	case isSigned:
		return uint64(u32(float32(int64(x))))
	}
	return uint64(u32(float32(x)))
}

func (c conversion) floatToFloat(x uint64) uint64 {
	v := f64(x)
	if c.whole != nil {
		v = c.whole(v)
	}
	switch c.to.bits {
	case 64:
		return u64(v)
	case 16:
		return uint64(halfOf(c.to).round(v))
	}
	return uint64(u32(float32(v)))
}

func halfOf(t dataType) halfFormat {
	if t.name == "bf16" || t.name == "bf16x2" {
		return formatBF16
	}
	return formatF16
}

// exec returns the conversion as an instruction.
func (c conversion) exec() exec {
	read, write := readers[c.from.name], c.step()
	if c.wide {
		read = conversion{to: c.from}.readLow
	}
	if c.to.bits == 64 {
		return func(w *warp, in *instr, mask uint32) *Fault {
			read(&w.wide, w, in.a)
			d := w.to64(in.d, mask)
			for i := range d {
				d[i] = write(w.wide[i])
			}
			w.keep64(in.d, mask)
			return nil
		}
	}
	return func(w *warp, in *instr, mask uint32) *Fault {
		read(&w.wide, w, in.a)
		d := w.to32(in.d, mask)
		for i := range d {
			d[i] = uint32(write(w.wide[i]))
		}
		w.keep32(in.d, mask)
		return nil
	}
}

// Conversions that kernels make all the time have their own loops.

func extendU32(d *lanes64, a, _ *lanes32) {
	for i := range d {
		d[i] = uint64(a[i])
	}
}

func extendS32(d *lanes64, a, _ *lanes32) {
	for i := range d {
		d[i] = uint64(int32(a[i]))
	}
}

func cut32(d *lanes32, a *lanes64) {
	for i := range d {
		d[i] = uint32(a[i])
	}
}

func cut16[N int16 | uint16](d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = uint32(N(a[i]))
	}
}

func intToF32[N int32 | uint32](d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = u32(float32(N(a[i])))
	}
}

func truncF32(d, a, _, _ *lanes32) {
	for i := range d {
		x := float64(f32(a[i]))
		switch {
		case x >= 1<<31:
			d[i] = math.MaxInt32
		case x > -1<<31:
			d[i] = uint32(int32(x))
		case x == x:
			d[i] = 1 << 31
		default:
			d[i] = 0
		}
	}
}

func roundF32(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = u32(float32(math.RoundToEven(float64(f32(a[i])))))
	}
}
