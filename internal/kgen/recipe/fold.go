package recipe

// A Fold is a number that a loop makes of the elements of a row: those of a lane are folded one after the other, and the
// lanes meet in pairs, the first with the one in their middle. Element i belongs to lane i modulo the lanes' number, which
// is that of the elements in LaneBytes.
type Fold struct {
	Op   FoldOp
	Args []Ref // the steps whose results it takes
}

// LaneBytes is the size of as many elements as a fold has lanes: of 16 float32 or of 8 float64. It is the size of the
// largest vector, so that every machine can fold in the same order.
const LaneBytes = 64

// A FoldOp says how an element enters its lane.
type FoldOp uint8

// The folds. Sums are in float64.
const (
	FoldSum FoldOp = iota // lane + a
	FoldDot               // lane + a·b, the product of two float64 rounded first
	FoldMax               // the larger of lane and a, NaN where either is
	FoldMin               // the smaller of them
)

// IsSum tells whether the fold's lanes are float64, whatever the loop computes with.
func (o FoldOp) IsSum() bool { return o <= FoldDot }

// fold adds a number that the loop makes of the values.
func (d description) fold(op FoldOp, values ...float) {
	f := Fold{Op: op}
	for _, v := range values {
		f.Args = append(f.Args, Ref(v))
	}
	d.Folds = append(d.Folds, f)
}

// folded ends the description of a loop that writes no elements.
func (d description) folded() *Loop { return d.end(d.builder) }

// describeRows starts the description of a loop over rows.
func describeRows(name, doc string, elems []Elem, src ...string) description {
	d := describe(name, doc, elems, src...)
	d.Rows = true
	return d
}

// Ends are all steps whose results the loop is there for.
func (l *Loop) Ends() []Ref {
	all := append([]Ref(nil), l.Results...)
	for _, f := range l.Folds {
		all = append(all, f.Args...)
	}
	return all
}

// setEnds gives the ends their new places.
func (l *Loop) setEnds(places []Ref) {
	n := len(l.Results)
	l.Results, places = places[:n:n], places[n:]
	folds := make([]Fold, len(l.Folds))
	for k, f := range l.Folds {
		folds[k] = Fold{f.Op, places[:len(f.Args)]}
		places = places[len(f.Args):]
	}
	l.Folds = folds
}
