package pickle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
)

// Global is written as the global of its name.
type Global struct{ Module, Name string }

// Call is written as the call of a global, once: later places refer to the same object.
type Call struct {
	Func Global
	Args Tuple
}

// Persistent is written as a persistent id.
type Persistent struct{ ID any }

// Encode writes a value as a pickle of protocol 2. Values of other types than a Decoder makes, Global, *Call and Persistent are
// what replace returns for them, which is asked once for each place. Lists, dicts, sets and calls that occur more than once are
// the same object for the reader.
func Encode(v any, replace func(any) (any, error)) ([]byte, error) {
	e := &encoder{replace: replace, memo: map[any]int{}}
	e.out.Write([]byte{0x80, 2})
	if err := e.value(v); err != nil {
		return nil, fmt.Errorf("pickle: %w", err)
	}
	e.out.WriteByte('.')
	return e.out.Bytes(), nil
}

type encoder struct {
	out     bytes.Buffer
	memo    map[any]int // of pointers, strings and globals
	depth   int
	replace func(any) (any, error)
}

// maxDepth is how many containers may stand in one another. Python's own reader has no limit; its writer stops at about as many.
const maxDepth = 1000

func (e *encoder) value(v any) error {
	e.depth++
	defer func() { e.depth-- }()
	if e.depth > maxDepth {
		return &LimitError{"values in one another", maxDepth}
	}
	switch v := v.(type) {
	case nil:
		e.out.WriteByte('N')
	case bool:
		if v {
			e.out.WriteByte(0x88)
		} else {
			e.out.WriteByte(0x89)
		}
	case int:
		return e.integer(int64(v))
	case int64:
		return e.integer(v)
	case *big.Int:
		return e.long(v)
	case float64:
		e.out.Write(binary.BigEndian.AppendUint64([]byte{'G'}, math.Float64bits(v)))
	case string:
		return e.text(v)
	case complex128:
		return e.call(Global{"__builtin__", "complex"}, Tuple{real(v), imag(v)})
	case []byte:
		return e.bytes(Global{"_codecs", "encode"}, v)
	case ByteArray:
		return e.bytes(Global{"__builtin__", "bytearray"}, v)
	case Global:
		e.global(v)
	case Tuple:
		return e.sharedTuple(v)
	case Persistent:
		if err := e.value(v.ID); err != nil {
			return err
		}
		e.out.WriteByte('Q')
	case *List:
		return e.list(v)
	case *Dict:
		return e.dict(v)
	case *Set:
		return e.set(v)
	case *Call:
		return e.object(v)
	default:
		return e.other(v)
	}
	return nil
}

// other writes what replace returns for a value.
func (e *encoder) other(v any) error {
	if e.replace == nil {
		return fmt.Errorf("a value of type %T", v)
	}
	r, err := e.replace(v)
	if err != nil {
		return err
	}
	return e.value(r)
}

// recall writes a reference to what was written before under the same key.
func (e *encoder) recall(key any) bool {
	i, ok := e.memo[key]
	if ok {
		e.index('h', 'j', i)
	}
	return ok
}

// keep makes the reader remember the value on top of its stack.
func (e *encoder) keep(key any) {
	i := len(e.memo)
	e.memo[key] = i
	e.index('q', 'r', i)
}

// index writes an opcode with a memo's index, of one byte or of four.
func (e *encoder) index(short, long byte, i int) {
	if i < 256 {
		e.out.Write([]byte{short, byte(i)})
	} else {
		e.out.Write(binary.LittleEndian.AppendUint32([]byte{long}, uint32(i)))
	}
}
