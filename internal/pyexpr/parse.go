package pyexpr

import (
	"slices"
	"strconv"
	"strings"
)

// node is a part of an expression.
type node interface{ eval(e *Env) any }

type (
	literal   struct{ value any }
	name      string
	attribute struct {
		of   node
		name string
	}
	call struct {
		function  node
		arguments []argument
	}
	argument struct {
		name  string // "" for a positional one
		value node
		star  bool // *value
	}
	subscript struct{ of, index node }
	slicing   struct{ start, stop, step node } // nil where left out
	list      []node                           // a list or a tuple
	dict      []struct{ key, value node }
	operation struct {
		operator string // as package operator of Python names it
		operands []node
	}
	lambda struct {
		parameters []string
		body       node
	}
)

type parser struct{ rest []string }

func parse(text string) node {
	p := parser{tokens(text)}
	n := p.expression()
	if len(p.rest) > 0 {
		fail("%q is left after the expression", strings.Join(p.rest, " "))
	}
	return n
}

func (p *parser) next() string {
	if len(p.rest) == 0 {
		fail("the expression ends too early")
	}
	token := p.rest[0]
	p.rest = p.rest[1:]
	return token
}

// take reports whether the next token is one of those, and takes it.
func (p *parser) take(wanted ...string) (string, bool) {
	if len(p.rest) == 0 || !slices.Contains(wanted, p.rest[0]) {
		return "", false
	}
	return p.next(), true
}

func (p *parser) expect(token string) {
	if got := p.next(); got != token {
		fail("%q stands where %q belongs", got, token)
	}
}

func (p *parser) expression() node {
	if _, ok := p.take("lambda"); !ok {
		return p.binary(0)
	}
	var l lambda
	for {
		token := p.next()
		if token == ":" {
			l.body = p.expression()
			return l
		}
		if token != "," {
			l.parameters = append(l.parameters, token)
		}
	}
}

// levels are the binary operators, those that bind least first, under their names in Python's package operator.
var levels = []map[string]string{
	{"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"},
	{"+": "add", "-": "sub"},
	{"*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "@": "matmul"},
}

func (p *parser) binary(level int) node {
	if level == len(levels) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for len(p.rest) > 0 {
		operator, ok := levels[level][p.rest[0]]
		if !ok {
			break
		}
		p.next()
		x = operation{operator, []node{x, p.binary(level + 1)}}
	}
	return x
}

func (p *parser) unary() node {
	if _, ok := p.take("-"); ok {
		return operation{"neg", []node{p.unary()}}
	}
	x := p.primary()
	if _, ok := p.take("**"); ok {
		return operation{"pow", []node{x, p.unary()}}
	}
	return x
}

// primary is an atom with what follows it: .name, (arguments), [index].
func (p *parser) primary() node {
	x := p.atom()
	for {
		switch token, _ := p.take(".", "(", "["); token {
		case ".":
			x = attribute{x, p.next()}
		case "(":
			x = call{x, p.arguments()}
		case "[":
			x = subscript{x, p.index()}
		default:
			return x
		}
	}
}

func (p *parser) atom() node {
	switch token := p.next(); {
	case token == "(":
		return p.parentheses()
	case token == "[":
		return list(p.items("]"))
	case token == "{":
		return p.dict()
	case token == "...":
		return literal{Ellipsis{}}
	case token[0] == '\'' || token[0] == '"':
		return literal{token[1 : len(token)-1]}
	case isDigit(rune(token[0])) || token[0] == '.':
		return literal{number(token)}
	case isLetter(rune(token[0])):
		return word(token)
	default:
		fail("%q stands where a value belongs", token)
		return nil
	}
}

func word(token string) node {
	switch token {
	case "None":
		return literal{nil}
	case "True", "False":
		return literal{token == "True"}
	}
	return name(token)
}

func number(token string) any {
	if n, err := strconv.Atoi(token); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(token, 64)
	if err != nil {
		fail("%q is no number", token)
	}
	return f
}

// parentheses are a tuple where a comma stands in them.
func (p *parser) parentheses() node {
	if _, ok := p.take(")"); ok {
		return list{}
	}
	x := p.expression()
	if _, ok := p.take(","); ok {
		return list(append([]node{x}, p.items(")")...))
	}
	p.expect(")")
	return x
}

// items are values with commas between them, up to a bracket.
func (p *parser) items(bracket string) (nodes []node) {
	for {
		if _, ok := p.take(bracket); ok {
			return nodes
		}
		nodes = append(nodes, p.expression())
		if _, ok := p.take(","); !ok {
			p.expect(bracket)
			return nodes
		}
	}
}

func (p *parser) dict() node {
	var d dict
	for {
		if _, ok := p.take("}"); ok {
			return d
		}
		key := p.expression()
		p.expect(":")
		d = append(d, struct{ key, value node }{key, p.expression()})
		p.take(",")
	}
}

func (p *parser) arguments() (arguments []argument) {
	for {
		if _, ok := p.take(")"); ok {
			return arguments
		}
		var a argument
		_, a.star = p.take("*")
		if len(p.rest) > 1 && p.rest[1] == "=" {
			a.name = p.next()
			p.next()
		}
		a.value = p.expression()
		arguments = append(arguments, a)
		p.take(",")
	}
}

// index is what stands in square brackets after a value: a tuple where a comma stands in it.
func (p *parser) index() node {
	items := list{p.sliced()}
	comma := false
	for {
		if _, ok := p.take("]"); ok {
			break
		}
		p.expect(",")
		comma = true
		if len(p.rest) > 0 && p.rest[0] != "]" {
			items = append(items, p.sliced())
		}
	}
	if comma {
		return items
	}
	return items[0]
}

func (p *parser) sliced() node {
	var parts [3]node
	colons := 0
	for {
		switch {
		case len(p.rest) == 0 || p.rest[0] == "," || p.rest[0] == "]":
			if colons == 0 {
				return parts[0]
			}
			return slicing{parts[0], parts[1], parts[2]}
		case p.rest[0] == ":" && colons < 2:
			p.next()
			colons++
		default:
			parts[colons] = p.expression()
		}
	}
}
