// Package kernels holds the GPU's kernels, compiled from the .cu files beside it by make ptx: one small module of PTX for each
// family and dtype, so that a program loads only what it uses. It runs on sm_60 and everything newer, unless a "// target:" line
// of its file says what it needs; kernels for the same purpose on other GPUs have names of their own, and their launcher chooses.
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
	"embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ulikunitz/xz/lzma"
)

//go:embed ptx/*.lzma
var files embed.FS

// ModuleOf returns the name of the module that has a kernel, and whether there is one.
func ModuleOf(kernel string) (module string, ok bool) {
	in, ok := index()[kernel]
	return in.name, ok
}

// TargetOf returns what a kernel needs, and whether there is such a kernel.
func TargetOf(kernel string) (t Target, ok bool) {
	in, ok := index()[kernel]
	return in.target, ok
}

// Only returns a module's PTX without its other kernels, and false where the kernel is not found.
func Only(text []byte, kernel string) (alone []byte, ok bool) {
	const entry = ".visible .entry "
	keep := true
	for line := range bytes.Lines(text) {
		if rest, begins := bytes.CutPrefix(line, []byte(entry)); begins {
			name, _, _ := bytes.Cut(rest, []byte("("))
			keep = string(name) == kernel
			ok = ok || keep
		}
		if keep {
			alone = append(alone, line...)
		}
		if line[0] == '}' {
			keep = true
		}
	}
	return alone, ok
}

// Text returns the PTX of a module.
func Text(module string) ([]byte, error) {
	texts, err := family(module[:max(strings.LastIndexByte(module, '_'), 0)])
	if err != nil {
		return nil, fmt.Errorf("kernels: module %s: %w", module, err)
	}
	_, text, ok := bytes.Cut(texts, []byte("// "+module+"\n"))
	if !ok {
		return nil, fmt.Errorf("kernels: no module %s", module)
	}
	text, _, _ = bytes.Cut(text, []byte("// "))
	return text, nil
}

// unpacked are the texts of the family that was asked for last: a program loads many kernels of one, each by itself, one after the other.
var unpacked struct {
	sync.Mutex
	name  string
	texts []byte
}

// family returns the texts of the modules that are compiled of one file, each after a line with its name, which is the only comment.
func family(name string) ([]byte, error) {
	unpacked.Lock()
	defer unpacked.Unlock()
	if unpacked.name == name && unpacked.texts != nil {
		return unpacked.texts, nil
	}
	packed, err := files.ReadFile("ptx/" + name + ".ptx.lzma")
	if err != nil {
		return nil, err
	}
	text, err := lzma.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	texts, err := io.ReadAll(text)
	if err == nil {
		unpacked.name, unpacked.texts = name, texts
	}
	return texts, err
}

// list is ptx/index: a line for each module, its name, target, version of PTX, and kernels.
//
//go:embed ptx/index
var list string

// module is a module's name and what it needs.
type module struct {
	name   string
	target Target
}

// index tells the module of each kernel.
var index = sync.OnceValue(func() map[string]module {
	of := map[string]module{}
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		in := module{words[0], targetOf(words[1], words[2])}
		for _, kernel := range words[3:] {
			of[kernel] = in
		}
	}
	return of
})

// Names returns the names of all kernels.
func Names() []string { return slices.Sorted(maps.Keys(index())) }

// Target is what a module's code needs.
type Target struct {
	Capability int  // 10·major + minor
	Exact      bool // that capability and no other, as sm_90a
	Family     bool // that major one, from its minor one on, as sm_100f
	PTX        int  // 10·major + minor
}

// targetOf reads sm_90a and ptx80. The index is generated, and a test sees to its form.
func targetOf(sm, ptx string) (t Target) {
	digits, exact := strings.CutSuffix(strings.TrimPrefix(sm, "sm_"), "a")
	digits, family := strings.CutSuffix(digits, "f")
	t.Exact, t.Family = exact, family
	t.Capability, _ = strconv.Atoi(digits)
	t.PTX, _ = strconv.Atoi(strings.TrimPrefix(ptx, "ptx"))
	return t
}

// RunsOn reports whether a GPU of a compute capability, with a driver that reads PTX up to a version, takes the code; both are
// 10·major + minor.
func (t Target) RunsOn(capability, ptx int) bool {
	switch {
	case ptx < t.PTX || capability < t.Capability:
		return false
	case t.Exact:
		return capability == t.Capability
	case t.Family:
		return capability/10 == t.Capability/10
	}
	return true
}

// Everywhere reports whether every GPU and driver takes the code that the project runs on.
func (t Target) Everywhere() bool { return t.RunsOn(60, 70) }

// String returns the target as its file names it: "sm_90a ptx80".
func (t Target) String() string {
	suffix := ""
	if t.Exact {
		suffix = "a"
	} else if t.Family {
		suffix = "f"
	}
	return fmt.Sprintf("sm_%d%s ptx%d", t.Capability, suffix, t.PTX)
}
