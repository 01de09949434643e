//go:build (amd64 || arm64) && !nocuda

package dl

import (
	"path/filepath"
	"syscall"

	"golang.org/x/sys/windows"
)

const (
	supported      = true
	searchesSystem = true
)

// open searches a bare name in System32 alone, where the driver installs its library, and an absolute path's dependencies
// there and beside it. Symbols are always looked for in one library.
func open(path string, _ bool) (uintptr, error) {
	flags := uintptr(windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	if filepath.IsAbs(path) {
		flags |= windows.LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR
	}
	handle, err := windows.LoadLibraryEx(path, 0, flags)
	return uintptr(handle), err
}

func located(name string) string { return name }

func symbol(handle uintptr, name string) uintptr {
	fn, err := windows.GetProcAddress(windows.Handle(handle), name)
	if err != nil {
		return 0
	}
	return fn
}

func closeHandle(handle uintptr) error { return windows.FreeLibrary(windows.Handle(handle)) }

func (f *frame) call() { f.result, _, _ = syscall.SyscallN(f.fn, f.args[:f.n]...) }
