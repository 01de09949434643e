package recipe

import (
	"fmt"
	"slices"
)

// A Loop computes elements of slices from elements of others, all of them in the same way. It is what a vector loop
// of assembly is written from; package kern has the same loop in Go.
type Loop struct {
	Name    string    // as in "Add"
	Doc     string    // the formula of one element
	Elems   []Elem    // the types of number it computes with, a function for each
	Dst     []Operand // what it writes; an operand that is also in Src is updated in place
	Src     []Operand // what it reads, by the index of a Param step
	Scalars []string  // what is the same for all elements, by the index of a Scalar step
	Steps   []Step
	Results []Ref // the step whose result each of Dst gets
	Folds   []Fold
	Lanes   int  // how many vectors of LaneBytes hold the lanes of a fold
	Rows    bool // it works on rows: scalars and folds are each row's own
	Fetches bool // it works on rows, and prefetches as many elements of what its caller reads next
	Ahead   bool // it works on rows that are in no cache, and prefetches what it will read of them
	Strided bool // it works on rows whose scalars lie apart, as a column's elements do
	Cached  bool // its result is a part of one and stays in a cache, so that non-temporal stores gain nothing
}

// An Operand is a slice that a loop reads or writes.
type Operand struct {
	Name string
	Elem Elem // how an element is stored; Own for the type that the loop computes with
	Same bool // it is the same for all rows
}

// An Elem is an element's type.
type Elem uint8

// The types of elements.
const (
	Own  Elem = iota // the type that the loop computes with
	F32              // float32
	F64              // float64
	Bool             // a byte, 0 or 1
	F16              // half precision, of which a loop computes in float32
	BF16             // the upper half of a float32, likewise
	I32              // int32
	I64              // int64
	U8               // a byte, as a number
)

// Size returns the bytes of an element.
func (e Elem) Size() int {
	return [...]int{Own: 0, F32: 4, F64: 8, Bool: 1, F16: 2, BF16: 2, I32: 4, I64: 8, U8: 1}[e]
}

// String returns the type's part of a function's name.
func (e Elem) String() string {
	return [...]string{Own: "", F32: "F32", F64: "F64", Bool: "Bool", F16: "F16", BF16: "BF16", I32: "I32", I64: "I64", U8: "U8"}[e]
}

// Operands returns the slices in the order of the function's parameters: each once, what is written first.
func (l *Loop) Operands() []Operand {
	all := append([]Operand(nil), l.Dst...)
	for _, s := range l.Src {
		if l.place(s.Name, all) < 0 {
			all = append(all, s)
		}
	}
	return all
}

// Halves reports whether elements are of a half type.
func (l *Loop) Halves() bool {
	return slices.ContainsFunc(l.Operands(), func(o Operand) bool { return o.Elem == F16 || o.Elem == BF16 })
}

// InPlace reports whether the loop updates an operand.
func (l *Loop) InPlace() bool { return len(l.Operands()) < len(l.Dst)+len(l.Src) }

// DstPlace returns the index in Operands of result n.
func (l *Loop) DstPlace(n int) int { return n }

// SrcPlace returns the index in Operands of Param n's operand.
func (l *Loop) SrcPlace(n int) int { return l.place(l.Src[n].Name, l.Operands()) }

func (l *Loop) place(name string, in []Operand) int {
	for n, o := range in {
		if o.Name == name {
			return n
		}
	}
	return -1
}

// loop starts a description; write ends it.
func loop(name, doc string, elems []Elem, src ...string) (*Loop, *builder) {
	l := &Loop{Name: name, Doc: doc, Elems: elems}
	for _, s := range src {
		l.Src = append(l.Src, Operand{Name: s})
	}
	elem := F32
	if len(elems) == 1 && elems[0] == F64 {
		elem = F64
	}
	return l, newBuilder(elem, name, src...)
}

// scalar adds a parameter that is the same for all elements, by the operation that reads it.
func (l *Loop) scalar(b *builder, op Op, name string) Ref {
	l.Scalars = append(l.Scalars, name)
	return b.step(Step{Op: op, Bits: uint64(len(l.Scalars) - 1)})
}

// write adds an operand that gets the value y.
func (l *Loop) write(name string, elem Elem, y Ref) {
	l.Dst = append(l.Dst, Operand{Name: name, Elem: elem})
	l.Results = append(l.Results, y)
}

// end returns the finished description; it panics where the steps are not well formed.
func (l *Loop) end(b *builder) *Loop {
	steps, places := keep(b.recipe.Steps, l.Ends()...)
	l.Steps = steps
	l.setEnds(places)
	check := Recipe{Name: l.Name, Params: make([]string, max(len(l.Src), len(l.Scalars))), Steps: l.Steps}
	for k := range check.Steps {
		if err := check.validateStep(k); err != nil {
			panic(fmt.Errorf("loop %s: step %d: %w", l.Name, k, err))
		}
	}
	return l
}
