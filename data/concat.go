package data

import (
	"fmt"
	"reflect"
	"slices"
	"sort"

	"cresset/tensor"
)

// Concat is a Dataset of the samples of others, one data set after another.
type Concat[B any] struct {
	sets []Dataset[B]
	ends []int // where the samples of each set end
}

// NewConcat returns the data set of all samples of others. It panics where there are none.
func NewConcat[B any](sets ...Dataset[B]) *Concat[B] {
	if len(sets) == 0 {
		refuse(tensor.ErrValue, "datasets should not be an empty iterable")
	}
	c := &Concat[B]{sets: slices.Clone(sets)}
	end := 0
	for _, d := range sets {
		end += d.Len()
		c.ends = append(c.ends, end)
	}
	return c
}

// Len returns the number of samples of all sets.
func (c *Concat[B]) Len() int { return c.ends[len(c.ends)-1] }

// Batch asks each data set for its samples and joins them: tensors along axis 0, slices end to end. An index that no sample has is
// an error, and so are batches that cannot be joined.
func (c *Concat[B]) Batch(indices []int) (B, error) { return c.RandomBatch(indices, nil) }

// RandomBatch passes the seeds on.
func (c *Concat[B]) RandomBatch(indices []int, seeds []int64) (batch B, err error) {
	if err := anyOutside(indices, c.Len()); err != nil {
		return batch, err
	}
	shares := c.shares(indices, seeds)
	batches := make([]reflect.Value, len(shares))
	for i, s := range shares {
		if batch, err = batchOf(c.sets[s.set], s.indices, s.seeds); err != nil {
			return batch, err
		}
		batches[i] = reflect.ValueOf(batch)
	}
	if len(shares) == 1 {
		return batch, nil
	}
	j := joint{sizes: make([]int, len(shares)), order: make([]int, len(indices))}
	next := 0
	for i, s := range shares {
		j.sizes[i] = len(s.indices)
		for _, place := range s.places {
			j.order[place] = next
			next++
		}
	}
	var joined B
	failed := tensor.Try(func() { err = j.join(reflect.ValueOf(&joined).Elem(), batches) })
	if failed != nil {
		err = failed
	}
	return joined, err
}

// share is what one set contributes to a batch.
type share struct {
	set             int
	indices, places []int // in the set, in the batch
	seeds           []int64
}

// shares divides a batch among the sets, in their order.
func (c *Concat[B]) shares(indices []int, seeds []int64) (out []share) {
	all := make([]share, len(c.sets))
	for place, i := range indices {
		set := sort.Search(len(c.ends), func(k int) bool { return c.ends[k] > i })
		s := &all[set]
		s.set, s.places = set, append(s.places, place)
		if set > 0 {
			i -= c.ends[set-1]
		}
		s.indices = append(s.indices, i)
		if seeds != nil {
			s.seeds = append(s.seeds, seeds[place])
		}
	}
	for _, s := range all {
		if s.places != nil {
			out = append(out, s)
		}
	}
	if out == nil { // a batch of no samples
		out = all[:1]
	}
	return out
}

// joint is how batches become one.
type joint struct {
	sizes []int // of the batches
	order []int // sample i of the one is this sample of the batches, one after another
}

func (j *joint) join(to reflect.Value, batches []reflect.Value) error {
	switch {
	case to.Type() == scopeType:
	case to.Type() == tensorType:
		return j.joinTensors(to, batches)
	case to.Kind() == reflect.Slice && !mayHoldTensors(to.Type().Elem()):
		return j.joinLists(to, batches)
	case to.Kind() == reflect.Struct:
		for i := range to.NumField() {
			field := to.Type().Field(i)
			if !field.IsExported() {
				continue
			}
			if err := j.join(to.Field(i), each(batches, func(b reflect.Value) reflect.Value { return b.Field(i) })); err != nil {
				return fmt.Errorf("%s: %w", field.Name, err)
			}
		}
	default:
		return fmt.Errorf("batches of two data sets cannot be joined: no rule joins a %v", to.Type())
	}
	return nil
}

func (j *joint) joinTensors(to reflect.Value, batches []reflect.Value) error {
	var tensors []*tensor.Tensor
	for _, b := range batches {
		if x := b.Interface().(*tensor.Tensor); x != nil {
			tensors = append(tensors, x)
		}
	}
	switch len(tensors) {
	case 0:
	case len(batches):
		x := tensor.Cat(tensors, 0)
		to.Set(reflect.ValueOf(x.IndexSelect(0, tensor.On(x.Device()).Of(j.order))))
	default:
		return fmt.Errorf("%d of %d data sets have it", len(tensors), len(batches))
	}
	return nil
}

func (j *joint) joinLists(to reflect.Value, batches []reflect.Value) error {
	all := reflect.MakeSlice(to.Type(), 0, len(j.order))
	for i, b := range batches {
		if b.Len() != j.sizes[i] {
			return fmt.Errorf("a batch of %d samples has a list of %d", j.sizes[i], b.Len())
		}
		all = reflect.AppendSlice(all, b)
	}
	inOrder := reflect.MakeSlice(to.Type(), len(j.order), len(j.order))
	for i, at := range j.order {
		inOrder.Index(i).Set(all.Index(at))
	}
	to.Set(inOrder)
	return nil
}
