package pickle

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"unicode/utf8"
)

func (e *encoder) integer(n int64) error {
	switch {
	case n >= 0 && n < 1<<8:
		e.out.Write([]byte{'K', byte(n)})
	case n >= 0 && n < 1<<16:
		e.out.Write(binary.LittleEndian.AppendUint16([]byte{'M'}, uint16(n)))
	case n == int64(int32(n)):
		e.out.Write(binary.LittleEndian.AppendUint32([]byte{'J'}, uint32(n)))
	default:
		return e.long(big.NewInt(n))
	}
	return nil
}

// long writes an integer in two's complement, with room for its sign.
func (e *encoder) long(n *big.Int) error {
	size := n.BitLen()/8 + 1
	if size > math.MaxUint8 {
		return &LimitError{"bytes in an integer", math.MaxUint8}
	}
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
	}
	b := n.FillBytes(make([]byte, size))
	slices.Reverse(b)
	e.out.Write([]byte{0x8a, byte(size)})
	e.out.Write(b)
	return nil
}

func (e *encoder) text(s string) error {
	if e.recall(s) {
		return nil
	}
	switch {
	case int64(len(s)) > math.MaxUint32:
		return &LimitError{"bytes in a string", math.MaxUint32}
	case !utf8.ValidString(s):
		return errUTF8
	}
	e.out.Write(binary.LittleEndian.AppendUint32([]byte{'X'}, uint32(len(s))))
	e.out.WriteString(s)
	e.keep(s)
	return nil
}

// bytes writes bytes as the string of characters that encodes them, since protocol 2 has no bytes, and the function that makes
// bytes of it.
func (e *encoder) bytes(f Global, b []byte) error {
	text := make([]rune, len(b))
	for i, c := range b {
		text[i] = rune(c)
	}
	return e.call(f, Tuple{string(text), "latin1"})
}

func (e *encoder) global(g Global) {
	if !e.recall(g) {
		e.out.WriteString("c" + g.Module + "\n" + g.Name + "\n")
		e.keep(g)
	}
}

func (e *encoder) call(f Global, args Tuple) error {
	e.global(f)
	if err := e.tuple(args); err != nil {
		return err
	}
	e.out.WriteByte('R')
	return nil
}

func (e *encoder) object(c *Call) error {
	if e.recall(c) {
		return nil
	}
	if err := e.call(c.Func, c.Args); err != nil {
		return err
	}
	e.keep(c)
	return nil
}

// sharedTuple writes a tuple once where it holds containers, as without that a tuple of the same tuple twice, and so on, would be as
// long as a tree. One of numbers is shorter than what it takes to remember it.
func (e *encoder) sharedTuple(t Tuple) error {
	if !slices.ContainsFunc(t, isContainer) {
		return e.tuple(t)
	}
	if e.recall(&t[0]) {
		return nil
	}
	if err := e.tuple(t); err != nil {
		return err
	}
	e.keep(&t[0])
	return nil
}

func isContainer(v any) bool {
	switch v.(type) {
	case Tuple, *List, *Dict, *Set:
		return true
	}
	return false
}

func (e *encoder) tuple(t Tuple) error {
	if len(t) > 3 {
		e.out.WriteByte('(')
	}
	if err := e.values(t); err != nil {
		return err
	}
	e.out.WriteByte([]byte{')', 0x85, 0x86, 0x87, 't'}[min(len(t), 4)])
	return nil
}

func (e *encoder) values(all []any) error {
	for _, v := range all {
		if err := e.value(v); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) list(l *List) error {
	if e.recall(l) {
		return nil
	}
	e.out.WriteByte(']')
	e.keep(l)
	if len(l.Items) == 0 {
		return nil
	}
	e.out.WriteByte('(')
	if err := e.values(l.Items); err != nil {
		return err
	}
	e.out.WriteByte('e')
	return nil
}

func (e *encoder) set(s *Set) error {
	if e.recall(s) {
		return nil
	}
	if err := e.call(Global{"__builtin__", "set"}, Tuple{&List{Items: slices.Collect(s.All())}}); err != nil {
		return err
	}
	e.keep(s)
	return nil
}

func (e *encoder) dict(d *Dict) error {
	if e.recall(d) {
		return nil
	}
	switch {
	case d.counter:
		return e.counter(d)
	case d.Ordered:
		if err := e.call(Global{"collections", "OrderedDict"}, nil); err != nil {
			return err
		}
	default:
		e.out.WriteByte('}')
	}
	e.keep(d)
	if d.Len() > 0 {
		e.out.WriteByte('(')
		for k, v := range d.All() {
			if err := e.values([]any{k, v}); err != nil {
				return err
			}
		}
		e.out.WriteByte('u')
	}
	if d.Attrs == nil {
		return nil
	}
	if err := e.value(d.Attrs); err != nil {
		return err
	}
	e.out.WriteByte('b')
	return nil
}

func (e *encoder) counter(d *Dict) error {
	counts := *d
	counts.counter = false
	if err := e.call(Global{"collections", "Counter"}, Tuple{&counts}); err != nil {
		return err
	}
	e.keep(d)
	return nil
}
