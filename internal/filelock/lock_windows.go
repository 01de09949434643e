package filelock

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// Lock locks a file, which it makes where asked to; taken says that another program holds the lock, and then
// the file is for reading. It opens the file for itself alone rather than call
// LockFileEx, whose locks a child cannot inherit.
func Lock(path string, create bool) (f *os.File, taken bool, err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, false, err
	}
	how := uint32(windows.OPEN_EXISTING)
	if create {
		how = windows.OPEN_ALWAYS
	}
	handle, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, windows.FILE_SHARE_READ,
		nil, how, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		f, err = os.Open(path)
		return f, err == nil, err
	}
	if err != nil {
		return nil, false, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), false, nil
}

// Unlock ends a lock of this program. One that has inherited it keeps it.
func Unlock(f *os.File) error { return f.Close() }
