package jinja

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

func (r *run) compare(op string, a, b any) bool {
	r.spend(0)
	switch op {
	case "==":
		return equal(a, b)
	case "!=":
		return !equal(a, b)
	case "in":
		return r.contains(b, a)
	case "not in":
		return !r.contains(b, a)
	}
	order := 0
	x, ok1 := number_(a)
	y, ok2 := number_(b)
	s, ok3 := a.(string)
	t, ok4 := b.(string)
	switch {
	case ok1 && ok2:
		order = cmp.Compare(x, y)
	case ok3 && ok4:
		order = strings.Compare(s, t)
	default:
		r.fail("%s and %s cannot be compared by %s", typeName(a), typeName(b), op)
	}
	return map[string]bool{"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[op]
}

func (r *run) contains(list, v any) bool {
	switch list := list.(type) {
	case string:
		s, ok := v.(string)
		if !ok {
			r.fail("%s in a string", typeName(v))
		}
		return strings.Contains(list, s)
	case *Dict:
		_, ok := list.values[str_(v)]
		return ok
	case []any:
		r.spend(len(list))
		return slices.ContainsFunc(list, func(x any) bool { return equal(x, v) })
	case undefined:
		return false
	}
	r.fail("%s has no items", typeName(list))
	return false
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "None"
	case bool:
		return "bool"
	case int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case []any:
		return "list"
	case *Dict:
		return "dict"
	case undefined:
		return "undefined"
	}
	return "function"
}

func (r *run) arithmetic(op string, a, b any) any {
	r.spend(0)
	if op == "~" {
		return r.bounded(str_(a) + str_(b))
	}
	if s, ok := a.(string); ok && op == "+" {
		if t, ok := b.(string); ok {
			return r.bounded(s + t)
		}
	}
	if s, ok := a.([]any); ok && op == "+" {
		if t, ok := b.([]any); ok {
			r.spend(len(s) + len(t))
			return slices.Concat(s, t)
		}
	}
	if s, ok := a.(string); ok && op == "*" {
		if n, ok := b.(int); ok {
			if n > 0 && len(s)*min(n, maxOutput) > maxOutput {
				r.fail("the template writes too much")
			}
			return r.bounded(strings.Repeat(s, max(n, 0)))
		}
	}
	i, ok1 := a.(int)
	j, ok2 := b.(int)
	if ok1 && ok2 && op != "/" {
		return r.integers(op, i, j)
	}
	x, ok1 := number_(a)
	y, ok2 := number_(b)
	if !ok1 || !ok2 {
		r.fail("%s %s %s", typeName(a), op, typeName(b))
	}
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	}
	if y == 0 {
		r.fail("division by zero")
	}
	switch op {
	case "/":
		return x / y
	case "//":
		return math.Floor(x / y)
	}
	return x - y*math.Floor(x/y)
}

// bounded returns s, which has to be of a length that can be written.
func (r *run) bounded(s string) string {
	if len(s) > maxOutput {
		r.fail("the template writes too much")
	}
	r.spend(len(s) / 64)
	return s
}

func (r *run) integers(op string, i, j int) any {
	switch op {
	case "+":
		return i + j
	case "-":
		return i - j
	case "*":
		return i * j
	}
	if j == 0 {
		r.fail("division by zero")
	}
	rest := i % j
	if rest != 0 && (rest < 0) != (j < 0) {
		rest += j // as Python rounds down
	}
	if op == "%" {
		return rest
	}
	return (i - rest) / j
}
