package emit

import (
	"fmt"

	"cresset/dtype"
)

// A fold is the reduction of a row while it is computed, in the accumulator and the order of reduction.cu: a sum, by an adder where it is of float32; an extreme with its place, since
// of equal elements the first counts, and of NaN too.
type fold struct {
	*node
	at    int    // of the node
	own   *adder // of float32, before threads are joined
	value string // a float64, or an extreme of the kind of the elements
	place string // of the extreme, noPlace where there is none; "" where that is not told
}

const noPlace = "0xffffffff"

// begin begins the reduction that is a node.
func (w *writer) begin(i int) *fold {
	f := &fold{node: &w.nodes[i], at: i}
	switch f.fold {
	case largest, smallest:
		f.place = w.make("r", "mov.u32", noPlace)
		f.value = w.make(f.letters(), fmt.Sprintf("mov.b%d", f.bits()), "0")
	case most:
		f.value = w.make(f.letters(), fmt.Sprintf("mov.b%d", f.bits()), special[f.kind]["-∞"])
	default:
		if f.kind == "f32" {
			f.own = w.adder()
			return f
		}
		f.value = w.make("rd", "mov.b64", "0d0000000000000000")
	}
	return f
}

// adds reports whether it is a sum.
func (f *fold) adds() bool { return f.fold == sum || f.fold == mean || f.fold == dot }

// bits is how many an accumulator has.
func (f *fold) bits() int {
	if f.adds() {
		return 64
	}
	return bits(f.kind)
}

// letters are those of registers of the value.
func (f *fold) letters() string {
	if f.bits() == 64 {
		return "rd"
	}
	return "r"
}

// take joins an element behind those that were taken; place tells its index.
func (w *writer) take(f *fold, from []string, place func() string) {
	switch v := from[0]; {
	case f.own != nil:
		f.own.take(w, from...)
	case f.adds():
		if f.fold == dot {
			v = w.make("rd", "mul.rn.f64", v, from[1])
		}
		w.line("add.rn.f64 %s, %[1]s, %s", f.value, v)
	case f.fold == most:
		w.join(f, v, "")
	default:
		isNumber := w.make("p", "setp.num."+f.kind, f.value, f.value)
		nan := w.make("p", "and.pred", w.make("p", "setp.nan."+f.kind, v, v), isNumber)
		better := w.make("p", "or.pred", w.make("p", w.better(f), v, f.value), nan)
		better = w.make("p", "or.pred", better, w.make("p", "setp.eq.u32", f.place, noPlace))
		w.pick(f, better, v, place())
	}
}

// better compares two elements.
func (w *writer) better(f *fold) string {
	if f.fold != smallest {
		return "setp.gt." + f.kind
	}
	return "setp.lt." + f.kind
}

// pick makes an extreme another one where a predicate holds.
func (w *writer) pick(f *fold, p, v, place string) {
	w.line("selp.b%d %s, %s, %[2]s, %[4]s", f.bits(), f.value, v, p)
	if place == "" {
		return
	}
	w.line("selp.b32 %s, %s, %[1]s, %[3]s", f.place, place, p)
}

// join joins what another thread has.
func (w *writer) join(f *fold, v, place string) {
	switch {
	case f.adds():
		w.line("add.rn.f64 %s, %[1]s, %s", f.value, v)
		return
	case f.fold == most:
		w.pick(f, w.make("p", "or.pred", w.make("p", w.better(f), v, f.value), w.make("p", "setp.nan."+f.kind, v, v)), v, "")
		return
	}
	mine, theirs := w.make("p", "setp.nan."+f.kind, f.value, f.value), w.make("p", "setp.nan."+f.kind, v, v)
	same := w.make("p", "or.pred", w.make("p", "setp.eq."+f.kind, v, f.value), w.make("p", "and.pred", mine, theirs))
	other := w.make("p", "not.pred", same)
	same = w.make("p", "and.pred", same, w.make("p", "setp.lt.u32", place, f.place))
	better := w.make("p", "and.pred", theirs, w.make("p", "not.pred", mine))
	better = w.make("p", "or.pred", better, w.make("p", w.better(f), v, f.value))
	better = w.make("p", "or.pred", same, w.make("p", "and.pred", other, better))
	better = w.make("p", "or.pred", better, w.make("p", "setp.eq.u32", f.place, noPlace))
	better = w.make("p", "and.pred", better, w.make("p", "setp.ne.u32", place, noPlace))
	w.pick(f, better, v, place)
}

