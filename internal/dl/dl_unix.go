//go:build (linux || darwin) && (amd64 || arm64) && !nocuda

package dl

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ebitengine/purego"
)

const supported = true

// searchesSystem is whether a bare name is looked for in the system's folders alone. On macOS dlopen also looks in the
// working directory.
const searchesSystem = runtime.GOOS != "darwin"

func open(path string, global bool) (uintptr, error) {
	if relative, ok := relativePlace(path); ok {
		return 0, fmt.Errorf("LD_LIBRARY_PATH leads to %q: %w", relative, errRelative)
	}
	mode := purego.RTLD_NOW | purego.RTLD_LOCAL
	if global {
		mode = purego.RTLD_NOW | purego.RTLD_GLOBAL
	}
	return purego.Dlopen(path, mode)
}

// isBelow reports whether dir is a folder or one in it.
func isBelow(dir, folder string) bool { return dir == folder || strings.HasPrefix(dir, folder+"/") }

// relativePlace returns where an element of LD_LIBRARY_PATH leads a bare name to the working directory, as an empty element
// does. It looks at all elements, since glibc goes on to the next where a library is for another machine.
func relativePlace(name string) (place string, ok bool) {
	list := os.Getenv("LD_LIBRARY_PATH")
	if list == "" || filepath.IsAbs(name) {
		return "", false
	}
	for _, dir := range strings.Split(strings.ReplaceAll(list, ";", ":"), ":") {
		switch {
		case filepath.IsAbs(dir), isBelow(dir, "$ORIGIN"), isBelow(dir, "${ORIGIN}"): // the folder of the program
			continue
		case strings.Contains(dir, "$"): // glibc puts a folder such as lib/x86_64-linux-gnu for $LIB
			return dir, true
		}
		if place = placeBelow(dir, name, deepest); place != "" {
			return place, true
		}
	}
	return "", false
}

// variants are the folders for kinds of processors, and for threads, in which glibc looks in each folder of its search: those of
// glibc-hwcaps, and in each other the ones that libraries before 2.37 knew, which lie in one another: a thread model, two kinds of processor, a platform.
var variants = []string{"glibc-hwcaps/*", "tls", "haswell", "avx512_1", "xeon_phi", "x86_64", "aarch64", "atomics"}

const deepest = 4

// placeBelow returns where glibc finds a name from a folder, "" where it does not.
func placeBelow(dir, name string, depth int) string {
	place := filepath.Join(dir, name)
	if _, err := os.Stat(place); err == nil {
		return place
	}
	if depth == 0 {
		return ""
	}
	for _, variant := range variants {
		below, _ := filepath.Glob(filepath.Join(dir, variant))
		for _, b := range below {
			if place := placeBelow(b, name, depth-1); place != "" {
				return place
			}
		}
	}
	return ""
}

// located returns the file behind a bare name that was opened: among the files that Linux has mapped, the one that has
// this name in its folder.
func located(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	mapped, _ := os.ReadFile("/proc/self/maps") // macOS has none, and keeps the name
	for line := range strings.Lines(string(mapped)) {
		at := strings.IndexByte(line, '/')
		if at < 0 || !strings.Contains(line[at:], ".so") {
			continue
		}
		file := strings.TrimSpace(line[at:])
		if target, err := filepath.EvalSymlinks(filepath.Join(filepath.Dir(file), name)); err == nil && target == file {
			return file
		}
	}
	return name
}

func symbol(handle uintptr, name string) uintptr {
	fn, err := purego.Dlsym(handle, name)
	if err != nil {
		return 0
	}
	return fn
}

func closeHandle(handle uintptr) error { return purego.Dlclose(handle) }
