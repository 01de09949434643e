package pickle

import "fmt"

// opcode is what the Decoder does for a byte.
type opcode struct {
	name string
	run  func(*Decoder) error // nil for an opcode that is refused
}

// opcodes are those of protocol 2, which torch.save writes, and those of 3 to 5 that build the same values.
var opcodes = [256]opcode{
	0x80: {"PROTO", (*Decoder).protocol},
	0x95: {"FRAME", func(d *Decoder) error { _, err := d.uint(8); return err }}, // the length of what follows, a hint
	'.':  {"STOP", (*Decoder).stop},

	'(':  {"MARK", (*Decoder).mark},
	'0':  {"POP", func(d *Decoder) error { _, err := d.pop(1); return err }},
	'1':  {"POP_MARK", func(d *Decoder) error { _, err := d.popMark(); return err }},
	'2':  {"DUP", (*Decoder).dup},
	'q':  {"BINPUT", func(d *Decoder) error { return d.put(1) }},
	'r':  {"LONG_BINPUT", func(d *Decoder) error { return d.put(4) }},
	0x94: {"MEMOIZE", func(d *Decoder) error { return d.putAt(uint64(d.kept)) }},
	'h':  {"BINGET", func(d *Decoder) error { return d.recall(1) }},
	'j':  {"LONG_BINGET", func(d *Decoder) error { return d.recall(4) }},

	'N':  {"NONE", func(d *Decoder) error { return d.push(nil, 0) }},
	0x88: {"NEWTRUE", func(d *Decoder) error { return d.push(true, 0) }},
	0x89: {"NEWFALSE", func(d *Decoder) error { return d.push(false, 0) }},
	'J':  {"BININT", func(d *Decoder) error { return d.integer(4) }},
	'K':  {"BININT1", func(d *Decoder) error { return d.integer(1) }},
	'M':  {"BININT2", func(d *Decoder) error { return d.integer(2) }},
	0x8a: {"LONG1", func(d *Decoder) error { return d.long(1) }},
	0x8b: {"LONG4", func(d *Decoder) error { return d.long(4) }},
	'G':  {"BINFLOAT", (*Decoder).float},

	'X':  {"BINUNICODE", func(d *Decoder) error { return d.pushText(4) }},
	0x8c: {"SHORT_BINUNICODE", func(d *Decoder) error { return d.pushText(1) }},
	0x8d: {"BINUNICODE8", func(d *Decoder) error { return d.pushText(8) }},
	'T':  {"BINSTRING", func(d *Decoder) error { return d.pushText(4) }}, // Python 2's str
	'U':  {"SHORT_BINSTRING", func(d *Decoder) error { return d.pushText(1) }},
	'B':  {"BINBYTES", func(d *Decoder) error { return d.pushBytes(4) }},
	'C':  {"SHORT_BINBYTES", func(d *Decoder) error { return d.pushBytes(1) }},
	0x8e: {"BINBYTES8", func(d *Decoder) error { return d.pushBytes(8) }},
	0x96: {"BYTEARRAY8", (*Decoder).pushByteArray},

	')':  {"EMPTY_TUPLE", func(d *Decoder) error { return d.push(Tuple{}, boxBytes) }},
	0x85: {"TUPLE1", func(d *Decoder) error { return d.tuple(d.pop(1)) }},
	0x86: {"TUPLE2", func(d *Decoder) error { return d.tuple(d.pop(2)) }},
	0x87: {"TUPLE3", func(d *Decoder) error { return d.tuple(d.pop(3)) }},
	't':  {"TUPLE", func(d *Decoder) error { return d.tuple(d.popMark()) }},
	']':  {"EMPTY_LIST", func(d *Decoder) error { return d.push(new(List), listBytes) }},
	'a':  {"APPEND", func(d *Decoder) error { return d.extend(d.pop(1)) }},
	'e':  {"APPENDS", func(d *Decoder) error { return d.extend(d.popMark()) }},
	'}':  {"EMPTY_DICT", func(d *Decoder) error { return d.push(new(Dict), dictBytes) }},
	's':  {"SETITEM", func(d *Decoder) error { return d.update(d.pop(2)) }},
	'u':  {"SETITEMS", func(d *Decoder) error { return d.update(d.popMark()) }},
	0x8f: {"EMPTY_SET", func(d *Decoder) error { return d.push(new(Set), dictBytes) }},
	0x90: {"ADDITEMS", (*Decoder).addItems},

	'c':  {"GLOBAL", (*Decoder).global},
	0x93: {"STACK_GLOBAL", (*Decoder).stackGlobal},
	'R':  {"REDUCE", (*Decoder).reduce},
	0x81: {"NEWOBJ", (*Decoder).reduce},
	'b':  {"BUILD", (*Decoder).build},
	'Q':  {"BINPERSID", (*Decoder).persistent},
}

const newestProtocol = 5

func (d *Decoder) protocol() error {
	p, err := d.byte()
	if err == nil && (p < 2 || p > newestProtocol) {
		err = fmt.Errorf("protocol %d is not one of 2 to %d", p, newestProtocol)
	}
	return err
}

func (d *Decoder) stop() error {
	if len(d.stack) != 1 || len(d.marks) != 0 {
		return fmt.Errorf("%d values and %d marks are on the stack, not one value", len(d.stack), len(d.marks))
	}
	return errStop
}

func (d *Decoder) mark() error {
	if len(d.marks) >= d.config.Limits.Depth {
		return &LimitError{"marks on the stack", int64(d.config.Limits.Depth)}
	}
	d.marks = append(d.marks, len(d.stack))
	return nil
}

func (d *Decoder) dup() error {
	v, err := d.top()
	if err != nil {
		return err
	}
	return d.push(v, 0)
}

// put keeps the top of the stack in the memo, at an index of so many bytes.
func (d *Decoder) put(size int) error {
	i, err := d.uint(size)
	if err != nil {
		return err
	}
	return d.putAt(i)
}

func (d *Decoder) putAt(i uint64) error {
	v, err := d.top()
	if err != nil {
		return err
	}
	if i > uint64(d.steps) { // each entry takes an opcode, and Python counts entries from 0 or from 1
		return fmt.Errorf("memo index %d, after %d steps", i, d.steps)
	}
	for d.kept <= int(i) {
		if d.kept%memoPiece == 0 {
			if err := d.Charge(memoPiece*slotBytes + 8*slotBytes); err != nil {
				return err
			}
			d.memo = append(d.memo, make([]any, memoPiece))
		}
		d.memo[d.kept/memoPiece][d.kept%memoPiece] = unset
		d.kept++
	}
	d.memo[i/memoPiece][i%memoPiece] = v
	return nil
}

// recall pushes what is in the memo, at an index of so many bytes.
func (d *Decoder) recall(size int) error {
	i, err := d.uint(size)
	if err != nil {
		return err
	}
	if i >= uint64(d.kept) || d.memo[i/memoPiece][i%memoPiece] == unset {
		return fmt.Errorf("memo has no entry %d", i)
	}
	return d.push(d.memo[i/memoPiece][i%memoPiece], 0)
}
