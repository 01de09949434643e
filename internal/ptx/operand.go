package ptx

import (
	"strconv"
	"strings"
)

// operand is an operand as it is written.
type operand struct {
	kind   operandKind
	name   string    // register, symbol or label; base of an address
	number uint64    // integer, or the bits of a float
	offset int64     // of a symbol or an address
	list   []operand // of a vector; coordinates of an address
	not    bool      // !%p
	second string    // the predicate in %r|%p
}

type operandKind uint8

const (
	nameOperand operandKind = iota
	intOperand
	float32Operand
	float64Operand
	addressOperand // [name+offset] or [number], and [name, {coordinates}]
	vectorOperand  // {a, b}
)

// operand reads one operand.
func (p *parser) operand() operand {
	switch {
	case p.is("["):
		o := p.address()
		p.expect("]")
		return o
	case p.is("{"):
		return operand{kind: vectorOperand, list: p.vector()}
	case p.is("!"):
		return operand{name: p.word(), not: true}
	case p.tok.kind == numberToken || p.tok.text == "-":
		return p.constant()
	}
	o := operand{name: p.word()}
	if p.tok.text == "+" || p.tok.text == "-" {
		o.offset = p.offset()
	}
	if p.is("|") {
		o.second = p.word()
	}
	return o
}

const maxVector = 128 // registers of an accumulator of wgmma

// vector reads the elements of a vector up to its closing brace.
func (p *parser) vector() (list []operand) {
	for !p.is("}") {
		if len(list) > 0 {
			p.expect(",")
		}
		if p.tok.text == "{" || p.tok.text == "[" || len(list) == maxVector {
			p.fail("unexpected %q in a list of operands", p.tok.text)
		}
		list = append(list, p.operand())
	}
	return list
}

// address reads the address between brackets.
func (p *parser) address() operand {
	o := operand{kind: addressOperand}
	if p.tok.kind == numberToken {
		o.offset = int64(p.constant().number)
	} else {
		o.name = p.word()
		if p.tok.text == "+" || p.tok.text == "-" {
			o.offset = p.offset()
		}
	}
	if p.is(",") {
		p.expect("{")
		o.list = p.vector()
	}
	return o
}

// offset reads +n, -n or +-n.
func (p *parser) offset() int64 {
	p.is("+")
	c := p.constant()
	if c.kind != intOperand {
		p.fail("an offset is an integer")
	}
	return int64(c.number)
}

// constant reads a number: decimal and 0x forms, with a sign, and the 0f and 0d forms.
func (p *parser) constant() operand {
	minus := p.is("-")
	t := p.advance()
	if t.kind != numberToken {
		p.failAt(t.line, "want a number, have %q", t.text)
	}
	o, err := parseNumber(t.text)
	if err != nil {
		p.failAt(t.line, "want a number, have %q", t.text)
	}
	if minus && o.kind != intOperand {
		p.failAt(t.line, "a sign before %s", t.text)
	}
	if minus {
		o.number = -o.number
	}
	return o
}

func parseNumber(s string) (operand, error) {
	switch lower := strings.ToLower(s); {
	case len(s) == 10 && strings.HasPrefix(lower, "0f"):
		n, err := strconv.ParseUint(s[2:], 16, 32)
		return operand{kind: float32Operand, number: n}, err
	case len(s) == 18 && strings.HasPrefix(lower, "0d"):
		n, err := strconv.ParseUint(s[2:], 16, 64)
		return operand{kind: float64Operand, number: n}, err
	}
	if strings.Contains(s, ".") {
		v, err := strconv.ParseFloat(s, 64)
		return operand{kind: float64Operand, number: u64(v)}, err
	}
	n, err := strconv.ParseUint(strings.TrimSuffix(s, "U"), 0, 64)
	return operand{kind: intOperand, number: n}, err
}

// bits returns a constant as a value of type t, or false where it is none.
func (o operand) bits(t dataType) (uint64, bool) {
	switch o.kind {
	case intOperand:
		return o.number, t.kind != float || t.bits == 16
	case float32Operand:
		return o.number, t.bits == 32
	case float64Operand:
		return o.number, t.bits == 64
	}
	return 0, false
}
