package kern

import (
	"sync"

	"cresset/dtype"
	"cresset/internal/par"
)

// wide are the types of accumulators: of floats and of integers, which wrap.
type wide interface{ float64 | int64 }

// A Fold reduces runs of elements to an accumulator each. Those of the table in internal/kgen/recipe are generated.
type Fold[S dtype.Number, T wide] struct {
	identity T                                   // the accumulator of no elements
	row      func(row []S) T                     // of at most piece elements
	columns  func(acc []T, x []S, n, stride int) // takes n rows, so far apart, into the accumulators of their columns
	join     func(acc, a T) T

	rows  func(x []S, n int, acc []T) // of rows of n elements, at most piece; nil for one after the other
	least int                         // the least number of columns that is reduced side by side rather than gathered; 0 for leastColumns
}

// lanesOfRow is how many accumulators a row has, so that an element need not wait for the one before: element i goes to accumulator
// i modulo their number, and in the end they are joined in pairs.
const lanesOfRow = 8

// Finish rounds accumulators to results.
func Finish[D dtype.Number, T wide](dst []D, accs []T, _ int) {
	for i, acc := range accs {
		dst[i] = D(acc)
	}
}

// truth is 1 for true.
func truth[T wide](is bool) (one T) {
	if is {
		one = 1
	}
	return one
}

// accumulators are those of one worker.
type accumulators[T wide] [stripColumns]T

var floatAccumulators, intAccumulators sync.Pool

// accumulatorPool recycles accumulators, which would be allocated for each call of Reduce: they are handed to any function.
func accumulatorPool[T wide]() *sync.Pool {
	if _, ok := any(T(0)).(float64); ok {
		return &floatAccumulators
	}
	return &intAccumulators
}

func takeAccumulators[T wide]() *accumulators[T] {
	if a, ok := accumulatorPool[T]().Get().(*accumulators[T]); ok {
		return a
	}
	return new(accumulators[T])
}

func (a *accumulators[T]) release() { accumulatorPool[T]().Put(a) }

// Reduce calls finish with the accumulators of the runs src[o][:][i], those of neighbours together, and with the index in
// [outer][inner] of the first of them.
func (f *Fold[S, T]) Reduce(src []S, outer, n, inner int, finish func(at int, accs []T)) error {
	least := f.least
	if least == 0 {
		least = leastColumns
	}
	switch {
	case inner == 1:
		par.For(outer, max(1, piece/max(n, 1)), func(lo, hi int) {
			accs := takeAccumulators[T]()
			defer accs.release()
			for ; lo < hi; lo += rowBlock {
				next := min(lo+rowBlock, hi)
				f.runs(src[lo*n:next*n], n, accs[:next-lo])
				finish(lo, accs[:next-lo])
			}
		})
	case inner >= least:
		forStrips(outer, n, inner, func(from, to, count int) {
			accs := takeAccumulators[T]()
			defer accs.release()
			strip := accs[:count]
			for i := range strip {
				strip[i] = f.identity
			}
			f.columns(strip, src[from:], n, inner)
			finish(to, strip)
		})
	default:
		return forGathered(src, outer, n, inner, func(at, count int, rows []S) {
			accs := takeAccumulators[T]()
			defer accs.release()
			f.runs(rows, n, accs[:count])
			finish(at, accs[:count])
		})
	}
	return nil
}

// runs writes the accumulator of each row of n elements.
func (f *Fold[S, T]) runs(x []S, n int, accs []T) {
	if f.rows != nil && n <= piece {
		f.rows(x, n, accs)
		return
	}
	for r := range accs {
		accs[r] = f.Row(x[r*n:][:n])
	}
}

// Row returns the accumulator of one row. Several threads share a long one.
func (f *Fold[S, T]) Row(row []S) T {
	if len(row) <= piece {
		return f.row(row)
	}
	return inPieces(len(row), func(lo, hi int) T { return f.row(row[lo:hi]) }, f.join)
}
