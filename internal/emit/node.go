package emit

import (
	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// A node is one value of a kernel that reduces rows: a step, or a part of a softmax.
type node struct {
	from    []int // operands: those of the region, then nodes
	row     bool  // there is one value for each row
	fold    folding
	dtype   dtype.DType // of what a fold makes
	kind    string      // and of what it takes
	compute func(w *writer, from []value) value
}

// folding is how a node reduces rows.
type folding byte

const (
	noFold folding = iota
	sum
	mean
	largest
	smallest
	most // the largest, without its place: of zeros of both signs either
	dot  // Σ of products of two operands, in float64
)

var foldings = map[op.Op]folding{op.SumAxes: sum, op.MeanAxes: mean, op.AMax: largest, op.AMin: smallest}

// nodes makes nodes of the steps, and tells which one is the result of each.
func (k *Kernel) nodes() (all []node, of []int) {
	in := len(k.region.In)
	for i := range k.region.Steps {
		s := &k.region.Steps[i]
		var from []int
		for _, f := range s.From {
			if f >= in {
				f = in + of[f-in]
			}
			from = append(from, f)
		}
		switch fold := foldings[s.Op]; {
		case s.Row && fold != noFold:
			all = append(all, node{from: from, row: true, fold: fold, dtype: s.To, kind: kinds[s.DType]})
		case softmaxes[s.Op] != nil:
			b := &softmaxNodes{s: s, all: all, in: in, wide: wideOf(s.DType)}
			softmaxes[s.Op](b, from)
			all = b.all
		default:
			all = append(all, node{from: from, row: s.Row, compute: func(w *writer, from []value) value { return w.stepOf(i, from) }})
		}
		of = append(of, len(all)-1)
	}
	return all, of
}

// wideOf is the dtype that a softmax of a dtype is computed in.
func wideOf(dt dtype.DType) dtype.DType {
	if dt == dtype.Float64 {
		return dt
	}
	return dtype.Float32
}

// softmaxNodes makes nodes of a softmax, in the operations and the order of softmax.cu.
type softmaxNodes struct {
	s    *backend.Step
	all  []node
	in   int
	wide dtype.DType
}

var softmaxes = map[op.Op]func(b *softmaxNodes, from []int){
	op.Softmax: softmax, op.LogSoftmax: logSoftmax, op.SoftmaxGrad: softmaxGrad, op.LogSoftmaxGrad: logSoftmaxGrad,
}

// add returns the number of a node among operands.
func (b *softmaxNodes) add(n node) int {
	b.all = append(b.all, n)
	return b.in + len(b.all) - 1
}

// folded reduces what is computed in the wide dtype, or of the step's.
func (b *softmaxNodes) folded(f folding, to dtype.DType, from ...int) int {
	return b.add(node{from: from, row: true, fold: f, dtype: to, kind: kinds[b.wide]})
}

func (b *softmaxNodes) each(row bool, compute func(w *writer, from []value) value, from ...int) int {
	return b.add(node{from: from, row: row, compute: compute})
}

// exponentials are e**(x - most), and most, the largest x.
func (b *softmaxNodes) exponentials(x int) (e, top int) {
	top = b.folded(most, b.wide, x)
	shift := b.each(true, func(w *writer, from []value) value { // that -∞ less itself is no NaN
		kind := kinds[b.wide]
		none := w.make("p", "setp.eq."+kind, from[0].reg, special[kind]["-∞"])
		return b.number(w.pickOf(kind, special[kind]["0"], from[0].reg, none))
	}, top)
	return b.each(false, func(w *writer, from []value) value {
		return b.formula(w, op.Exp, b.number(w.arithmetic("sub", b.wide, from[0], from[1])))
	}, x, shift), top
}

func softmax(b *softmaxNodes, from []int) {
	e, top := b.exponentials(from[0])
	whole := b.folded(sum, b.wide, e)
	whole = b.each(true, func(w *writer, from []value) value { // NaN where all are -∞, or one is ∞
		kind := kinds[b.wide]
		p := w.make("p", "setp.eq."+kind, w.make(letters(kind), "abs."+kind, from[1].reg), special[kind]["∞"])
		return b.number(w.pickOf(kind, special[kind]["NaN"], from[0].reg, p))
	}, whole, top)
	b.each(false, func(w *writer, from []value) value {
		return w.rounded(w.arithmetic("div", b.wide, from[0], from[1]), b.s.To)
	}, e, whole)
}

func logSoftmax(b *softmaxNodes, from []int) {
	e, top := b.exponentials(from[0])
	rest := b.each(true, func(w *writer, from []value) value {
		v := w.compute(formulaOf(op.Log, dtype.Float64), "f64", from, nil, dtype.Float64)
		return w.cast(v, b.wide)
	}, b.folded(sum, dtype.Float64, e))
	b.each(false, func(w *writer, from []value) value {
		less := b.number(w.arithmetic("sub", b.wide, from[0], from[1]))
		return w.rounded(w.arithmetic("sub", b.wide, less, from[2]), b.s.To)
	}, from[0], top, rest)
}

// softmaxGrad is y · (dy - Σ dy·y).
func softmaxGrad(b *softmaxNodes, from []int) {
	dy, y := from[0], from[1]
	whole := b.folded(dot, b.wide, dy, y)
	b.each(false, func(w *writer, from []value) value {
		less := b.number(w.arithmetic("sub", b.wide, from[0], from[2]))
		return w.rounded(w.arithmetic("mul", b.wide, from[1], less), b.s.To)
	}, dy, y, whole)
}

// logSoftmaxGrad is dy - e**y · Σ dy.
func logSoftmaxGrad(b *softmaxNodes, from []int) {
	dy, y := from[0], from[1]
	whole := b.folded(sum, b.wide, dy)
	b.each(false, func(w *writer, from []value) value {
		share := b.number(w.arithmetic("mul", b.wide, b.formula(w, op.Exp, b.widened(w, from[1])), from[2]))
		return w.rounded(w.arithmetic("sub", b.wide, from[0], share), b.s.To)
	}, dy, y, whole)
}

// number is a value of the wide dtype.
func (b *softmaxNodes) number(reg string) value { return value{dtype: b.wide, reg: reg} }

// widened is a value as one of the wide dtype.
func (b *softmaxNodes) widened(w *writer, v value) value { return b.number(w.number(&v)) }

// formula computes an op of one operand.
func (b *softmaxNodes) formula(w *writer, o op.Op, v value) value {
	return w.compute(formulaOf(o, b.wide), kinds[b.wide], []value{v}, nil, b.wide)
}

// arithmetic computes one operation of two numbers.
func (w *writer) arithmetic(name string, dt dtype.DType, x, y value) string {
	kind := kinds[dt]
	return w.make(letters(kind), name+".rn."+kind, w.number(&x), w.number(&y))
}

// rounded makes a value of a dtype of a number.
func (w *writer) rounded(reg string, to dtype.DType) value {
	if to == dtype.Float64 {
		return value{dtype: to, reg: reg}
	}
	return w.round(reg, to)
}

// pickOf is a constant where a predicate holds, else a number.
func (w *writer) pickOf(kind, constant, number, p string) string {
	if kind == "f64" {
		return w.make("rd", "selp.b64", constant, number, p)
	}
	return w.make("r", "selp.b32", constant, number, p)
}

// letters are those of registers of a kind of float.
func letters(kind string) string {
	if kind == "f64" {
		return "rd"
	}
	return "r"
}

// special are bits of floats that are not finite, and zero.
var special = map[string]map[string]string{
	"f32": {"∞": "0f7F800000", "-∞": "0fFF800000", "0": "0x00000000", "NaN": "0x7fc00000"},
	"f64": {"∞": "0d7FF0000000000000", "-∞": "0dFFF0000000000000", "0": "0x0000000000000000", "NaN": "0x7ff8000000000000"},
}
