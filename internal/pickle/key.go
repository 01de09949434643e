package pickle

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
)

// compound is the hashable form of a key that Go cannot compare as it is: a letter for the type of each part, its length, its bytes.
type compound string

const (
	maxKeyBytes = 64 << 10 // of a compound key: one tuple may hold another many times over
	maxKeyDepth = 256      // tuples in one another
)

// hashable returns a form of a dict's key that Go can compare, equal where Python's keys are equal: True is 1, and 1 is 1.0.
func hashable(key any) (any, error) {
	switch k := number(key).(type) {
	case nil, int64, float64, complex128, string:
		return k, nil
	}
	text, err := appendKey(nil, key, 0)
	return compound(text), err
}

// number returns equal numbers of different types as one; other values as they are.
func number(v any) any {
	switch n := v.(type) {
	case bool:
		if n {
			return int64(1)
		}
		return int64(0)
	case int:
		return int64(n)
	case complex128:
		if imag(n) == 0 {
			return number(real(n))
		}
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1<<62 {
			return int64(n)
		}
	}
	return v
}

// appendKey appends the form of a part of a compound key.
func appendKey(text []byte, key any, depth int) ([]byte, error) {
	switch {
	case len(text) > maxKeyBytes:
		return nil, errKeySize
	case depth > maxKeyDepth:
		return nil, &LimitError{"tuples in one another in a key", maxKeyDepth}
	}
	switch k := number(key).(type) {
	case nil:
		return append(text, 'n'), nil
	case int64:
		return binary.LittleEndian.AppendUint64(append(text, 'i'), uint64(k)), nil
	case float64:
		return binary.LittleEndian.AppendUint64(append(text, 'f'), math.Float64bits(k)), nil
	case complex128:
		text = binary.LittleEndian.AppendUint64(append(text, 'c'), math.Float64bits(real(k)))
		return binary.LittleEndian.AppendUint64(text, math.Float64bits(imag(k))), nil
	case string:
		return appendPart(text, 's', k)
	case []byte:
		return appendPart(text, 'b', k)
	case *big.Int:
		return appendPart(text, 'l', k.Append(nil, 62))
	case Tuple:
		text = binary.LittleEndian.AppendUint64(append(text, 't'), uint64(len(k)))
		for _, part := range k {
			var err error
			if text, err = appendKey(text, part, depth+1); err != nil {
				return nil, err
			}
		}
		return text, nil
	}
	return nil, fmt.Errorf("unhashable type: '%s'", typeName(key))
}

func appendPart[T string | []byte](text []byte, letter byte, part T) ([]byte, error) {
	if len(part) > maxKeyBytes {
		return nil, errKeySize
	}
	text = binary.LittleEndian.AppendUint64(append(text, letter), uint64(len(part)))
	return append(text, part...), nil
}

var errKeySize = &LimitError{"bytes in a compound key", maxKeyBytes}
