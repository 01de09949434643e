//go:build unix && !solaris && !aix

package filelock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Lock locks a file, which it makes where asked to; taken says that another program holds the lock, and then
// the file is for reading. The lock goes with the open file, into every program
// that inherits it, and ends with the last of them.
func Lock(path string, create bool) (f *os.File, taken bool, err error) {
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
			Unlock(f)
			return nil, false, err
		}
		if there, err := os.Lstat(path); err == nil && os.SameFile(mine, there) {
			return f, false, nil
		}
		Unlock(f) // somebody has cleaned up in between
	}
}

// open opens a file that another user may have laid there.
func open(path string, create bool) (*os.File, error) {
	const flags = os.O_RDWR | unix.O_NOFOLLOW | unix.O_NONBLOCK // no link is followed, no pipe waited for
	// Not with O_CREATE at once: among files of several users Linux refuses that for those that are there (fs.protected_regular).
	f, err := os.OpenFile(path, flags, 0)
	if create && errors.Is(err, fs.ErrNotExist) {
		if f, err = Make(path, flags); errors.Is(err, fs.ErrExist) {
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

// Make makes a file, as open to others as its folder.
func Make(path string, flags int) (*os.File, error) {
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

// Unlock ends a lock for every program that has inherited it.
func Unlock(f *os.File) error {
	return errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_UN), f.Close())
}
