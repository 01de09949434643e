// Package cublas multiplies matrices by cublasLt, a library of NVIDIA's CUDA toolkit, where one of CUDA 11 to 13 is installed. cresset
// needs it nowhere: it is the peer of its own kernels, and a choice of users. Constants are those of the toolkit's cublasLt.h.
package cublas

import (
	"fmt"
	"reflect"

	"cresset/internal/dl"
)

// Status is what functions of the library return.
type Status int32

// Success is the status of a call that did what it was asked for.
const Success Status = 0

var statuses = map[Status]string{
	1: "CUBLAS_STATUS_NOT_INITIALIZED", 3: "CUBLAS_STATUS_ALLOC_FAILED", 7: "CUBLAS_STATUS_INVALID_VALUE", 8: "CUBLAS_STATUS_ARCH_MISMATCH",
	11: "CUBLAS_STATUS_MAPPING_ERROR", 13: "CUBLAS_STATUS_EXECUTION_FAILED", 14: "CUBLAS_STATUS_INTERNAL_ERROR", 15: "CUBLAS_STATUS_NOT_SUPPORTED",
	16: "CUBLAS_STATUS_LICENSE_ERROR",
}

// Error returns the library's name of the status.
func (s Status) Error() string {
	if name, ok := statuses[s]; ok {
		return name
	}
	return fmt.Sprintf("cublas status %d", int32(s))
}

// err returns nil for Success, else an error that says which call failed.
func (s Status) err(call string) error {
	if s == Success {
		return nil
	}
	return fmt.Errorf("%s: %w", call, s)
}

// API is the library: functions of integers and addresses.
type API struct {
	Library string // where it was found

	Create              func(args ...uintptr) Status `cublas:"cublasLtCreate"`
	MatmulDescCreate    func(args ...uintptr) Status `cublas:"cublasLtMatmulDescCreate"`
	MatmulDescSet       func(args ...uintptr) Status `cublas:"cublasLtMatmulDescSetAttribute"`
	MatmulDescDestroy   func(args ...uintptr) Status `cublas:"cublasLtMatmulDescDestroy"`
	LayoutCreate        func(args ...uintptr) Status `cublas:"cublasLtMatrixLayoutCreate"`
	LayoutSet           func(args ...uintptr) Status `cublas:"cublasLtMatrixLayoutSetAttribute"`
	LayoutDestroy       func(args ...uintptr) Status `cublas:"cublasLtMatrixLayoutDestroy"`
	PreferenceCreate    func(args ...uintptr) Status `cublas:"cublasLtMatmulPreferenceCreate"`
	PreferenceSet       func(args ...uintptr) Status `cublas:"cublasLtMatmulPreferenceSetAttribute"`
	PreferenceDestroy   func(args ...uintptr) Status `cublas:"cublasLtMatmulPreferenceDestroy"`
	MatmulAlgoHeuristic func(args ...uintptr) Status `cublas:"cublasLtMatmulAlgoGetHeuristic"`
	Matmul              func(args ...uintptr) Status `cublas:"cublasLtMatmul"`
}

// Candidates returns where the library can be, the newest first.
func Candidates() []string {
	var paths []string
	for _, name := range []string{"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"} {
		paths = append(paths, name, "/usr/local/cuda/lib64/"+name)
	}
	return paths
}

// Load opens the machine's library.
func Load() (*API, error) { return LoadFrom(Candidates()...) }

// LoadFrom is Load from the first of the given paths that can be opened.
func LoadFrom(paths ...string) (*API, error) {
	l, err := dl.Open(paths...)
	if err != nil {
		return nil, fmt.Errorf("found no cublasLt of CUDA 11 to 13:\n%w", err)
	}
	api := &API{Library: l.Path}
	err = dl.Table{Struct: api, Key: "cublas"}.Each(func(symbols []string, _ bool, field reflect.Value) error {
		fn, ok := l.Symbol(symbols[0])
		if !ok {
			return fmt.Errorf("%s has no %s", l.Path, symbols[0])
		}
		field.Set(reflect.ValueOf(func(args ...uintptr) Status { return Status(dl.Call(fn, args...)) }))
		return nil
	})
	if err != nil {
		l.Close()
		return nil, err
	}
	return api, nil
}
