package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cresset/internal/filelock"
)

// lockName is the file in a folder of snapshots that the process which writes there has locked.
const lockName = ".lock"

// enter makes the folder and locks it, and removes what processes that were killed had begun to write.
func (d *Snapshots) enter() error {
	if d.lock != nil {
		if d.locked() {
			return nil
		}
		filelock.Unlock(d.lock) // of a folder that was removed
		d.lock = nil
		clear(d.damaged)
	}
	if err := os.MkdirAll(d.dir, 0o777); err != nil {
		return err
	}
	f, taken, err := filelock.Lock(filepath.Join(d.dir, lockName), true)
	switch {
	case errors.Is(err, errors.ErrUnsupported): // a system without locks
		return nil
	case err != nil:
		return asked(d.dir, err)
	case taken:
		f.Close()
		return fmt.Errorf("%s: %w", d.dir, ErrLocked)
	}
	d.lock = f
	entries, err := os.ReadDir(d.dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".snapshot-") && strings.HasSuffix(e.Name(), ".tmp") {
			err = errors.Join(err, d.disk.remove(filepath.Join(d.dir, e.Name())))
		}
	}
	return err
}

// locked reports whether the file that this process has locked is the one in the folder: where somebody has removed the folder and
// made it again, another process may have locked that.
func (d *Snapshots) locked() bool {
	mine, err := d.lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(filepath.Join(d.dir, lockName))
	return err == nil && os.SameFile(mine, there)
}

// lockedDisk gives a file its name only in the folder that was locked.
type lockedDisk struct {
	disk
	of *Snapshots
}

func (l lockedDisk) rename(from, to string) error {
	if l.of.lock != nil && !l.of.locked() {
		return fmt.Errorf("write %s: the folder was removed or replaced meanwhile", to)
	}
	return l.disk.rename(from, to)
}
