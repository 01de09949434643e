package dtype

import (
	"fmt"
	"strings"
)

// An Error tells that a text names no DType.
type Error struct {
	Name string // the text as it was given
}

// Error returns the message.
func (e *Error) Error() string {
	return fmt.Sprintf("unknown dtype %q: expected one of %s", e.Name, strings.Join(names(), ", "))
}

func names() []string {
	list := make([]string, 0, Count-1)
	for d := Bool; d < Count; d++ {
		list = append(list, d.Name())
	}
	return list
}

// Parse returns the DType that s names: "float32", "torch.float32", or one of PyTorch's aliases (half, float, double, short,
// int, long). The error is an *Error.
func Parse(s string) (DType, error) {
	name := strings.TrimPrefix(s, "torch.")
	for d := Bool; d < Count; d++ {
		if name == d.Name() {
			return d, nil
		}
	}
	switch name {
	case "half":
		return Float16, nil
	case "float":
		return Float32, nil
	case "double":
		return Float64, nil
	case "short":
		return Int16, nil
	case "int":
		return Int32, nil
	case "long":
		return Int64, nil
	}
	return Undefined, &Error{Name: s}
}

// MustParse is like Parse but panics with the error.
func MustParse(s string) DType {
	d, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return d
}

// MarshalText returns the short name; Undefined is an error.
func (d DType) MarshalText() ([]byte, error) {
	if d == Undefined || d >= Count {
		return nil, &Error{Name: d.Name()}
	}
	return []byte(d.Name()), nil
}

// UnmarshalText sets d to what Parse makes of text.
func (d *DType) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}
