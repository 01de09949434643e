package ptx

import "math"

// A conversion runs in two steps: read brings the source into 64 bits, as an
// integer with its sign extended or as a float64, and write makes the result of
// them. Both are whole-warp functions.
type (
	readStep  func(d *lanes64, w *warp, slot int32)
	writeStep func(x uint64) uint64
)

func readInt[N int8 | uint8 | number](d *lanes64, w *warp, slot int32) {
	a := &w.r32[slot]
	for i := range d {
		d[i] = uint64(N(a[i]))
	}
}

func readInt64[N int8 | uint8 | number](d *lanes64, w *warp, slot int32) {
	a := &w.r64[slot]
	for i := range d {
		d[i] = uint64(N(a[i]))
	}
}

func readF32(d *lanes64, w *warp, slot int32) {
	a := &w.r32[slot]
	for i := range d {
		d[i] = u64(float64(f32(a[i])))
	}
}

func readF64(d *lanes64, w *warp, slot int32) { *d = w.r64[slot] }

func readHalf(d *lanes64, w *warp, slot int32) {
	a := &w.r32[slot]
	for i := range d {
		d[i] = u64(fromHalf(uint16(a[i])))
	}
}

func readBrain(d *lanes64, w *warp, slot int32) {
	a := &w.r32[slot]
	for i := range d {
		d[i] = u64(float64(f32(a[i] << 16)))
	}
}

// readOf returns the first step from a type that lives in a register of a file.
// Integers may be read from wider registers.
func readOf(t dataType, from file) readStep {
	narrow := map[string]readStep{
		"u8": readInt[uint8], "s8": readInt[int8], "u16": readInt[uint16], "s16": readInt[int16],
		"u32": readInt[uint32], "s32": readInt[int32],
		"f16": readHalf, "bf16": readBrain, "f32": readF32,
	}
	wide := map[string]readStep{
		"u8": readInt64[uint8], "s8": readInt64[int8], "u16": readInt64[uint16], "s16": readInt64[int16],
		"u32": readInt64[uint32], "s32": readInt64[int32], "u64": readInt64[uint64], "s64": readInt64[int64],
		"f64": readF64,
	}
	if from == file64 {
		return wide[t.name]
	}
	return narrow[t.name]
}

// conversion describes a cvt instruction.
type conversion struct {
	to, from dataType
	round    rounding
	whole    bool // round to an integer: rni, rzi, rmi, rpi
	saturate bool
	ftz      bool
}

// step returns the second step.
func (c conversion) step() writeStep {
	floating := c.from.kind == float || c.from.kind == brain
	switch {
	case c.to.kind == float || c.to.kind == brain:
		if floating {
			return c.floatToFloat
		}
		return c.intToFloat
	case floating:
		return c.floatToInt
	}
	return c.intToInt
}

// intToInt cuts an integer, or with .sat brings it into the range of the type.
func (c conversion) intToInt(x uint64) uint64 {
	if !c.saturate {
		return c.extend(x)
	}
	low, high := c.limits()
	if c.from.kind == signed {
		v := int64(x)
		if v < low {
			return uint64(low)
		}
		if v >= 0 && x > high {
			return high
		}
		return x
	}
	return min(x, high)
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

// floatToInt rounds, and brings what is out of range to its ends. A NaN becomes
// 0, or where either type has 64 bits the highest bit alone.
func (c conversion) floatToInt(x uint64) uint64 {
	v := f64(x)
	if c.ftz && math.Abs(v) < 0x1p-126 {
		v = 0
	}
	if v != v {
		if c.from.bits == 64 || c.to.bits == 64 {
			return c.extend(1 << (c.to.bits - 1))
		}
		return 0
	}
	v = c.round.whole(v)
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
	v, order := toF64(x, c.from.kind == signed)
	if c.to.bits == 64 {
		return u64(v)
	}
	// A float64 rounded to odd rounds to shorter formats as the integer would.
	if n := u64(v); order != 0 && n&1 == 0 {
		v = f64(n | 1)
		if order < 0 == (v > 0) {
			v = f64(n - 1)
		}
	}
	return c.shorten(v)
}

// toF64 converts to nearest and returns the sign of what was lost, exact - v.
func toF64(x uint64, isSigned bool) (v float64, order int) {
	if isSigned && int64(x) < 0 {
		v, order = toF64(-x, false)
		return -v, -order
	}
	v = float64(x)
	switch {
	case v >= 0x1p64:
		return v, -1
	case uint64(v) < x:
		return v, 1
	case uint64(v) > x:
		return v, -1
	}
	return v, 0
}

func (c conversion) floatToFloat(x uint64) uint64 {
	v := f64(x)
	if c.ftz && (c.from.bits == 32 || c.to.bits == 32) && math.Abs(v) < 0x1p-126 {
		v = math.Copysign(0, v)
	}
	if c.whole {
		v = c.round.whole(v)
	}
	if c.saturate {
		v = unit(v)
	}
	if c.to.bits == 64 {
		return u64(v)
	}
	return c.shorten(v)
}

// shorten rounds a float64 to the type.
func (c conversion) shorten(v float64) uint64 {
	switch {
	case c.to.bits == 32:
		return uint64(u32(float32(v)))
	case c.to.kind == brain:
		return uint64(brainFormat.round(v))
	}
	return uint64(halfFormat.round(v))
}

// exec returns the conversion as an instruction that writes to a register of a file.
func (c conversion) exec(read readStep, to file) exec {
	write := c.step()
	if to == file64 {
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

func extendU32(d *lanes64, a, _ *lanes32, _ *lanes64) {
	for i := range d {
		d[i] = uint64(a[i])
	}
}

func extendS32(d *lanes64, a, _ *lanes32, _ *lanes64) {
	for i := range d {
		d[i] = uint64(int32(a[i]))
	}
}

func cut32(d *lanes32, a *lanes64) {
	for i := range d {
		d[i] = uint32(a[i])
	}
}

func s32ToF32(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = u32(float32(int32(a[i])))
	}
}

func u32ToF32(d, a, _, _ *lanes32) {
	for i := range d {
		d[i] = u32(float32(a[i]))
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
