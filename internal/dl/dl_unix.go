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

// searchesSystem is whether a bare name is looked for in the system's folders
// alone. On macOS dlopen also looks in the working directory.
const searchesSystem = runtime.GOOS != "darwin"

func open(path string) (uintptr, error) {
	if relative, ok := relativePlace(path); ok {
		return 0, fmt.Errorf("LD_LIBRARY_PATH leads to %q: %w", relative, errRelative)
	}
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// relativePlace returns where an element of LD_LIBRARY_PATH finds a bare name
// from the working directory, as an empty element does.
func relativePlace(name string) (place string, ok bool) {
	list := os.Getenv("LD_LIBRARY_PATH")
	if list == "" || filepath.IsAbs(name) {
		return "", false
	}
	for _, dir := range strings.Split(strings.ReplaceAll(list, ";", ":"), ":") {
		place = filepath.Join(dir, name)
		if _, err := os.Stat(place); err == nil {
			return place, !filepath.IsAbs(place)
		}
	}
	return "", false
}

func symbol(handle uintptr, name string) uintptr {
	fn, err := purego.Dlsym(handle, name)
	if err != nil {
		return 0
	}
	return fn
}

func closeHandle(handle uintptr) error { return purego.Dlclose(handle) }

func call(fn uintptr, args []uintptr) uintptr {
	result, _, _ := purego.SyscallN(fn, args...)
	return result
}
