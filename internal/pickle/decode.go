package pickle

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Config says what a pickle may name, and what it may spend.
type Config struct {
	// Globals are what a pickle may name, by module and name: "torch._utils._rebuild_tensor_v2". A Func is called where the
	// pickle calls the global; any other value stands for the global itself.
	Globals map[string]any
	// Persistent returns what a persistent id stands for; where it is nil, pickles have none.
	Persistent func(id any) (any, error)
	Limits     Limits
}

// Decoder reads the pickles of a stream, one after the other.
type Decoder struct {
	in     *bufio.Reader
	offset int64 // of the next byte
	config Config

	stack []any
	marks []int   // lengths of the stack where MARK was
	memo  [][]any // in pieces of memoPiece, since it does not shrink; unset where nothing was put
	kept  int     // entries of the memo
	spare Tuple   // room for the tuples to come

	memory, steps int64 // spent
}

// memoPiece is how many entries of the memo are allocated at a time: what fits into 4 KiB beside the allocator's own word.
const memoPiece = 255

// unset is in the memo where nothing was put.
var unset = new(byte)

// NewDecoder returns a Decoder of what r holds. It reads ahead.
func NewDecoder(r io.Reader, c Config) *Decoder {
	c.Limits = c.Limits.orDefault()
	return &Decoder{in: bufio.NewReader(r), config: c}
}

// Offset returns how many bytes the pickles took that were read.
func (d *Decoder) Offset() int64 { return d.offset }

// errStop ends a pickle.
var errStop = errors.New("STOP")

// Decode reads the next pickle. An error is an *Error.
func (d *Decoder) Decode() (any, error) {
	d.stack, d.marks, d.memo, d.kept = d.stack[:0], d.marks[:0], nil, 0
	for {
		at := d.offset
		code, err := d.byte()
		if err != nil {
			return nil, &Error{Offset: at, Err: err}
		}
		o := &opcodes[code]
		switch err := d.step(o); {
		case err == errStop:
			return d.stack[0], nil
		case err != nil && o.run == nil:
			return nil, &Error{Offset: at, Err: fmt.Errorf("%w: %#02x", err, code)}
		case err != nil:
			return nil, &Error{Offset: at, Op: o.name, Err: err}
		}
	}
}

var errOpcode = errors.New("unsupported opcode")

// step runs an opcode.
func (d *Decoder) step(o *opcode) error {
	if o.run == nil {
		return errOpcode
	}
	if err := d.work(0); err != nil {
		return err
	}
	return o.run(d)
}

// work counts a step, and one more for every 64 bytes.
func (d *Decoder) work(bytes int) error {
	if d.steps += 1 + int64(bytes)/64; d.steps > d.config.Limits.Steps {
		return &LimitError{"steps", d.config.Limits.Steps}
	}
	return nil
}

// Charge counts memory that is about to be allocated, by a Func or for a persistent id too.
func (d *Decoder) Charge(bytes int64) error {
	limit := d.config.Limits.Memory
	if bytes < 0 || bytes > limit-d.memory {
		return &LimitError{"bytes of values", limit}
	}
	d.memory += bytes
	return nil
}

// Allow raises the limit of memory: a persistent id may have shown that there is reason to.
func (d *Decoder) Allow(bytes int64) { d.config.Limits.Memory += bytes }

// Bytes that values take, allocated one by one.
const (
	slotBytes  = 16 // an element of a slice of values
	boxBytes   = 24 // a value that is no pointer, in an interface
	listBytes  = 24 // an empty List
	dictBytes  = 64 // an empty Dict or Set
	entryBytes = 48 // an entry of a dict
	indexBytes = 64 // an entry of a dict's index
)

// room returns s with capacity for n more elements, all of it charged.
func (d *Decoder) room(s []any, n int) ([]any, error) {
	if n <= cap(s)-len(s) {
		return s, nil
	}
	size := max(len(s)+n, 2*cap(s))
	if err := d.Charge(int64(size) * slotBytes); err != nil {
		return s, err
	}
	return append(make([]any, 0, size), s...), nil
}

// push puts a value on the stack that takes so many bytes.
func (d *Decoder) push(v any, bytes int64) error {
	if err := d.Charge(bytes); err != nil {
		return err
	}
	s, err := d.room(d.stack, 1)
	if err == nil {
		d.stack = append(s, v)
	}
	return err
}

var errUnderflow = errors.New("the stack is empty")

// floor returns how far the stack may be taken down: to the last mark.
func (d *Decoder) floor() int {
	if len(d.marks) == 0 {
		return 0
	}
	return d.marks[len(d.marks)-1]
}

// pop takes n values from the stack, which are good until the next push.
func (d *Decoder) pop(n int) ([]any, error) {
	at := len(d.stack) - n
	if at < d.floor() {
		return nil, errUnderflow
	}
	values := d.stack[at:]
	d.stack = d.stack[:at]
	return values, nil
}

// popMark takes the values above the last mark, and the mark.
func (d *Decoder) popMark() ([]any, error) {
	if len(d.marks) == 0 {
		return nil, errors.New("no mark is on the stack")
	}
	values, err := d.pop(len(d.stack) - d.floor())
	d.marks = d.marks[:len(d.marks)-1]
	return values, err
}

// top returns the value on top of the stack, which stays.
func (d *Decoder) top() (any, error) {
	if len(d.stack) <= d.floor() {
		return nil, errUnderflow
	}
	return d.stack[len(d.stack)-1], nil
}
