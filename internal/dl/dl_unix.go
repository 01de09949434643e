//go:build (linux || darwin) && (amd64 || arm64) && !nocuda

package dl

import (
	"runtime"

	"github.com/ebitengine/purego"
)

const supported = true

// searchesSystem is whether a bare name is looked for in the system's folders
// alone. On macOS dlopen also looks in the working directory.
const searchesSystem = runtime.GOOS != "darwin"

func open(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
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
