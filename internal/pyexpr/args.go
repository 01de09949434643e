package pyexpr

import (
	"fmt"
	"maps"
	"slices"
)

// Args are the arguments of a call. A function asks for them in the order of its Python signature.
type Args struct {
	function   string
	positional []any
	named      map[string]any
	asked      int      // positional ones that were asked for
	seen       []string // named ones that were asked for
}

// Arg returns the next argument, given by its place or its name. Where there is none it is the default or, where there is no
// default either, an error. None is the zero value. A float64 may be written as an int, and a []int as one int.
func Arg[T any](a *Args, name string, or ...T) (v T) {
	given, ok := a.next(name)
	switch {
	case !ok && len(or) > 0:
		return or[0]
	case !ok:
		fail("%s lacks %s", a.function, name)
	case given == nil:
		return v
	}
	if !convert(given, &v) {
		fail("%s takes %T for %s, not %v (%T)", a.function, v, name, given, given)
	}
	return v
}

// Rest returns the positional arguments that are left, or the named one: repeat(2, 3) and tile(dims=(2, 3)).
func Rest[T any](a *Args, name string) (values []T) {
	if given, ok := a.named[name]; ok {
		a.seen = append(a.seen, name)
		if !convertList(given, &values) {
			fail("%s takes %T for %s, not %v", a.function, values, name, given)
		}
		return values
	}
	if left := a.positional[a.asked:]; len(left) == 1 {
		if tuple, ok := left[0].([]any); ok {
			a.positional = append(a.positional[:a.asked:a.asked], tuple...)
		}
	}
	for a.asked < len(a.positional) {
		values = append(values, Arg[T](a, name))
	}
	return values
}

// Has reports whether an argument is still to be asked for, by its place or its name.
func (a *Args) Has(name string) bool {
	_, named := a.named[name]
	return named || a.asked < len(a.positional)
}

// Peek returns the next positional argument without taking it; nil where there is none.
func (a *Args) Peek() any {
	if a.asked < len(a.positional) {
		return a.positional[a.asked]
	}
	return nil
}

func (a *Args) next(name string) (v any, ok bool) {
	if a.asked < len(a.positional) {
		a.asked++
		return a.positional[a.asked-1], true
	}
	a.seen = append(a.seen, name)
	v, ok = a.named[name]
	return v, ok
}

// extra returns the arguments that were not asked for.
func (a *Args) extra() (left []string) {
	for _, v := range a.positional[a.asked:] {
		left = append(left, fmt.Sprint(v))
	}
	for _, name := range slices.Sorted(maps.Keys(a.named)) {
		if !slices.Contains(a.seen, name) {
			left = append(left, name)
		}
	}
	return left
}

// convert sets *to, and reports whether a Python programmer may write given for it.
func convert[T any](given any, to *T) bool {
	if v, ok := given.(T); ok {
		*to = v
		return true
	}
	switch to := any(to).(type) {
	case *float64:
		n, ok := given.(int)
		*to = float64(n)
		return ok
	case *[]int:
		return convertList(given, to)
	case *[]float64:
		return convertList(given, to)
	}
	return false
}

func convertList[T any](given any, to *[]T) bool {
	values, ok := given.([]any)
	if !ok {
		values = []any{given}
	}
	*to = make([]T, len(values))
	for i, v := range values {
		if !convert(v, &(*to)[i]) {
			return false
		}
	}
	return true
}
