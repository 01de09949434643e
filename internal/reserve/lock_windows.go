package reserve

import (
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

// Pass lets cmd hold the GPUs too, from its start to its end and whatever becomes of this program.
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
