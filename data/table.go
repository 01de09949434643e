package data

import (
	"cresset/tensor"
)

// Table is a matrix of numbers with named columns.
type Table struct {
	Columns []string
	Values  []float32 // row by row, len(Columns) to a row
	Target  string    // the column that Targets came from, empty if none was asked for
	Targets []float32 // one per row, nil if no target was asked for
}

// Len returns the number of rows.
func (t *Table) Len() int {
	if t.Targets != nil {
		return len(t.Targets)
	}
	return len(t.Values) / len(t.Columns)
}

// Row returns the values of row i, sharing t's memory. It panics unless 0 <= i < t.Len().
func (t *Table) Row(i int) []float32 {
	if err := outside(i, t.Len()); err != nil {
		panic(err)
	}
	n := len(t.Columns)
	return t.Values[i*n : (i+1)*n : (i+1)*n]
}

// Split returns the first n rows and the others, sharing t's memory; it panics unless 0 <= n <= t.Len().
func (t *Table) Split(n int) (first, rest *Table) {
	if n < 0 || n > t.Len() {
		refuse(tensor.ErrValue, "cannot split %d rows at %d", t.Len(), n)
	}
	at := n * len(t.Columns)
	first, rest = new(*t), new(*t)
	first.Values, rest.Values = t.Values[:at:at], t.Values[at:]
	if t.Targets != nil {
		first.Targets, rest.Targets = t.Targets[:n:n], t.Targets[n:]
	}
	return first, rest
}

// Batch returns rows as float32, shaped [n, len(Columns)], and their targets, shaped [n, 1] as a Linear layer gives them.
// An index that no row has is an error.
func (t *Table) Batch(indices []int) (Batch, error) {
	if err := anyOutside(indices, t.Len()); err != nil {
		return Batch{}, err
	}
	inputs := make([]float32, 0, len(indices)*len(t.Columns))
	for _, i := range indices {
		inputs = append(inputs, t.Row(i)...)
	}
	b := Batch{Inputs: tensor.FromSlice(inputs, len(indices), len(t.Columns))}
	if t.Targets == nil {
		return b, nil
	}
	targets := make([]float32, len(indices))
	for at, i := range indices {
		targets[at] = t.Targets[i]
	}
	b.Targets = tensor.FromSlice(targets, len(indices), 1)
	return b, nil
}
