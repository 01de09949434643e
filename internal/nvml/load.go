package nvml

import (
	"os"
	"reflect"
	"runtime"

	"cresset/internal/dl"
)

// LibraryError says that no NVML could be opened. It wraps *dl.OpenError, with every path that was tried, or dl.ErrWithout.
type LibraryError struct{ Err error }

// Error returns one line, and one more for each path.
func (e *LibraryError) Error() string { return "found no NVML:\n" + e.Err.Error() }

// Unwrap returns the cause.
func (e *LibraryError) Unwrap() error { return e.Err }

// SymbolError is a library so old that it lacks a function that the project needs.
type SymbolError struct{ Library, Symbol string }

// Error returns library and symbol.
func (e *SymbolError) Error() string { return e.Library + " has no " + e.Symbol }

// Candidates returns where the library can be, in the order in which Load tries them.
func Candidates() []string {
	switch runtime.GOOS {
	case "windows":
		// A bare name is looked for in System32. Older drivers install elsewhere.
		programs := os.Getenv("ProgramW6432")
		if programs == "" {
			programs = `C:\Program Files`
		}
		return []string{"nvml.dll", programs + `\NVIDIA Corporation\NVSMI\nvml.dll`}
	case "darwin":
		return nil // NVIDIA never made one
	}
	return dl.LinuxPaths("libnvidia-ml.so.1")
}

// Load opens the machine's library: *LibraryError where there is none, *SymbolError if a function is missing. It is not
// started; see Start.
func Load() (*API, error) { return LoadFrom(Candidates()...) }

// LoadFrom is Load from the first of the given paths that can be opened.
func LoadFrom(paths ...string) (*API, error) {
	opened, err := dl.Open(paths...)
	if err != nil {
		return nil, &LibraryError{err}
	}
	api, err := bind(opened)
	if err != nil {
		opened.Close()
		return nil, err
	}
	return api, nil
}

func bind(l *dl.Library) (*API, error) {
	api := &API{Library: l.Path}
	return api, api.table().Each(func(names []string, optional bool, field reflect.Value) error {
		var found []symbol
		for _, name := range names {
			if fn, ok := l.Symbol(name); ok {
				found = append(found, symbol{name, fn})
			}
		}
		switch {
		case len(found) > 0:
			adapt(field.Addr().Interface(), found)
		case !optional:
			return &SymbolError{l.Path, names[0]}
		}
		return nil
	})
}

// Drop takes functions out of the table by their newest C symbols, as if the library had none.
func (a *API) Drop(symbols ...string) { a.table().Drop(symbols...) }

// Missing returns the newest C symbols of the functions that the table lacks.
func (a *API) Missing() []string { return a.table().Missing() }

func (a *API) table() dl.Table { return dl.Table{Struct: a, Key: "nvml"} }
