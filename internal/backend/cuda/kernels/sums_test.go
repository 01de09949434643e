package kernels

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPTXIsOfTheseSources: the PTX was compiled from the sources beside it. ptx.sums has a sum of each source, of what it includes and of the
// script that compiles it, and is written by that script alone.
func TestPTXIsOfTheseSources(t *testing.T) {
	sources, err := filepath.Glob("*.cu")
	if err != nil || len(sources) == 0 {
		t.Fatal(sources, err)
	}
	var want strings.Builder
	for _, source := range sources {
		fmt.Fprintf(&want, "%s %x\n", source, sumOf(t, source))
	}
	if got := read(t, "ptx.sums"); got != want.String() {
		t.Error("sources have changed since their PTX was compiled: run make ptx")
	}
}

// TestSourcesAreShort holds sources in CUDA C++ to the length that internal/floors allows files in Go.
func TestSourcesAreShort(t *testing.T) {
	for _, pattern := range []string{"*.cu", "*.cuh"} {
		sources, err := filepath.Glob(pattern)
		if err != nil || len(sources) == 0 {
			t.Fatal(pattern, sources, err)
		}
		for _, source := range sources {
			if text := read(t, source); strings.Count(text, "\n") > 400 && !strings.HasPrefix(text, "// Code generated") {
				t.Errorf("%s has more than 400 lines", source)
			}
		}
	}
}

var include = regexp.MustCompile(`(?m)^#include "(.*)"$`)

func sumOf(t *testing.T, source string) []byte {
	texts := map[string]string{}
	for names := []string{source}; len(names) > 0; names = names[1:] {
		if _, known := texts[names[0]]; known {
			continue
		}
		texts[names[0]] = read(t, names[0])
		for _, m := range include.FindAllStringSubmatch(texts[names[0]], -1) {
			names = append(names, m[1])
		}
	}
	h := sha256.New()
	h.Write([]byte(read(t, "build")))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		h.Write([]byte(texts[name]))
	}
	return h.Sum(nil)
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
