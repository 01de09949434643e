package data

import (
	"fmt"
	"strconv"

	"cresset/tensor"
)

// FormatError says where a file breaks its format, and how.
type FormatError struct {
	File   string // the path, empty for a stream without one
	Offset int64  // byte position in a binary file, after decompression
	Line   int    // line in a text file, from 1; 0 in a binary file
	Column int    // byte position in that line, from 1
	Reason string
	Err    error // the cause, where another package found it
}

// Error returns file:line:column: reason, with the offset for a binary file.
func (e *FormatError) Error() string {
	where := "offset " + strconv.FormatInt(e.Offset, 10)
	if e.Line > 0 {
		where = strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Column)
	}
	switch {
	case e.File == "" && e.Line > 0:
		where = "line " + where
	case e.File != "":
		where = e.File + ":" + where
	}
	text := where + ": " + e.Reason
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// outside says that sample i is not one of n, in PyTorch's words; it is nil where it is one.
func outside(i, n int) error {
	if i >= 0 && i < n {
		return nil
	}
	return &tensor.Error{Op: "data", Kind: tensor.ErrIndex,
		Err: fmt.Errorf("index %d is out of bounds for dimension 0 with size %d", i, n)}
}

// anyOutside is outside of the first index that is.
func anyOutside(indices []int, n int) error {
	for _, i := range indices {
		if err := outside(i, n); err != nil {
			return err
		}
	}
	return nil
}

// refuse panics with PyTorch's text for a mistake of the caller.
func refuse(kind error, format string, args ...any) {
	panic(&tensor.Error{Op: "data", Kind: kind, Err: fmt.Errorf(format, args...)})
}
