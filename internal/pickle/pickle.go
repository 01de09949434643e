// Package pickle reads and writes Python's pickles as data. A pickle is a program for a machine with a stack; Decoder runs it
// without calling anything: it builds plain values, and refuses by name every global that its caller does not list.
//
// Python's values are nil, bool, int64 or *big.Int, float64, complex128, string, []byte, ByteArray, *List, Tuple, *Dict and *Set here. All
// others are what the caller's globals and persistent ids stand for. Lists, dicts and sets are pointers, since a pickle may
// hold one of them in several places, within itself too: whoever walks a value counts depth and steps.
package pickle

import "fmt"

// Func stands for a global that a pickle calls with REDUCE or NEWOBJ.
type Func func(args Tuple) (any, error)

// Error says where a pickle was refused.
type Error struct {
	Offset int64  // of the opcode, from the first byte that the Decoder read
	Op     string // the opcode's name, as "REDUCE"
	Err    error
}

func (e *Error) Error() string {
	if e.Op == "" {
		return fmt.Sprintf("pickle: at byte %d: %v", e.Offset, e.Err)
	}
	return fmt.Sprintf("pickle: at byte %d, %s: %v", e.Offset, e.Op, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// GlobalError names a global that is not allowed.
type GlobalError struct {
	Name string // with its module, as "posix.system"
}

func (e *GlobalError) Error() string {
	return fmt.Sprintf("Unsupported global: GLOBAL %s was not an allowed global by default", e.Name)
}

// LimitError says which limit a pickle exceeds.
type LimitError struct {
	What  string
	Limit int64
}

func (e *LimitError) Error() string { return fmt.Sprintf("more than %d %s", e.Limit, e.What) }

// Limits bound what a Decoder spends, all of it checked before memory is allocated. Zero means the default.
type Limits struct {
	Memory int64 // bytes of values, stack and memo together; by default 16 MiB
	Steps  int64 // opcodes, and one more for every 64 bytes that one of them hashes; by default 10 million
	Depth  int   // marks on the stack, which is how deep Python nests containers; by default 1,000
}

func (l Limits) orDefault() Limits {
	if l.Memory == 0 {
		l.Memory = 16 << 20
	}
	if l.Steps == 0 {
		l.Steps = 10e6
	}
	if l.Depth == 0 {
		l.Depth = 1000
	}
	return l
}
