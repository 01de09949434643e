//go:build unix && !solaris && !aix

package reserve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// common is one for all users and all their sessions. TMPDIR would not be: batch
// systems give each job its own.
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

// makeOpen makes a folder for all users, with its gate. It makes them under
// another name, so that nobody finds them before they are open to all.
func makeOpen(dir string) error {
	draft, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(draft)
	if err := os.Chmod(draft, openToAll); err != nil {
		return err
	}
	f, err := makeFile(filepath.Join(draft, gate), os.O_RDWR)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Rename(draft, dir))
}

// lock locks a file; taken says that another program holds the lock, and then
// the file is for reading. The lock goes with the open file, into every program
// that inherits it, and ends with the last of them.
func lock(path string, create bool) (f *os.File, taken bool, err error) {
	for {
		if f, err = open(path, create); err != nil {
			return nil, false, err
		}
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) {
			return f, true, nil
		}
		if err != nil {
			f.Close()
			return nil, false, fmt.Errorf("lock %s: %w", path, err)
		}
		mine, err := f.Stat()
		if err != nil {
			unlock(f)
			return nil, false, err
		}
		if there, err := os.Lstat(path); err == nil && os.SameFile(mine, there) {
			return f, false, nil
		}
		unlock(f) // somebody has cleaned up in between
	}
}

// open opens a file that another user may have laid there.
func open(path string, create bool) (*os.File, error) {
	const flags = os.O_RDWR | unix.O_NOFOLLOW | unix.O_NONBLOCK // no link is followed, no pipe waited for
	// Not with O_CREATE at once: among files of several users Linux refuses that for those that are there (fs.protected_regular).
	f, err := os.OpenFile(path, flags, 0)
	if create && errors.Is(err, fs.ErrNotExist) {
		if f, err = makeFile(path, flags); errors.Is(err, fs.ErrExist) {
			return open(path, create)
		}
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	// A second name could be that of a file of this user's, which would be overwritten.
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || !info.Mode().IsRegular() || stat.Nlink > 1 {
		f.Close()
		return nil, fmt.Errorf("%s is not a plain file of its own", path)
	}
	return f, nil
}

// makeFile makes a file, as open to others as its folder.
func makeFile(path string, flags int) (*os.File, error) {
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	mode := folder.Mode().Perm() & 0o666
	f, err := os.OpenFile(path, flags|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	return f, f.Chmod(mode) // whatever the umask is
}

// unlock ends a lock for every program that has inherited it.
func unlock(f *os.File) error {
	return errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_UN), f.Close())
}

// firstInherited is above the numbers that programs and scripts agree on among
// themselves: exec 3>&1 would end a lock.
const firstInherited = 100

// Pass lets cmd hold the GPUs too, from its start to its end and whatever becomes
// of this program, be it started or this process become it by exec.
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
