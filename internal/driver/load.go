package driver

import (
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	"cresset/internal/dl"
)

// LibraryError says that no NVIDIA driver could be opened. It wraps *dl.OpenError, with every path that was tried, or
// dl.ErrWithout.
type LibraryError struct{ Err error }

// Error returns one line, and one more for each path.
func (e *LibraryError) Error() string { return "found no NVIDIA driver:\n" + e.Err.Error() }

// Unwrap returns the cause.
func (e *LibraryError) Unwrap() error { return e.Err }

// SymbolError is a driver that lacks a function that the project needs.
type SymbolError struct {
	Library string // where the driver was found
	Symbol  string
	Tried   []dl.Attempt // what could not be opened before
}

// Error returns library and symbol.
func (e *SymbolError) Error() string { return e.Library + " has no " + e.Symbol }

// Candidates returns where the driver's library can be, in the order in which Load tries them.
func Candidates() []string {
	switch runtime.GOOS {
	case "windows":
		return []string{"nvcuda.dll"}
	case "darwin":
		return []string{"/usr/local/cuda/lib/libcuda.dylib"}
	}
	return dl.LinuxPaths("libcuda.so.1")
}

// JITLibrary returns the name of the library with which the driver compiles PTX, and "" where the system finds it by itself.
func JITLibrary() string {
	if runtime.GOOS == "linux" {
		return "libnvidia-ptxjitcompiler.so.1"
	}
	return ""
}

// openJIT opens the compiler that lies beside the driver, once: the driver asks for it by its name alone, under which the loader
// does not find it in the folders that only Candidates knows. What is open already is found.
func (l *library) openJIT() (path string, err error) {
	l.jit.once.Do(func() {
		name := JITLibrary()
		if name == "" {
			return
		}
		paths := []string{name}
		if filepath.IsAbs(l.Path) {
			paths = []string{filepath.Join(filepath.Dir(l.Path), name), name}
		}
		opened, err := dl.Open(paths...)
		if err != nil {
			l.jit.err = err
			return
		}
		l.jit.path = opened.Path
	})
	return l.jit.path, l.jit.err
}

// Load opens the machine's driver: *LibraryError where there is none, *VersionError if it is too old, *SymbolError if a
// function is missing. The driver is not started; see Start.
func Load() (*API, error) { return LoadFrom(Candidates()...) }

// LoadFrom is Load from the first of the given paths that can be opened.
func LoadFrom(paths ...string) (*API, error) {
	opened, err := dl.Open(paths...)
	if err != nil {
		return nil, &LibraryError{err}
	}
	api, err := bind(&library{Library: opened})
	if err != nil {
		opened.Close()
		return nil, err
	}
	return api, nil
}

// bind fills a table. The version is asked first: a driver that is too old lacks functions as well, and its age is what
// helps.
func bind(l *library) (*API, error) {
	fn, ok := l.Symbol("cuDriverGetVersion")
	if !ok {
		return nil, l.lacks("cuDriverGetVersion")
	}
	if err := checkVersion(l.Path, func() (int32, Result) { v, r := out(fn); return int32(v), r }); err != nil {
		return nil, err
	}
	if l.setCurrent, ok = l.Symbol("cuCtxSetCurrent"); !ok {
		return nil, l.lacks("cuCtxSetCurrent")
	}
	api := &API{Library: l.Path, Release: releaseOf(l.Path), JITCompiler: l.openJIT, Within: l.callWithin}
	l.places.ask, _ = l.Symbol("cuFuncGetParamInfo")
	err := api.table().Each(func(symbols []string, optional bool, field reflect.Value) error {
		for _, name := range symbols {
			if fn, ok := l.Symbol(name); ok {
				l.adapt(field.Addr().Interface(), fn)
				return nil
			}
		}
		if optional {
			return nil
		}
		return l.lacks(symbols[0])
	})
	if l.places.ask == 0 {
		api.TensorMapEncodeTiled = nil // no kernel can be given a map
	}
	return api, err
}

// releaseOf returns the driver's version, which is in the name of the file that its library's name leads to on Linux:
// libcuda.so.580.95.05.
func releaseOf(library string) string {
	file, err := filepath.EvalSymlinks(library)
	if err != nil {
		return ""
	}
	release, ok := strings.CutPrefix(filepath.Base(file), "libcuda.so.")
	if !ok || !strings.Contains(release, ".") {
		return ""
	}
	return release
}

// Missing returns the C symbols of the functions that the table lacks and needs.
func (a *API) Missing() (symbols []string) {
	_ = a.table().Each(func(names []string, optional bool, field reflect.Value) error {
		if field.IsNil() && !optional {
			symbols = append(symbols, names[0])
		}
		return nil
	})
	return symbols
}

func (a *API) table() dl.Table { return dl.Table{Struct: a, Key: "cu"} }
