package tensor

import (
	"cmp"
	"slices"
)

// standIns are the scopes in which a function that is recorded computes. Where inputs have Autocast each of their scopes has one, so that ops
// choose their dtypes as they do op by op: by the scopes of what they compute with. Inputs without a scope stay without one there. Where
// none has Autocast one scope stands for all.
type standIns struct {
	inputs []*Tensor
	all    *Scope            // for all inputs; nil where each scope has its own
	each   map[*Scope]*Scope // by the scopes of inputs
}

// standInsFor opens scopes for inputs, in the order of theirs.
func standInsFor(xs []*Tensor) *standIns {
	if !anyAutocast(xs) {
		return &standIns{inputs: xs, all: NewScope()}
	}
	s := &standIns{inputs: xs, each: map[*Scope]*Scope{}}
	casts := map[*autocast]*autocast{nil: nil, off: off} // scopes that share an Autocast share the casts of weights
	sorted := slices.SortedStableFunc(slices.Values(xs), func(x, y *Tensor) int { return cmp.Compare(x.scopeOrder(), y.scopeOrder()) })
	for _, x := range sorted {
		if x.scope == nil || s.each[x.scope] != nil {
			continue
		}
		scope, a := NewScope(), x.scopeCasts()
		if _, known := casts[a]; !known {
			casts[a] = &autocast{low: a.low, cached: a.cached, home: scope}
		}
		scope.casts.Store(casts[a])
		s.each[x.scope] = scope
	}
	return s
}

// of returns what stands for the scope of input i.
func (s *standIns) of(i int) *Scope {
	if s.all != nil {
		return s.all
	}
	return s.each[s.inputs[i].scope]
}

// inputsIn returns the inputs for whose scopes one stands: none for none, and all for a scope that is no stand-in.
func (s *standIns) inputsIn(scope *Scope) (found []int) {
	if scope == nil {
		return nil
	}
	var all []int
	for i := range s.inputs {
		if all = append(all, i); s.of(i) == scope {
			found = append(found, i)
		}
	}
	if found == nil {
		return all
	}
	return found
}

// disown leaves a storage to the collector, whichever of the scopes owned it.
func (s *standIns) disown(st *storage) {
	for i := range s.inputs {
		if scope := s.of(i); scope != nil && scope.disown(st) {
			return
		}
	}
}

// Close closes the scopes.
func (s *standIns) Close() {
	if s.all != nil {
		s.all.Close()
	}
	for _, scope := range s.each {
		scope.Close()
	}
}

// anyAutocast reports whether the scope of a tensor has Autocast, or has taken it off.
func anyAutocast(xs []*Tensor) bool {
	return slices.ContainsFunc(xs, func(x *Tensor) bool { return x.scopeCasts() != nil })
}

// scopeCasts is the Autocast of x's scope; nil for none.
func (x *Tensor) scopeCasts() *autocast {
	if x.scope == nil {
		return nil
	}
	return x.scope.casts.Load()
}

// scopeOrder tells which scope was opened before which; none comes first.
func (x *Tensor) scopeOrder() uint64 {
	if x.scope == nil {
		return 0
	}
	return x.scope.order
}

// among returns the tensors at some places.
func among(xs []*Tensor, places []int) []*Tensor {
	found := make([]*Tensor, len(places))
	for i, at := range places {
		found[i] = xs[at]
	}
	return found
}
