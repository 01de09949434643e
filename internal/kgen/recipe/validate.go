package recipe

import "fmt"

// Validate reports the first step that is not well formed: an unknown operation, a wrong number or type of arguments,
// an operation that its type lacks, an argument that does not come earlier, a lookup without a table, or a result that is not a float.
func (r *Recipe) Validate() error {
	if len(r.Params) < 1 || len(r.Params) > 2 {
		return fmt.Errorf("recipe %s: %d parameters, want 1 or 2", r.Name, len(r.Params))
	}
	if len(r.Steps) == 0 {
		return fmt.Errorf("recipe %s: no steps", r.Name)
	}
	for k := range r.Steps {
		if err := r.validateStep(k); err != nil {
			return fmt.Errorf("recipe %s: step %d: %w", r.Name, k, err)
		}
	}
	if last := r.Steps[len(r.Steps)-1].Op; last.Result() != FloatType {
		return fmt.Errorf("recipe %s: the result is %v, not a float", r.Name, last)
	}
	return nil
}

func (r *Recipe) validateStep(k int) error {
	s := &r.Steps[k]
	if s.Op >= numOps {
		return fmt.Errorf("operation %d does not exist", s.Op)
	}
	if r.Elem == F64 && s.Op.Single() {
		return fmt.Errorf("%v is for float32 alone", s.Op)
	}
	want := signatures[s.Op].args
	if len(s.Args) != len(want) {
		return fmt.Errorf("%v has %d arguments, want %d", s.Op, len(s.Args), len(want))
	}
	for n, a := range s.Args {
		if a < 0 || int(a) >= k {
			return fmt.Errorf("%v: argument %d is step %d, which does not come earlier", s.Op, n, a)
		}
		if got := r.Steps[a].Op.Result(); got != Type(want[n]) {
			return fmt.Errorf("%v: argument %d has type %c, want %c", s.Op, n, got, want[n])
		}
	}
	switch {
	case s.Op == Param && int(s.Bits) >= len(r.Params):
		return fmt.Errorf("parameter %d of %d", s.Bits, len(r.Params))
	case (s.Op == Lookup) != (s.Table != nil):
		return fmt.Errorf("%v: table is %v", s.Op, s.Table)
	}
	return nil
}
