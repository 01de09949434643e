// Package pyexpr evaluates Python expressions: calls with positional and named arguments, methods, operators, subscripts and
// lambdas, as the recordings of PyTorch name them. What a function does is the caller's to say, by its Python name.
//
// Numbers are int and float64, lists and tuples []any, dicts map[string]any, None nil.
package pyexpr

import (
	"fmt"
	"maps"
	"strings"
)

// Func is what a Python name stands for.
type Func func(a *Args) any

// Env says what the names of an expression mean.
type Env struct {
	Vars  map[string]any  // x0, or a dotted name that is no call: torch.int64
	Funcs map[string]Func // torch.tan, nn.Linear; Tensor.t, whose first argument is the receiver; operator.mul, operator.getitem
	Class func(v any) string
}

type (
	// Slice is a slice in a subscript; nil stands for what was left out.
	Slice struct{ Start, Stop, Step any }

	// Ellipsis is "..." in a subscript.
	Ellipsis struct{}

	// UnknownError says that an expression calls what Env does not have.
	UnknownError struct{ Name string }
)

func (e *UnknownError) Error() string { return fmt.Sprintf("%s is not known", e.Name) }

// wrong is the panic of an expression that cannot be evaluated; what a Func panics with goes on.
type wrong struct{ err error }

func fail(format string, a ...any) { panic(wrong{fmt.Errorf(format, a...)}) }

// Eval returns an expression's value. A panic of a Func is the caller's to recover.
func (e *Env) Eval(text string) (v any, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case wrong:
			err = fmt.Errorf("%s: %w", text, p.err)
		default:
			panic(p)
		}
	}()
	return parse(text).eval(e), nil
}

func (n literal) eval(*Env) any { return n.value }

func (n name) eval(e *Env) any {
	if v, ok := e.Vars[string(n)]; ok {
		return v
	}
	panic(wrong{&UnknownError{string(n)}})
}

// dotted returns the name of what belongs to a module: torch.linalg.inv. What begins with a variable has none.
func dotted(n node, e *Env) (string, bool) {
	switch n := n.(type) {
	case name:
		_, variable := e.Vars[string(n)]
		return string(n), !variable
	case attribute:
		if root, ok := dotted(n.of, e); ok {
			return root + "." + n.name, true
		}
	}
	return "", false
}

// eval returns a module's value, or a property, whose function has the receiver alone.
func (n attribute) eval(e *Env) any {
	if full, ok := dotted(n, e); ok {
		return name(full).eval(e)
	}
	of := n.of.eval(e)
	return e.run(e.Class(of)+"."+n.name, []any{of}, nil)
}

func (n call) eval(e *Env) any {
	function, receiver := "", []any(nil)
	var value any
	if full, ok := dotted(n.function, e); ok {
		function = full
	} else if a, ok := n.function.(attribute); ok {
		receiver = []any{a.of.eval(e)}
		function = e.Class(receiver[0]) + "." + a.name
	} else if value = n.function.eval(e); value != nil {
		receiver = []any{value}
		function = e.Class(value) + ".__call__"
	}
	positional, named := receiver, map[string]any{}
	for _, a := range n.arguments {
		switch v := a.value.eval(e); {
		case a.star:
			positional = append(positional, v.([]any)...)
		case a.name != "":
			named[a.name] = v
		default:
			positional = append(positional, v)
		}
	}
	if f, ok := value.(Func); ok {
		return e.apply("lambda", f, positional[1:], named)
	}
	return e.run(function, positional, named)
}

func (e *Env) run(function string, positional []any, named map[string]any) any {
	if f, ok := e.Funcs[function]; ok {
		return e.apply(function, f, positional, named)
	}
	panic(wrong{&UnknownError{function}})
}

// apply calls a function and fails where it did not look at an argument.
func (e *Env) apply(function string, f Func, positional []any, named map[string]any) any {
	a := &Args{function: function, positional: positional, named: named}
	v := f(a)
	if extra := a.extra(); len(extra) > 0 {
		fail("%s does not look at %s", function, strings.Join(extra, ", "))
	}
	return v
}

func (n subscript) eval(e *Env) any {
	of, index := n.of.eval(e), n.index.eval(e)
	switch of := of.(type) {
	case []any:
		return of[index.(int)]
	case map[string]any:
		return of[index.(string)]
	}
	if own := e.Class(of) + ".__getitem__"; e.Funcs[own] != nil {
		return e.run(own, []any{of, index}, nil)
	}
	return e.run("operator.getitem", []any{of, index}, nil)
}

func (n slicing) eval(e *Env) any {
	value := func(n node) any {
		if n == nil {
			return nil
		}
		return n.eval(e)
	}
	return Slice{value(n.start), value(n.stop), value(n.step)}
}

func (n list) eval(e *Env) any {
	values := make([]any, len(n))
	for i, item := range n {
		values[i] = item.eval(e)
	}
	return values
}

func (n dict) eval(e *Env) any {
	values := make(map[string]any, len(n))
	for _, item := range n {
		values[item.key.eval(e).(string)] = item.value.eval(e)
	}
	return values
}

func (n operation) eval(e *Env) any {
	operands := list(n.operands).eval(e).([]any)
	if n.operator == "neg" {
		switch v := operands[0].(type) {
		case int:
			return -v
		case float64:
			return -v
		}
	}
	return e.run("operator."+n.operator, operands, nil)
}

func (n lambda) eval(e *Env) any {
	return Func(func(a *Args) any {
		inner := &Env{Vars: map[string]any{}, Funcs: e.Funcs, Class: e.Class}
		maps.Copy(inner.Vars, e.Vars)
		for _, parameter := range n.parameters {
			inner.Vars[parameter] = Arg[any](a, parameter)
		}
		return n.body.eval(inner)
	})
}
