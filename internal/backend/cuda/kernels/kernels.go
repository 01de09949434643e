// Package kernels holds the GPU's kernels, compiled from the .cu files beside it by make ptx: PTX for sm_60 and everything
// newer, one small module for each family and dtype, so that a program loads only what it uses.
//
// A kernel is called row_dtype, as add_f32 and cast_f32_f16 (from float32 to float16); dtypes are f32, f64, i64, i32, u8 and
// bool, and for kernels that only move elements b8, b16, b32 and b64 by their size. It takes one parameter, one of the structs
// of params.go and params_layer.go by value: a launch passes a pointer to it. The grid that a kernel wants is told at the head of
// its .cu file; the functions that return a Grid follow that. Bools are bytes of 0 or 1; where there is no kernel of bool, that
// of u8 serves: comparisons, reductions, indexing by size.
//
// Data that are wrong, such as an index out of range, are reported in a Fault; the kernel then goes on without the access.
// Numbers do not depend on the grid, random draws apart, nor on the order of threads: there are no float atomics.
//
// The kernels of elementwise ops are generated from their table in internal/kgen/recipe; generated files say so in their first
// line. A file's "// dtypes:" line says for which dtypes it is compiled.
package kernels

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed ptx
var files embed.FS

// ModuleOf returns the name of the module that has a kernel, and whether there is one.
func ModuleOf(kernel string) (module string, ok bool) {
	module, ok = index()[kernel]
	return module, ok
}

// Text returns the PTX of a module.
func Text(module string) ([]byte, error) {
	packed, err := files.ReadFile("ptx/" + module + ".ptx.gz")
	if err != nil {
		return nil, fmt.Errorf("kernels: no module %s", module)
	}
	unpack, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("kernels: module %s: %w", module, err)
	}
	text, err := io.ReadAll(unpack)
	if err != nil {
		return nil, fmt.Errorf("kernels: module %s: %w", module, err)
	}
	return text, nil
}

// list is ptx/index: a line for each module, its name and its kernels.
//
//go:embed ptx/index
var list string

// index tells the module of each kernel.
var index = sync.OnceValue(func() map[string]string {
	of := map[string]string{}
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		for _, kernel := range words[1:] {
			of[kernel] = words[0]
		}
	}
	return of
})

// Names returns the names of all kernels.
func Names() []string { return slices.Sorted(maps.Keys(index())) }
