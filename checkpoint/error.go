package checkpoint

import (
	"fmt"

	"cresset/tensor"
)

// FormatError says where a file breaks its format, and how.
type FormatError struct {
	File     string // the path
	Place    string // "header", `tensor "fc.weight"`, "byte 8"; empty for the file as a whole
	Expected string
	Found    string
	Err      error // the cause, where another package found it
}

// Error returns file: place: expected this, but found that.
func (e *FormatError) Error() string {
	text := e.File
	if e.Place != "" {
		text += ": " + e.Place
	}
	text += ": expected " + e.Expected
	if e.Found != "" {
		text += ", but found " + e.Found
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// DTypeError says that a tensor's elements are of a type that cresset does not have, such as float8 or complex numbers, or that a
// format cannot hold. The other tensors of the file can be read.
type DTypeError struct {
	File   string
	Tensor string // its name
	DType  string // in the format's words
}

// Error names the tensor and the type.
func (e *DTypeError) Error() string {
	return fmt.Sprintf("%s: tensor %q: elements of type %s are not supported", e.File, e.Tensor, e.DType)
}

// NameError says that a file has no tensor of a name.
type NameError struct {
	File string
	Name string
}

// Error names the tensor.
func (e *NameError) Error() string { return fmt.Sprintf("%s: there is no tensor %q", e.File, e.Name) }

// mistake is the caller's, told as those of ops are.
func mistake(op, format string, args ...any) error {
	return &tensor.Error{Op: op, Kind: tensor.ErrValue, Err: fmt.Errorf(format, args...)}
}
