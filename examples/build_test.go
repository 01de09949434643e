package examples

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// update makes tests write what the documentation shows anew.
var update = flag.Bool("update", false, "write the outputs that pages show, and docs/api.txt")

// bin is where programs are built.
var bin string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "cresset-examples")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	bin = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// buildPrograms builds the command and all examples at once, which is faster than one by one.
var buildPrograms = sync.OnceValue(func() error {
	return goBuild(nil, "-o", bin+string(filepath.Separator), "./cmd/...", "./examples/...")
})

// program returns the path of an example, or of the command.
func program(t *testing.T, name string) string {
	t.Helper()
	if err := buildPrograms(); err != nil {
		t.Fatal(err)
	}
	return executable(name)
}

func executable(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(bin, name)
}

// goBuild runs go build in the project's root, which besides its own files has others, by their path in it.
func goBuild(others map[string]string, args ...string) error {
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for name, text := range others {
		real := filepath.Join(bin, fmt.Sprintf("%d-%d.go", len(others), len(replace)))
		if err := os.WriteFile(real, []byte(text), 0o600); err != nil {
			return err
		}
		replace[filepath.Join(root, filepath.FromSlash(name))] = real
	}
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	overlay := filepath.Join(bin, fmt.Sprintf("overlay-%d.json", len(others)))
	if err := os.WriteFile(overlay, raw, 0o600); err != nil {
		return err
	}
	// Without tables for debuggers linking, which is most of the work, takes half the time.
	c := exec.Command("go", append([]string{"build", "-overlay", overlay, "-ldflags=-s -w"}, args...)...)
	c.Dir = root
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
