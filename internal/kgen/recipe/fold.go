package recipe

// A Fold is a number that a loop makes of the elements of a row: those of a lane are folded one after the other, and the
// lanes meet in pairs, the first with the one in their middle. Element i belongs to lane i modulo the lanes' number, which
// is that of the elements in LaneBytes, times the loop's Lanes.
//
// Sums of float32 are made in runs of RunLength elements of a lane, in float32. At the end of a run the lanes meet until
// they are as many as LaneBytes holds; those are added to as many totals, in float64, which meet at the end.
type Fold struct {
	Op   FoldOp
	Args []Ref // the steps whose results it takes
}

// LaneBytes is the size of as many elements as a fold has lanes: of 16 float32 or of 8 float64. It is the size of the
// largest vector, so that every machine can fold in the same order.
const LaneBytes = 64

// RunLength is how many float32 of a lane are added before float64 takes over: it bounds the error.
const RunLength = 16

// A FoldOp says how an element enters its lane.
type FoldOp uint8

// The folds.
const (
	FoldSum   FoldOp = iota // lane + a
	FoldDot                 // lane + a·b, the product rounded first
	FoldMax                 // the larger of lane and a, NaN where either is
	FoldMin                 // the smaller of them
	FoldTop                 // the larger of lane and a, which counts for nothing where it is NaN
	FoldFirst               // the place of the first element whose mask is set, -1 where none is: the loop's only fold
)

// IsSum reports whether the fold results in a float64 whatever float the loop computes with.
func (o FoldOp) IsSum() bool { return o <= FoldDot }

// InRuns reports whether the fold is a sum that is made in runs, of a loop over numbers of that type.
func (o FoldOp) InRuns(elem Elem) bool { return o.IsSum() && elem == F32 }

// fold adds a number that the loop makes of the values.
func (d description) fold(op FoldOp, values ...float) {
	f := Fold{Op: op}
	for _, v := range values {
		f.Args = append(f.Args, Ref(v))
	}
	d.Folds = append(d.Folds, f)
}

// foldInt is fold for an integer.
func (d description) foldInt(op FoldOp, v integ) { d.Folds = append(d.Folds, Fold{op, []Ref{Ref(v)}}) }

// first adds the place of the first element whose mask is set.
func (d description) first(m mask) { d.Folds = append(d.Folds, Fold{FoldFirst, []Ref{Ref(m)}}) }

// Finds reports whether the loop finds a place in each row.
func (l *Loop) Finds() bool { return len(l.Folds) > 0 && l.Folds[0].Op == FoldFirst }

// folded ends the description of a loop that writes no elements.
func (d description) folded() *Loop { return d.end(d.builder) }

// describeRows starts the description of a loop over rows.
func describeRows(name, doc string, elems []Elem, src ...string) description {
	d := describe(name, doc, elems, src...)
	d.Rows, d.Lanes = true, 1
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
