package jinja

import (
	"slices"
	"strconv"
)

// expr computes a value.
type expr func(r *run, s *scope) any

// tuple reads an expression, or several with commas, which make a list.
func (p *parser) tuple() expr {
	first := p.expression()
	if t := p.peek(); t.kind != symbol || t.text != "," {
		return first
	}
	items := []expr{first}
	for p.accept(symbol, ",") {
		items = append(items, p.expression())
	}
	return listOf(items)
}

func listOf(items []expr) expr {
	return func(r *run, s *scope) any {
		list := make([]any, len(items))
		for i, e := range items {
			list[i] = e(r, s)
		}
		return list
	}
}

// expression reads a if b else c.
func (p *parser) expression() expr {
	defer p.deeper()()
	value := p.or()
	if !p.accept(name, "if") {
		return value
	}
	cond := p.or()
	other := expr(func(*run, *scope) any { return undefined{} })
	if p.accept(name, "else") {
		other = p.expression()
	}
	return func(r *run, s *scope) any {
		if truth(cond(r, s)) {
			return value(r, s)
		}
		return other(r, s)
	}
}

func (p *parser) or() expr {
	left := p.and()
	for p.accept(name, "or") {
		a, b := left, p.and()
		left = func(r *run, s *scope) any {
			if v := a(r, s); truth(v) {
				return v
			}
			return b(r, s)
		}
	}
	return left
}

func (p *parser) and() expr {
	left := p.not()
	for p.accept(name, "and") {
		a, b := left, p.not()
		left = func(r *run, s *scope) any {
			if v := a(r, s); !truth(v) {
				return v
			}
			return b(r, s)
		}
	}
	return left
}

func (p *parser) not() expr {
	if p.accept(name, "not") {
		defer p.deeper()()
		e := p.not()
		return func(r *run, s *scope) any { return !truth(e(r, s)) }
	}
	return p.comparison()
}

func (p *parser) comparison() expr {
	left := p.binary(0)
	var all expr
	for {
		op := ""
		switch t := p.peek(); {
		case t.kind == symbol && slices.Contains([]string{"==", "!=", "<", "<=", ">", ">="}, t.text):
			op = p.take().text
		case t.kind == name && t.text == "in":
			op = p.take().text
		case t.kind == name && t.text == "not" && p.tokens[p.pos+1].text == "in":
			p.pos += 2
			op = "not in"
		default:
			if all == nil {
				return left
			}
			return all
		}
		a, b, before := left, p.binary(0), all
		left = b
		all = func(r *run, s *scope) any {
			if before != nil && !truth(before(r, s)) {
				return false
			}
			return r.compare(op, a(r, s), b(r, s))
		}
	}
}

// levels are the operators that bind more and more tightly.
var levels = [][]string{{"~"}, {"+", "-"}, {"*", "/", "//", "%"}}

func (p *parser) binary(level int) expr {
	if level == len(levels) {
		return p.unary()
	}
	left := p.binary(level + 1)
	for {
		t := p.peek()
		if t.kind != symbol || !slices.Contains(levels[level], t.text) {
			return left
		}
		op := p.take().text
		a, b := left, p.binary(level+1)
		left = func(r *run, s *scope) any { return r.arithmetic(op, a(r, s), b(r, s)) }
	}
}

func (p *parser) unary() expr {
	if p.accept(symbol, "-") {
		defer p.deeper()()
		e := p.unary()
		return func(r *run, s *scope) any { return r.arithmetic("-", 0, e(r, s)) }
	}
	if p.accept(symbol, "+") {
		defer p.deeper()()
		return p.unary()
	}
	e := p.postfix(p.primary())
	for {
		switch {
		case p.accept(symbol, "|"):
			e = p.filter(e)
		case p.accept(name, "is"):
			e = p.test(e)
		default:
			return e
		}
	}
}

func (p *parser) primary() expr {
	defer p.deeper()()
	t := p.take()
	switch {
	case t.kind == str:
		text := t.text
		for p.peek().kind == str {
			text += p.take().text
		}
		return constant(text)
	case t.kind == number:
		if n, err := strconv.Atoi(t.text); err == nil {
			return constant(n)
		}
		f, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			p.fail("the number " + t.text)
		}
		return constant(f)
	case t.kind == name:
		switch t.text {
		case "true", "True":
			return constant(true)
		case "false", "False":
			return constant(false)
		case "none", "None":
			return constant(nil)
		}
		return func(r *run, s *scope) any { return s.get(t.text) }
	case t.kind == symbol && t.text == "(":
		if p.accept(symbol, ")") {
			return listOf(nil)
		}
		e := p.tuple()
		p.expect(symbol, ")")
		return e
	case t.kind == symbol && t.text == "[":
		return listOf(p.items("]"))
	case t.kind == symbol && t.text == "{":
		return p.dict()
	}
	p.pos--
	p.fail("unexpected " + strconv.Quote(t.text))
	return nil
}

