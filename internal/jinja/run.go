package jinja

import (
	"fmt"
	"strings"
)

// scope is the variables of a block, in front of those around it.
type scope struct {
	vars   map[string]any
	parent *scope
}

func (s *scope) get(name string) any {
	for ; s != nil; s = s.parent {
		if v, ok := s.vars[name]; ok {
			return v
		}
	}
	return undefined{name}
}

func (s *scope) inner() *scope { return &scope{vars: map[string]any{}, parent: s} }

// run is one execution.
type run struct {
	out   *strings.Builder
	line  int
	steps int // left
	depth int
}

func (r *run) fail(format string, a ...any) {
	panic(&Error{Line: r.line, Message: fmt.Sprintf(format, a...)})
}

// spend takes steps, so that a template ends.
func (r *run) spend(n int) {
	if r.steps -= n + 1; r.steps < 0 {
		r.fail("the template takes too many steps")
	}
}

func (r *run) write(s string) {
	if r.out.Len()+len(s) > maxOutput {
		r.fail("the template writes too much")
	}
	r.out.WriteString(s)
}

// control says how a block ended.
type control int

const (
	goOn control = iota
	breakLoop
	continueLoop
)

func (r *run) exec(body []statement, s *scope) control {
	for i := range body {
		st := &body[i]
		r.line = st.line
		r.spend(0)
		switch st.kind {
		case "text":
			r.write(st.text)
		case "value":
			r.write(str_(st.value(r, s)))
		case "if":
			branch := st.others
			if truth(st.cond(r, s)) {
				branch = st.body
			}
			if c := r.exec(branch, s); c != goOn {
				return c
			}
		case "for":
			r.loop(st, s)
		case "set":
			r.set(st, s)
		case "macro":
			s.vars[st.text] = r.macro(st, s)
		case "break":
			return breakLoop
		case "continue":
			return continueLoop
		}
	}
	return goOn
}

func (r *run) loop(st *statement, s *scope) {
	items := r.iterate(st.value(r, s))
	if st.cond != nil {
		var kept []any
		for _, v := range items {
			r.spend(0)
			in := s.inner()
			r.bind(st.names, v, in)
			if truth(st.cond(r, in)) {
				kept = append(kept, v)
			}
		}
		items = kept
	}
	if len(items) == 0 {
		r.exec(st.others, s.inner())
		return
	}
	for i, v := range items {
		in := s.inner()
		in.vars["loop"] = loopDict(items, i)
		r.bind(st.names, v, in)
		if r.exec(st.body, in) == breakLoop {
			return
		}
	}
}

func loopDict(items []any, i int) *Dict {
	d := NewDict()
	n := len(items)
	d.Set("index", i+1)
	d.Set("index0", i)
	d.Set("revindex", n-i)
	d.Set("revindex0", n-i-1)
	d.Set("first", i == 0)
	d.Set("last", i == n-1)
	d.Set("length", n)
	if i > 0 {
		d.Set("previtem", items[i-1])
	}
	if i+1 < n {
		d.Set("nextitem", items[i+1])
	}
	return d
}

// bind gives names to a value, or to its items where there are several.
func (r *run) bind(names []string, v any, s *scope) {
	if len(names) == 1 {
		s.vars[names[0]] = v
		return
	}
	items := r.iterate(v)
	if len(items) != len(names) {
		r.fail("%d values for %d names", len(items), len(names))
	}
	for i, n := range names {
		s.vars[n] = items[i]
	}
}

func (r *run) set(st *statement, s *scope) {
	var v any
	if st.value != nil {
		v = st.value(r, s)
	} else {
		v = r.captured(st.body, s.inner())
	}
	if st.target == "" {
		r.bind(st.names, v, s)
		return
	}
	ns, ok := s.get(st.names[0]).(*Dict)
	if !ok || !ns.namespace {
		r.fail("%s is no namespace", st.names[0])
	}
	ns.Set(st.target, v)
}

// captured returns what body writes.
func (r *run) captured(body []statement, s *scope) string {
	if r.depth++; r.depth > maxDepth {
		r.fail("too deep")
	}
	outer, b := r.out, &strings.Builder{}
	r.out = b
	r.exec(body, s)
	r.out = outer
	r.depth--
	return b.String()
}

func (r *run) macro(st *statement, s *scope) function {
	return func(r *run, a args) any {
		in := s.inner()
		if len(a.list) > len(st.names) {
			r.fail("macro %s takes %d arguments, %d given", st.text, len(st.names), len(a.list))
		}
		for i, n := range st.names {
			switch {
			case i < len(a.list):
				in.vars[n] = a.list[i]
			case a.has(n):
				in.vars[n] = a.names[n]
			case st.defaults[n] != nil:
				in.vars[n] = st.defaults[n](r, s)
			default:
				in.vars[n] = undefined{n}
			}
		}
		return r.captured(st.body, in)
	}
}
