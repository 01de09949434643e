package reserve

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/windows"
)

// common is the user's own: a file that one user makes, others cannot write.
var common = filepath.Join(os.TempDir(), "cresset-gpus")

func checkCommon() error {
	info, err := os.Stat(common)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "reserve GPUs", Path: common, Err: syscall.ENOTDIR}
	}
	return err
}

func makeCommon() error { return os.Mkdir(common, 0o700) }

// lock locks a file; taken says that another program holds the lock, and then
// the file is for reading. It opens the file for itself alone rather than call
// LockFileEx, whose locks a child cannot inherit.
func lock(path string, create bool) (f *os.File, taken bool, err error) {
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

// unlock ends a lock of this program. One that has inherited it keeps it.
func unlock(f *os.File) error { return f.Close() }

// Pass lets cmd hold the GPUs too, from its start to its end and whatever becomes
// of this program.
func (r *Reservation) Pass(cmd *exec.Cmd) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	for _, f := range r.locks {
		handle := windows.Handle(f.Fd())
		if err := windows.SetHandleInformation(handle, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
			return err
		}
		cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, syscall.Handle(handle))
	}
	return nil
}
