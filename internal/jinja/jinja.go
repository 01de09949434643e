// Package jinja runs the templates by which models say how a chat is written: the part of Jinja that they use, with Python's values.
//
// It knows if, for (with a condition, else, loop, break, continue), set (blocks and namespaces too), macro, filter-less generation blocks,
// expressions with Python's operators, slices and comparisons, the methods of strings and dictionaries that templates call, and the filters
// and tests of filters.go. What it does not know is an error that names it. Includes and imports are among that, so a template reads nothing.
//
// A run ends with an error when it takes too many steps or writes too much.
package jinja

import (
	"fmt"
	"maps"
	"strings"
)

// Error is what is wrong with a template or what it raised itself.
type Error struct {
	Line    int
	Message string
	// Raised says that the template refused what it was given, by raise_exception.
	Raised bool
}

func (e *Error) Error() string {
	if e.Raised {
		return "chat template: " + e.Message
	}
	return fmt.Sprintf("chat template: line %d: %s", e.Line, e.Message)
}

// Template is a parsed template. Goroutines may share it.
type Template struct{ body []statement }

// Parse reads a template, with the blanks that transformers leaves out: a line break behind a tag, and spaces before one that begins a line.
func Parse(source string) (t *Template, err error) {
	defer catch(&err)
	p := &parser{tokens: lex(source)}
	body, end := p.statements()
	if end != "" {
		p.fail("unexpected " + end)
	}
	return &Template{body}, nil
}

// Execute runs t with variables: nil, bool, int, float64, string, []any and *Dict, of these again.
func (t *Template) Execute(vars map[string]any) (text string, err error) {
	defer catch(&err)
	r := &run{steps: maxSteps}
	top := &scope{vars: map[string]any{}}
	for name, f := range globals {
		top.vars[name] = f
	}
	maps.Copy(top.vars, vars)
	var b strings.Builder
	r.out = &b
	if c := r.exec(t.body, top); c != goOn {
		r.fail("break or continue outside of a loop")
	}
	return b.String(), nil
}

// catch turns the panic of fail into an error.
func catch(err *error) {
	switch e := recover().(type) {
	case nil:
	case *Error:
		*err = e
	default:
		panic(e)
	}
}

const (
	maxSteps  = 1_000_000
	maxOutput = 16 << 20
	maxDepth  = 200
)
