package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads a module. Its errors are *ParseError and contain the name.
func Parse(name, text string) (m *Module, err error) {
	p := &parser{lexer: lexer{name: name, text: text, line: 1}, m: &Module{
		Name: name, Kernels: map[string]*Kernel{}, globals: map[string]int{}, shared: map[string]Symbol{}, extern: map[string]Symbol{},
		lines: strings.Split(text, "\n"),
	}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *ParseError:
			m, err = nil, e
		default:
			panic(e)
		}
	}()
	p.advance()
	p.module()
	return p.m, nil
}

// parser holds the state of reading a module: one token of look-ahead.
type parser struct {
	lexer
	m   *Module
	tok token

	version, target bool // the directives that every module starts with have been read
}

// failAt ends parsing with an error.
func (p *parser) failAt(line int, format string, args ...any) {
	panic(&ParseError{p.name, line, fmt.Sprintf(format, args...)})
}

func (p *parser) fail(format string, args ...any) { p.failAt(p.tok.line, format, args...) }

func (p *parser) advance() token {
	t := p.tok
	p.tok = p.next()
	return t
}

// is reports whether the next token is the word or mark s, and passes it if so.
func (p *parser) is(s string) bool {
	if p.tok.text != s || p.tok.kind != wordToken && p.tok.kind != markToken {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(s string) {
	if !p.is(s) {
		p.fail("want %q, have %q", s, p.tok.text)
	}
}

func (p *parser) word() string {
	if p.tok.kind != wordToken {
		p.fail("want a name, have %q", p.tok.text)
	}
	return p.advance().text
}

// count reads a whole number that is at most limit.
func (p *parser) count(limit uint64) int {
	t := p.advance()
	n, err := strconv.ParseUint(t.text, 0, 64)
	if t.kind != numberToken || err != nil || n > limit {
		p.failAt(t.line, "want a number of at most %d, have %q", limit, t.text)
	}
	return int(n)
}

// module reads everything.
func (p *parser) module() {
	for p.tok.kind != endOfText {
		line := p.tok.line
		switch w := p.word(); w {
		case ".version":
			p.version = p.advance().kind == numberToken
		case ".target":
			p.readTarget()
		case ".address_size":
			if p.count(64) != 64 {
				p.failAt(line, "only 64-bit addresses are supported")
			}
		case ".visible", ".weak":
		case ".extern":
			p.expect(".shared")
			p.externShared()
		case ".entry":
			p.entry()
		case ".func":
			p.failAt(line, "functions are not supported: they must be inlined into their kernels")
		case ".global", ".const", ".shared":
			p.moduleVariable(w)
		default:
			p.failAt(line, "unknown directive %q", w)
		}
	}
	if !p.version || !p.target {
		p.failAt(1, "a module starts with .version and .target sm_N")
	}
}

// readTarget reads sm_N, where N is ten times the major number of the capability plus the minor one.
func (p *parser) readTarget() {
	digits, ok := strings.CutPrefix(p.word(), "sm_")
	p.m.exact = strings.HasSuffix(digits, "a") || strings.HasSuffix(digits, "f")
	n, err := strconv.Atoi(strings.TrimRight(digits, "af"))
	p.target = ok && err == nil
	p.m.Capability = n
}

// externShared reads shared memory whose size the launch tells.
func (p *parser) externShared() {
	s := p.variable()
	if s.Size != 0 {
		p.fail("extern shared memory %s has a size", s.Name)
	}
	p.m.extern[s.Name] = s
}

// moduleVariable reads a variable after its state space.
func (p *parser) moduleVariable(space string) {
	line := p.tok.line
	s := p.variable()
	if _, taken := p.m.shared[s.Name]; taken {
		p.failAt(line, "%s is declared twice", s.Name)
	}
	if _, taken := p.m.globals[s.Name]; taken {
		p.failAt(line, "%s is declared twice", s.Name)
	}
	if space == ".shared" {
		p.m.shared[s.Name] = s
		return
	}
	p.m.globals[s.Name] = len(p.m.Globals)
	p.m.Globals = append(p.m.Globals, s)
}

// maxBytes bounds variables, so that a wrong size cannot exhaust the host.
const maxBytes = 1 << 26

// variable reads [.align n] .type name [dims] [= init] and the semicolon.
func (p *parser) variable() Symbol {
	s := p.declarator()
	if p.is("=") {
		s.Init = p.initializer(s)
	}
	p.expect(";")
	return s.Symbol
}

// declared is a symbol with the type of its elements.
type declared struct {
	Symbol
	elem dataType
}

// declarator reads [.align n] .type [.ptr .align n] name [dims].
func (p *parser) declarator() declared {
	align := 0
	if p.is(".align") {
		align = p.align()
	}
	line := p.tok.line
	w := p.word()
	elem, ok := dataTypes[w[1:]]
	if !ok || w[0] != '.' || elem.bits < 8 {
		p.failAt(line, "unknown type %q of a variable", w)
	}
	if p.is(".ptr") {
		p.expect(".align") // of what the pointer points to
		p.align()
	}
	s := declared{Symbol{Name: p.word(), Size: elem.bits / 8, Align: max(align, elem.bits/8)}, elem}
	for p.is("[") {
		if p.is("]") { // extern shared memory
			s.Size = 0
			continue
		}
		n := p.count(maxBytes)
		p.expect("]")
		if s.Size *= n; s.Size > maxBytes {
			p.failAt(line, "%s is larger than %d bytes", s.Name, maxBytes)
		}
	}
	return s
}

func (p *parser) align() int {
	line := p.tok.line
	n := p.count(4096)
	if n == 0 || n&(n-1) != 0 {
		p.failAt(line, "an alignment of %d is no power of two", n)
	}
	return n
}

// initializer reads a number or a list of numbers.
func (p *parser) initializer(s declared) []byte {
	data := make([]byte, s.Size)
	at := 0
	put := func() {
		line := p.tok.line
		v, ok := p.constant().bits(s.elem)
		if !ok {
			p.failAt(line, "the initial value of %s is not a number of its type", s.Name)
		}
		if at+s.elem.bits/8 > len(data) {
			p.failAt(line, "%s has more initial values than elements", s.Name)
		}
		for range s.elem.bits / 8 {
			data[at] = byte(v)
			v >>= 8
			at++
		}
	}
	if !p.is("{") {
		put()
		return data
	}
	for p.tok.text != "}" {
		put()
		if !p.is(",") {
			break
		}
	}
	p.expect("}")
	return data
}
