// Kgen writes the project's generated code from internal/kgen/recipe: the elementary functions of internal/kern and of the GPU's
// kernels, the vector loops of internal/kern/vec, and what the program has of elementwise ops. With -check it writes nothing and
// fails where a file is not what it would write.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"cresset/internal/kgen/asm"
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

// run brings every generated file below root up to date, or with check reports the first that is not.
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
	if err := recipe.CheckOps(recipe.Ops()); err != nil {
		return nil, err
	}
	loops, err := recipe.GoLoops(slices.Concat(recipe.Ops(), recipe.Functions()))
	if err != nil {
		return nil, err
	}
	ops, err := recipe.OpSource(recipe.Ops())
	if err != nil {
		return nil, err
	}
	tests, err := recipe.KernTests(recipe.Ops())
	if err != nil {
		return nil, err
	}
	rows, err := recipe.CPUTable(recipe.Ops())
	if err != nil {
		return nil, err
	}
	rowsOfGPUs, err := recipe.CUDATable(recipe.Ops())
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		"internal/op/elementwise_gen.go":               ops,
		"internal/backend/cuda/elementwise_gen.go":     rowsOfGPUs,
		"internal/kern/elementwise_gen.go":             loops,
		"internal/kern/elementwise_gen_test.go":        tests,
		"internal/backend/cpu/elementwise_gen.go":      rows,
		"internal/backend/cuda/kernels/elementary.cuh": recipe.CUDA(slices.Concat(recipe.All(), recipe.Derivatives(), recipe.Float64())),
	}
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	params, err := paramsHeader(filepath.Join(root, "internal/backend/cuda/kernels"), "params.go", "params_layer.go")
	if err != nil {
		return nil, fmt.Errorf("parameters of kernels: %w", err)
	}
	files["internal/backend/cuda/kernels/params.cuh"] = params
	rowLoops, err := asm.RowFiles(recipe.Rows())
	if err != nil {
		return nil, fmt.Errorf("loops over rows: %w", err)
	}
	for name, text := range recipe.CUDAKernels(recipe.Families()) {
		files["internal/backend/cuda/kernels/"+name] = text
	}
	for name, text := range rowLoops {
		files["internal/kern/vec/"+name] = text
	}
	vector, err := asm.Files(recipe.Loops())
	if err != nil {
		return nil, fmt.Errorf("vector loops: %w", err)
	}
	tiles, err := tile.Files()
	if err != nil {
		return nil, fmt.Errorf("micro-kernels: %w", err)
	}
	for _, part := range []map[string][]byte{vector, tiles} {
		for name, text := range part {
			files["internal/kern/vec/"+name] = text
		}
	}
	return files, nil
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
