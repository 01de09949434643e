package emit

import (
	"fmt"

	"cresset/dtype"
	"cresset/internal/op"
)

// A fold is the reduction of a row while it is computed, in the accumulator and the order of reduction.cu: a sum in float64; an extreme with its place, since
// of equal elements the first counts, and of NaN too.
type fold struct {
	step  int
	value string // a float64, or an extreme of the type that is computed in
	place string // of the extreme, noPlace where there is none; "" of a sum
	kind  string // of the elements
}

const noPlace = "0xffffffff"

// fold begins the reduction that is a step.
func (w *writer) fold(i int) *fold {
	s := &w.region.Steps[i]
	f := &fold{step: i, kind: kinds[s.DType]}
	switch s.Op {
	case op.SumAxes, op.MeanAxes:
		f.value = w.make("rd", "mov.b64", "0d0000000000000000")
	default:
		f.place = w.make("r", "mov.u32", noPlace)
		f.value = w.make(f.letters(), "mov.b"+fmt.Sprint(bits(f.kind)), "0")
	}
	return f
}

// letters are those of registers of the value.
func (f *fold) letters() string {
	if f.place == "" || f.kind == "f64" {
		return "rd"
	}
	return "r"
}

// take joins an element behind those that were taken; place tells its index.
func (w *writer) take(f *fold, v string, place func() string) {
	if f.place == "" {
		if f.kind == "f32" {
			v = w.make("rd", "cvt.f64.f32", v)
		}
		w.line("add.rn.f64 %s, %[1]s, %s", f.value, v)
		return
	}
	isNumber := w.make("p", "setp.num."+f.kind, f.value, f.value)
	nan := w.make("p", "and.pred", w.make("p", "setp.nan."+f.kind, v, v), isNumber)
	better := w.make("p", "or.pred", w.make("p", w.better(f), v, f.value), nan)
	better = w.make("p", "or.pred", better, w.make("p", "setp.eq.u32", f.place, noPlace))
	w.pick(f, better, v, place())
}

// better compares two elements.
func (w *writer) better(f *fold) string {
	if w.region.Steps[f.step].Op == op.AMax {
		return "setp.gt." + f.kind
	}
	return "setp.lt." + f.kind
}

// pick makes an extreme another one where a predicate holds.
func (w *writer) pick(f *fold, p, v, place string) {
	w.line("selp.b%d %s, %s, %[2]s, %[4]s", bits(f.kind), f.value, v, p)
	w.line("selp.b32 %s, %s, %[1]s, %[3]s", f.place, place, p)
}

// join joins what another thread has.
func (w *writer) join(f *fold, v, place string) {
	if f.place == "" {
		w.line("add.rn.f64 %s, %[1]s, %s", f.value, v)
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

// joined joins what the threads of a row have, each of which gets the result, as an element of the step's dtype.
func (w *writer) joined(f *fold, t *ofRow) value {
	if w.region.Order.InTurn {
		w.joinInTurn(f, t)
	} else {
		w.joinTree(f, t)
	}
	s := &w.region.Steps[f.step]
	v := f.value
	switch {
	case f.place != "" && f.kind == "f64":
		return value{dtype: s.To, reg: v}
	case f.place != "":
		return w.round(v, s.To)
	case s.Op == op.MeanAxes:
		v = w.make("rd", "div.rn.f64", v, w.make("rd", "cvt.rn.f64.u32", t.length))
	}
	if s.To == dtype.Float64 {
		return value{dtype: s.To, reg: v}
	}
	return w.round(w.make("r", "cvt.rn.f32.f64", v), s.To)
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
		w.line(".shared .align 8 .b8 joined[%d]", each*blockThreads/warp)
		w.shared = true
	}
	cells := w.make("r", "mov.u32", "joined")
	mine := w.make("r", "mad.lo.u32", w.make("r", "shr.u32", t.x, "5"), fmt.Sprint(each), cells)
	first := w.make("p", "setp.eq.u32", w.make("r", "and.b32", t.x, "31"), "0")
	size := bits(f.kind)
	if f.place == "" {
		size = 64
	}
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
