package jinja

import "strconv"

// statement is what stands between tags, and tags.
type statement struct {
	line int
	kind string // text, value, if, for, set, macro, break, continue
	text string
	// names are the targets of for and set, the parameters of a macro; cond is the condition of if and for.
	names    []string
	value    expr
	cond     expr
	defaults map[string]expr
	body     []statement
	others   []statement // else
	target   string      // of set ns.target
}

type parser struct {
	tokens []lexeme
	pos    int
	depth  int
}

func (p *parser) peek() lexeme { return p.tokens[p.pos] }

func (p *parser) fail(message string) { panic(&Error{Line: p.peek().line, Message: message}) }

func (p *parser) take() lexeme {
	t := p.tokens[p.pos]
	if t.kind != end {
		p.pos++
	}
	return t
}

// accept takes the next token if it is that symbol or name.
func (p *parser) accept(kind lexKind, text string) bool {
	if t := p.peek(); t.kind == kind && t.text == text {
		p.pos++
		return true
	}
	return false
}

func (p *parser) expect(kind lexKind, text string) lexeme {
	t := p.peek()
	if t.kind != kind || text != "" && t.text != text {
		p.fail("expected " + text + " and found " + strconv.Quote(t.text))
	}
	return p.take()
}

func (p *parser) deeper() func() {
	if p.depth++; p.depth > maxDepth {
		p.fail("too deep")
	}
	return func() { p.depth-- }
}

// statements reads up to a tag that ends or divides a block, whose name it returns.
func (p *parser) statements() ([]statement, string) {
	defer p.deeper()()
	var out []statement
	for {
		t := p.take()
		switch t.kind {
		case end:
			return out, ""
		case text:
			out = append(out, statement{line: t.line, kind: "text", text: t.text})
		case openValue:
			out = append(out, statement{line: t.line, kind: "value", value: p.expression()})
			p.expect(closeValue, "")
		case openTag:
			word := p.expect(name, "").text
			switch word {
			case "endif", "elif", "else", "endfor", "endset", "endmacro", "endgeneration":
				return out, word
			}
			out = append(out, p.tag(word, t.line)...)
		}
	}
}

func (p *parser) tag(word string, line int) []statement {
	s := statement{line: line, kind: word}
	switch word {
	case "if":
		p.ifTag(&s)
	case "for":
		p.forTag(&s)
	case "set":
		p.setTag(&s)
	case "macro":
		s.text = p.expect(name, "").text
		p.parameters(&s)
		p.expect(closeTag, "")
		s.body = p.block("endmacro")
	case "break", "continue":
		p.expect(closeTag, "")
	case "generation": // marks what a model says, for training
		p.expect(closeTag, "")
		return p.block("endgeneration")
	default:
		p.fail("unknown tag " + word)
	}
	return []statement{s}
}

// block reads up to a tag of that name.
func (p *parser) block(stop string) []statement {
	body, found := p.statements()
	if found != stop {
		p.fail("expected " + stop + " and found " + strconv.Quote(found))
	}
	p.expect(closeTag, "")
	return body
}

func (p *parser) ifTag(s *statement) {
	s.kind = "if"
	s.cond = p.expression()
	p.expect(closeTag, "")
	var found string
	s.body, found = p.statements()
	switch found {
	case "elif":
		other := statement{line: p.peek().line}
		p.ifTag(&other)
		s.others = []statement{other}
		return
	case "else":
		p.expect(closeTag, "")
		s.others = p.block("endif")
		return
	case "endif":
		p.expect(closeTag, "")
		return
	}
	p.fail("an if without endif")
}

func (p *parser) forTag(s *statement) {
	s.names = append(s.names, p.expect(name, "").text)
	for p.accept(symbol, ",") {
		s.names = append(s.names, p.expect(name, "").text)
	}
	p.expect(name, "in")
	s.value = p.or()
	if p.accept(name, "if") {
		s.cond = p.expression()
	}
	p.expect(closeTag, "")
	var found string
	if s.body, found = p.statements(); found == "else" {
		p.expect(closeTag, "")
		s.others = p.block("endfor")
		return
	}
	if found != "endfor" {
		p.fail("a for without endfor")
	}
	p.expect(closeTag, "")
}

func (p *parser) setTag(s *statement) {
	s.names = append(s.names, p.expect(name, "").text)
	if p.accept(symbol, ".") {
		s.target = p.expect(name, "").text
	}
	for s.target == "" && p.accept(symbol, ",") {
		s.names = append(s.names, p.expect(name, "").text)
	}
	if p.accept(symbol, "=") {
		s.value = p.tuple()
		p.expect(closeTag, "")
		return
	}
	p.expect(closeTag, "")
	s.body = p.block("endset")
}

func (p *parser) parameters(s *statement) {
	p.expect(symbol, "(")
	s.defaults = map[string]expr{}
	for !p.accept(symbol, ")") {
		n := p.expect(name, "").text
		s.names = append(s.names, n)
		if p.accept(symbol, "=") {
			s.defaults[n] = p.expression()
		}
		if !p.accept(symbol, ",") {
			p.expect(symbol, ")")
			break
		}
	}
}
