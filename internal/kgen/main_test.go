package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	if err := run("", true); err != nil {
		t.Errorf("%v; run go generate ./internal/kern", err)
	}
}

func TestRunWritesAndChecks(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"internal/op", "internal/kern", "internal/kern/vec", "internal/backend/cpu", "internal/backend/cuda/kernels", "internal/selftest", "internal/emit", "internal/ptx"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(dir)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(root, true); err == nil || !strings.Contains(err.Error(), "is not what go generate writes") {
		t.Errorf("check without files: got %v, want the file's name", err)
	}
	if err := run(root, false); err != nil {
		t.Fatal(err)
	}
	if err := run(root, true); err != nil {
		t.Errorf("check after writing: %v", err)
	}
}
