// Package dl opens shared libraries while the program runs and calls their functions, without cgo. It is the only package
// that knows purego; the build tag nocuda leaves purego out, and then every Open answers ErrWithout.
package dl

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// ErrWithout is Open's answer in a program built with the tag nocuda, or for a system whose libraries cannot be opened.
var ErrWithout = errors.New("built without CUDA")

// Library is an open shared library.
type Library struct {
	Path   string    // of the file, or the candidate's name where the system does not tell
	Tried  []Attempt // candidates before it that could not be opened
	handle uintptr
}

// Attempt is a candidate that could not be opened.
type Attempt struct {
	Path string
	Err  error
}

// OpenError lists the candidates that Open tried, in order.
type OpenError struct{ Tried []Attempt }

// Error returns one line for each attempt.
func (e *OpenError) Error() string {
	lines := make([]string, len(e.Tried))
	for i, a := range e.Tried {
		lines[i] = fmt.Sprintf("open %s: %v", a.Path, a.Err)
	}
	if len(lines) == 0 {
		return "no library to open"
	}
	return strings.Join(lines, "\n")
}

var errRelative = errors.New("not an absolute path: a library is never taken from the working directory")

// Open opens the first candidate that can be opened: an absolute path, or a bare name that the system's own search finds.
// *OpenError lists every attempt.
func Open(candidates ...string) (*Library, error) { return openFirst(candidates, false) }

// OpenGlobal is Open for a library whose plugins look for its symbols among those of the program.
func OpenGlobal(candidates ...string) (*Library, error) { return openFirst(candidates, true) }

func openFirst(candidates []string, global bool) (*Library, error) {
	if !supported {
		return nil, ErrWithout
	}
	failed := &OpenError{}
	for _, path := range candidates {
		handle, err := uintptr(0), errRelative
		if allowed(path) {
			handle, err = open(path, global)
		}
		if err == nil {
			return &Library{located(path), failed.Tried, handle}, nil
		}
		failed.Tried = append(failed.Tried, Attempt{path, err})
	}
	return nil, failed
}

// allowed reports whether path cannot lead to the working directory.
func allowed(path string) bool {
	bare := path != "" && !strings.ContainsAny(path, `/\`)
	return filepath.IsAbs(path) || bare && searchesSystem
}

// Symbol returns the address of name, or false where the library has none.
func (l *Library) Symbol(name string) (fn uintptr, ok bool) {
	fn = symbol(l.handle, name)
	return fn, fn != 0
}

// Close closes the library. Its functions must not be called any more.
func (l *Library) Close() error { return closeHandle(l.handle) }