// joined joins what the threads of a row have, each of which gets the result, as an element of the node's dtype.
func (w *writer) joined(f *fold, t *ofRow) value {
	if f.own != nil {
		f.value = f.own.value(w)
	}
	if w.region.Order.InTurn {
		w.joinInTurn(f, t)
	} else {
		w.joinTree(f, t)
	}
	v := f.value
	if f.fold == mean {
		v = w.make("rd", "div.rn.f64", v, w.make("rd", "cvt.rn.f64.u32", t.length))
	}
	if f.adds() && f.dtype != dtype.Float64 {
		v = w.make("r", "cvt.rn.f32.f64", v)
	}
	return w.rounded(v, f.dtype)
}

// joinTree joins in pairs the threads of a warp, or of the part of one that a row has; then the warps in order, as joinRow of reduction.cuh does.
func (w *writer) joinTree(f *fold, t *ofRow) {
	threads := w.region.Order.Threads
	for mask := min(threads, warp) / 2; mask > 0; mask /= 2 {
		v, place := w.shuffled(f, f.value, f.place, "bfly", fmt.Sprint(mask))
		w.join(f, v, place)
	}
	if threads <= warp {
		return
	}
	const each = 16
	if !w.shared {
		w.line(".shared .align 8 .b8 joined[%d]", each*max(blockThreads, threads)/warp)
		w.shared = true
	}
	cells := w.make("r", "mad.lo.u32", w.make("r", "mov.u32", "%tid.y"), fmt.Sprint(each*threads/warp), w.make("r", "mov.u32", "joined"))
	mine := w.make("r", "mad.lo.u32", w.make("r", "shr.u32", t.x, "5"), fmt.Sprint(each), cells)
	first := w.make("p", "setp.eq.u32", w.make("r", "and.b32", t.x, "31"), "0")
	size := f.bits()
	w.line("@%s st.shared.b%d [%s], %s", first, size, mine, f.value)
	if f.place != "" {
		w.line("@%s st.shared.b32 [%s+8], %s", first, mine, f.place)
	}
	w.line("bar.sync 0")
	for n := range threads / warp {
		at := fmt.Sprintf("[%s+%d]", cells, each*n)
		v, place := w.make(f.letters(), fmt.Sprintf("ld.shared.b%d", size), at), ""
		if f.place != "" {
			place = w.make("r", "ld.shared.b32", fmt.Sprintf("[%s+%d]", cells, each*n+8))
		}
		if n > 0 {
			w.join(f, v, place)
			continue
		}
		w.line("mov.b%d %s, %s", size, f.value, v)
		if place != "" {
			w.line("mov.u32 %s, %s", f.place, place)
		}
	}
	w.line("bar.sync 0") // the next reduction writes there
}

// joinInTurn joins the threads of a row one after the other, from the first on.
func (w *writer) joinInTurn(f *fold, t *ofRow) {
	threads := w.region.Order.Threads
	lane := w.make("r", "mov.u32", "%laneid")
	lane = w.make("r", "and.b32", lane, fmt.Sprintf("0x%x", uint32(-threads)))
	own := *f
	for n := range threads {
		from := lane
		if n > 0 {
			from = w.make("r", "add.s32", lane, fmt.Sprint(n))
		}
		v, place := w.shuffled(f, own.value, own.place, "idx", from)
		if n > 0 {
			w.join(f, v, place)
			continue
		}
		f.value = v
		if place != "" {
			f.place = place
		}
	}
}

// shuffled returns the value and the place of another thread of the warp.
func (w *writer) shuffled(f *fold, value, place, how, of string) (v, at string) {
	shuffle := func(reg string) string { return w.make("r", "shfl.sync."+how+".b32", reg, of, "31", "0xffffffff") }
	if f.letters() == "r" {
		v = shuffle(value)
	} else {
		low, high := w.new("r"), w.new("r")
		w.line("mov.b64 {%s, %s}, %s", low, high, value)
		v = w.make("rd", "mov.b64", fmt.Sprintf("{%s, %s}", shuffle(low), shuffle(high)))
	}
	if place != "" {
		at = shuffle(place)
	}
	return v, at
}