func constant(v any) expr { return func(*run, *scope) any { return v } }

func (p *parser) items(stop string) []expr {
	var items []expr
	for !p.accept(symbol, stop) {
		items = append(items, p.expression())
		if !p.accept(symbol, ",") {
			p.expect(symbol, stop)
			break
		}
	}
	return items
}

func (p *parser) dict() expr {
	var keys, values []expr
	for !p.accept(symbol, "}") {
		keys = append(keys, p.expression())
		p.expect(symbol, ":")
		values = append(values, p.expression())
		if !p.accept(symbol, ",") {
			p.expect(symbol, "}")
			break
		}
	}
	return func(r *run, s *scope) any {
		d := NewDict()
		for i := range keys {
			d.Set(str_(keys[i](r, s)), values[i](r, s))
		}
		return d
	}
}

// arguments are those of a call.
type arguments struct {
	list  []expr
	names map[string]expr
}

func (p *parser) arguments() arguments {
	a := arguments{names: map[string]expr{}}
	for !p.accept(symbol, ")") {
		if t := p.peek(); t.kind == name && p.tokens[p.pos+1].kind == symbol && p.tokens[p.pos+1].text == "=" {
			p.pos += 2
			a.names[t.text] = p.expression()
		} else {
			a.list = append(a.list, p.expression())
		}
		if !p.accept(symbol, ",") {
			p.expect(symbol, ")")
			break
		}
	}
	return a
}

func (a arguments) values(r *run, s *scope) args {
	v := args{names: map[string]any{}}
	for _, e := range a.list {
		v.list = append(v.list, e(r, s))
	}
	for n, e := range a.names {
		v.names[n] = e(r, s)
	}
	return v
}

func (p *parser) postfix(e expr) expr {
	for {
		of := e
		switch {
		case p.accept(symbol, "."):
			key := p.take()
			if key.kind != name && key.kind != number {
				p.fail("expected a name behind .")
			}
			if p.accept(symbol, "(") {
				a, line := p.arguments(), key.line
				e = func(r *run, s *scope) any { r.line = line; return r.method(of(r, s), key.text, a.values(r, s)) }
				continue
			}
			e = func(r *run, s *scope) any { return r.attribute(of(r, s), key.text) }
		case p.accept(symbol, "["):
			e = p.subscript(of)
		case p.accept(symbol, "("):
			a, line := p.arguments(), p.peek().line
			e = func(r *run, s *scope) any { r.line = line; return r.call(of(r, s), a.values(r, s)) }
		default:
			return e
		}
	}
}

func (p *parser) subscript(of expr) expr {
	var parts [3]expr
	n := 0
	for !p.accept(symbol, "]") {
		if p.accept(symbol, ":") {
			if n++; n > 2 {
				p.fail("a slice of more than three parts")
			}
			continue
		}
		parts[n] = p.expression()
	}
	if n == 0 {
		if parts[0] == nil {
			p.fail("nothing between [ and ]")
		}
		return func(r *run, s *scope) any { return r.item(of(r, s), parts[0](r, s)) }
	}
	return func(r *run, s *scope) any {
		var bounds [3]any
		for i, e := range parts {
			if e != nil {
				bounds[i] = e(r, s)
			}
		}
		return r.slice(of(r, s), bounds)
	}
}

func (p *parser) filter(e expr) expr {
	t := p.expect(name, "")
	f, ok := filters[t.text]
	if !ok {
		p.fail("unknown filter " + t.text)
	}
	var a arguments
	if p.accept(symbol, "(") {
		a = p.arguments()
	}
	return p.postfix(func(r *run, s *scope) any { r.line = t.line; return f(r, e(r, s), a.values(r, s)) })
}

func (p *parser) test(e expr) expr {
	not := p.accept(name, "not")
	t := p.expect(name, "")
	f, ok := tests[t.text]
	if !ok {
		p.fail("unknown test " + t.text)
	}
	var a arguments
	if p.accept(symbol, "(") {
		a = p.arguments()
	} else if next := p.peek(); next.kind == str || next.kind == number {
		a.list = []expr{p.primary()}
	}
	return func(r *run, s *scope) any { return f(r, e(r, s), a.values(r, s)) != not }
}
