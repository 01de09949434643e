package pickle

import (
	"fmt"
	"iter"
	"math/big"
)

// ByteArray is Python's bytearray.
type ByteArray []byte

// List is Python's list.
type List struct{ Items []any }

// Tuple is Python's tuple.
type Tuple []any

// Dict is Python's dict or collections.OrderedDict: entries in the order in which their keys came first.
type Dict struct {
	Ordered bool  // an OrderedDict
	Attrs   *Dict // the object's attributes, as _metadata of a state_dict; nil where it has none

	counter bool // a collections.Counter
	entries []entry
	index   map[any]int // from the hashable form of a key to its entry; nil while there are few
}

type entry struct{ key, value, hashable any }

// few is how many entries are found without an index.
const few = 8

// Len returns how many entries there are.
func (d *Dict) Len() int { return len(d.entries) }

// All goes over the entries in order.
func (d *Dict) All() iter.Seq2[any, any] {
	return func(yield func(any, any) bool) {
		for _, e := range d.entries {
			if !yield(e.key, e.value) {
				return
			}
		}
	}
}

// Lookup returns the value of a key.
func (d *Dict) Lookup(key any) (value any, ok bool) {
	h, err := hashable(key)
	if err != nil {
		return nil, false
	}
	if i, ok := d.find(h); ok {
		return d.entries[i].value, true
	}
	return nil, false
}

// Set gives a key its value. A key that is there keeps its place.
func (d *Dict) Set(key, value any) error {
	h, err := hashable(key)
	if err == nil {
		d.set(entry{key, value, h})
	}
	return err
}

func (d *Dict) set(e entry) {
	if i, ok := d.find(e.hashable); ok {
		d.entries[i].value = e.value
		return
	}
	if size := d.nextSize(1); size > 0 {
		d.grow(size)
	}
	if d.index != nil {
		d.index[e.hashable] = len(d.entries)
	}
	d.entries = append(d.entries, e)
}

func (d *Dict) find(h any) (int, bool) {
	if d.index != nil {
		i, ok := d.index[h]
		return i, ok
	}
	for i := range d.entries {
		if d.entries[i].hashable == h {
			return i, true
		}
	}
	return 0, false
}

// nextSize returns for how many entries there has to be room before n are added, 0 where it is there.
func (d *Dict) nextSize(n int) int {
	if len(d.entries)+n <= cap(d.entries) {
		return 0
	}
	return max(2*cap(d.entries), len(d.entries)+n)
}

// grow makes room for so many entries.
func (d *Dict) grow(size int) {
	d.entries = append(make([]entry, 0, size), d.entries...)
	if size <= few {
		return
	}
	d.index = make(map[any]int, size)
	for i := range d.entries {
		d.index[d.entries[i].hashable] = i
	}
}

// Set is Python's set.
type Set struct{ dict Dict }

// Len returns how many elements there are.
func (s *Set) Len() int { return s.dict.Len() }

// All goes over the elements in the order in which they were added.
func (s *Set) All() iter.Seq[any] {
	return func(yield func(any) bool) {
		for v := range s.dict.All() {
			if !yield(v) {
				return
			}
		}
	}
}

// Add adds an element.
func (s *Set) Add(v any) error { return s.dict.Set(v, nil) }

// typeName returns Python's name of a value's type.
func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case float64:
		return "float"
	case int, int64, *big.Int:
		return "int"
	case complex128:
		return "complex"
	case string:
		return "str"
	case []byte:
		return "bytes"
	case ByteArray:
		return "bytearray"
	case *List:
		return "list"
	case Tuple:
		return "tuple"
	case *Dict:
		if v.Ordered {
			return "OrderedDict"
		}
		return "dict"
	case *Set:
		return "set"
	}
	return fmt.Sprintf("%T", v)
}
