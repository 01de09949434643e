package emit

// An adder is a sum of float32 in two parts, and what was added in float64, as sums.cuh of the kernels compiled ahead says: in its operations and their order.
type adder struct {
	high, low, beyond string
	h, l              string     // of the turn
	turn              [][]string // what it has taken: numbers, or two factors of each
}

func (w *writer) adder() *adder {
	return &adder{high: w.make("r", "mov.b32", "0f00000000"), low: w.make("r", "mov.b32", "0f00000000"), beyond: w.make("rd", "mov.b64", "0d0000000000000000")}
}

// begin begins a turn.
func (a *adder) begin(w *writer) {
	a.h, a.l, a.turn = w.make("r", "mov.b32", a.high), w.make("r", "mov.b32", a.low), a.turn[:0]
}

// take adds a number, or the product of two.
func (a *adder) take(w *writer, from ...string) {
	a.turn = append(a.turn, from)
	v := from[0]
	if len(from) > 1 {
		v = w.make("r", "mul.rn.f32", from[0], from[1])
		w.line("add.rn.f32 %s, %[1]s, %s", a.l, w.make("r", "fma.rn.f32", from[0], from[1], w.make("r", "neg.f32", v)))
	}
	sum := w.make("r", "add.rn.f32", a.h, v)
	behind := w.make("r", "sub.rn.f32", sum, a.h)
	lost := w.make("r", "sub.rn.f32", a.h, w.make("r", "sub.rn.f32", sum, behind))
	lost = w.make("r", "add.rn.f32", lost, w.make("r", "sub.rn.f32", v, behind))
	rest := w.make("r", "add.rn.f32", a.l, lost)
	w.line("add.rn.f32 %s, %s, %s", a.h, sum, rest)
	w.line("sub.rn.f32 %s, %s, %s", a.l, rest, w.make("r", "sub.rn.f32", a.h, sum))
}

// end keeps what the turn has added, or adds it in float64 where the sum is not finite.
func (a *adder) end(w *writer) {
	w.labels++
	finite := w.make("p", "setp.lt.f32", w.make("r", "abs.f32", a.h), "0f7F800000")
	w.line("@!%s bra $beyond%d", finite, w.labels)
	w.line("mov.b32 %s, %s", a.high, a.h)
	w.line("mov.b32 %s, %s", a.low, a.l)
	w.line("bra $added%d", w.labels)
	w.label("$beyond%d", w.labels)
	for _, from := range a.turn {
		v := w.make("rd", "cvt.f64.f32", from[0])
		if len(from) > 1 {
			v = w.make("rd", "mul.rn.f64", v, w.make("rd", "cvt.f64.f32", from[1]))
		}
		w.line("add.rn.f64 %s, %[1]s, %s", a.beyond, v)
	}
	w.label("$added%d", w.labels)
}

// value returns the sum as a float64.
func (a *adder) value(w *writer) string {
	parts := w.make("rd", "add.rn.f64", w.make("rd", "cvt.f64.f32", a.high), w.make("rd", "cvt.f64.f32", a.low))
	return w.make("rd", "add.rn.f64", a.beyond, parts)
}
