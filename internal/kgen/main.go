// Kgen writes the project's generated code from internal/kgen/recipe: the elementary functions of internal/kern and of the GPU's
// kernels, the vector loops of internal/kern/vec and of the interpreter of PTX, and what the program has of elementwise ops. With -check it writes nothing and
// fails where a file is not what it would write.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cresset/internal/kgen/asm"
	"cresset/internal/kgen/lanes"
	"cresset/internal/kgen/recipe"
	"cresset/internal/kgen/tile"
)

func main() {
	check := flag.Bool("check", false, "compare instead of write")
	root := flag.String("root", "", "the module's folder (default: where go.mod is, from here upwards)")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "kgen:", err)
		os.Exit(1)
	}
}

// run writes every generated file below root that is not up to date, or with check reports the first.
func run(root string, check bool) error {
	if root == "" {
		var err error
		if root, err = moduleRoot(); err != nil {
			return err
		}
	}
	files, err := generate()
	if err != nil {
		return err
	}
	for name, want := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		got, err := os.ReadFile(path)
		if err == nil && bytes.Equal(got, want) {
			continue
		}
		if check {
			return fmt.Errorf("%s is not what go generate writes", name)
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns every generated file by its path in the module.
func generate() (map[string][]byte, error) {
	ops, reductions, updates := recipe.Ops(), recipe.Reductions(), recipe.Updates()
	if err := recipe.CheckOps(ops); err != nil {
		return nil, err
	}
	if err := recipe.CheckReductions(reductions); err != nil {
		return nil, err
	}
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	const kernels = "internal/backend/cuda/kernels"
	functions := slices.Concat(recipe.All(recipe.F32), recipe.Parts(recipe.F32), recipe.All(recipe.F64), recipe.Parts(recipe.F64))
	files := map[string][]byte{
		"internal/op/ops_gen.go":                   recipe.OpSource(recipe.Others(), updates, reductions, ops),
		"internal/backend/cpu/reduction_gen.go":    recipe.CPUReductions(reductions),
		"internal/backend/cpu/update_gen.go":       recipe.CPUUpdates(updates),
		"internal/backend/cuda/elementwise_gen.go": recipe.CUDATable(recipe.Families()),
		"internal/backend/cuda/reduction_gen.go":   recipe.CUDAReductionTable(reductions),
		"internal/kern/update_gen.go":              recipe.GoUpdates(updates),
		"internal/selftest/elementwise_gen.go":     recipe.SelfTests(ops),
		"internal/emit/formulas.txt":               recipe.Formulas(recipe.Families()),
		"internal/kern/update_gen_test.go":         recipe.UpdateTests(updates),
		kernels + "/update.cu":                     recipe.CUDAUpdates(updates),
		kernels + "/elementary.cuh":                recipe.CUDA(functions),
		kernels + "/reductions.cuh":                recipe.CUDAReductions(reductions),
		kernels + "/activated.cuh":                 recipe.CUDAActivations("ReLU", "GELU", "GELUTanh", "SiLU"),
	}
	for name, write := range map[string]func() ([]byte, error){
		"internal/kern/elementwise_gen.go":        func() ([]byte, error) { return recipe.GoLoops(slices.Concat(ops, recipe.Functions())) },
		"internal/kern/elementwise_gen_test.go":   func() ([]byte, error) { return recipe.KernTests(ops) },
		"internal/kern/reduction_gen.go":          func() ([]byte, error) { return recipe.GoReductions(reductions) },
		"internal/backend/cpu/elementwise_gen.go": func() ([]byte, error) { return recipe.CPUTable(ops) },
		kernels + "/params.cuh": func() ([]byte, error) {
			return paramsHeader(filepath.Join(root, kernels), "params.go", "params_layer.go")
		},
		kernels + "/params_quantized.cuh": func() ([]byte, error) {
			return paramsHeader(filepath.Join(root, kernels), "params_quantized.go")
		},
	} {
		if files[name], err = write(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for folder, more := range map[string][]map[string][]byte{
		kernels:             {recipe.CUDAKernels(recipe.Families())},
		"internal/ptx":      {lanes.Files()},
		"internal/kern/vec": {asm.Files(recipe.Loops()), asm.RowFiles(recipe.Rows()), tile.Files()},
	} {
		for _, part := range more {
			for name, text := range part {
				files[folder+"/"+name] = text
			}
		}
	}
	return files, formatGo(files)
}

// formatGo formats the Go files as gofmt does.
func formatGo(files map[string][]byte) (err error) {
	for name, text := range files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		if files[name], err = format.Source(text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// moduleRoot is the nearest folder with a go.mod, from the current one upwards.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod here or above")
		}
		dir = parent
	}
}
