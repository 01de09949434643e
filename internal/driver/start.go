package driver

import "fmt"

// MinVersion is the oldest driver that the project's kernels run on, as DriverGetVersion counts: CUDA 11.0, which came with
// driver 450.
const MinVersion = 11000

// VersionError is a driver older than MinVersion.
type VersionError struct {
	Library     string // where the driver was found
	Found, Need int32
}

// Error returns both versions.
func (e *VersionError) Error() string {
	return fmt.Sprintf("the NVIDIA driver is too old: it supports CUDA %s, and CUDA %s is needed", version(e.Found), version(e.Need))
}

func version(v int32) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

// InitError is a driver that does not start; errors.Is finds its Result.
type InitError struct {
	Symbol string // the function that failed
	Result Result
	name   string // of the result, where only the driver knows it
}

// Error returns what failed.
func (e *InitError) Error() string {
	if e.name != "" {
		return "the CUDA driver does not start: " + e.Symbol + ": " + e.name
	}
	return "the CUDA driver does not start: " + e.Symbol + ": " + e.Result.Error()
}

// Unwrap returns the Result.
func (e *InitError) Unwrap() error { return e.Result }

// Start makes a driver ready: *VersionError if it is too old, *SymbolError if the table lacks a function, *InitError
// if cuInit fails, as it does without a visible GPU (ErrNoDevice). The driver reads CUDA_VISIBLE_DEVICES here, and never again.
func (a *API) Start() error {
	if err := checkVersion(a.Library, a.DriverGetVersion); err != nil {
		return err
	}
	if missing := a.Missing(); len(missing) > 0 {
		return &SymbolError{Library: a.Library, Symbol: missing[0]}
	}
	if r := a.Init(0); r != Success {
		e := &InitError{Symbol: "cuInit", Result: r}
		if name, text := a.Explanation(r); !r.Known() {
			e.name = name + ": " + text
		}
		return e
	}
	return nil
}

func checkVersion(library string, get func() (int32, Result)) error {
	found, r := get()
	if r != Success {
		return &InitError{Symbol: "cuDriverGetVersion", Result: r}
	}
	if found < MinVersion {
		return &VersionError{library, found, MinVersion}
	}
	return nil
}
