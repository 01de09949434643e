//go:build unix && !solaris && !aix

package reserve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"

	"cresset/internal/filelock"
)

// common is one for all users and all their sessions. TMPDIR would not be: batch systems give each job its own.
const common = "/tmp/cresset-gpus"

const openToAll = fs.ModeSticky | 0o777 // everyone can make files, and remove one's own alone

func checkCommon() error {
	info, err := os.Lstat(common)
	if err == nil && (!info.IsDir() || info.Mode()&openToAll != openToAll) {
		err = fmt.Errorf("%s is not a folder that all users can write (want mode 1777)", common)
	}
	return err
}

func makeCommon() error { return makeOpen(common) }

// makeOpen makes a folder for all users, with its gate. It makes them under another name, so that nobody finds them before
// they are open to all.
func makeOpen(dir string) error {
	draft, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(draft)
	if err := os.Chmod(draft, openToAll); err != nil {
		return err
	}
	f, err := filelock.Make(filepath.Join(draft, gate), os.O_RDWR)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Rename(draft, dir))
}

// firstInherited is above the numbers that programs and scripts agree on among themselves: exec 3>&1 would end a lock.
const firstInherited = 100

// Pass lets cmd hold the GPUs too, from its start to its end and whatever becomes of this program, be it started or this
// process become it by exec.
func (r *Reservation) Pass(*exec.Cmd) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.inherited) > 0 {
		return nil
	}
	for _, f := range r.locks {
		n, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD, firstInherited)
		if err != nil {
			return fmt.Errorf("pass a reservation on: %w", err)
		}
		r.inherited = append(r.inherited, os.NewFile(uintptr(n), f.Name()))
	}
	return nil
}
