package reserve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"cresset/internal/filelock"
	"cresset/internal/hardware"
	"cresset/internal/tenants"
)

// Variable is the environment variable that names another folder for the locks of the machine's GPUs. The files in it are as
// open to others as the folder is.
const Variable = "CRESSET_LOCKS"

const gate = "gate" // the file that is locked by whoever looks at the others

// find returns the folder of the locks, and fails where it is not there or not what it should be. It is "" for a simulated
// machine of this program's own.
//
// Users share a machine's GPUs, so by default they share the folder too. A simulated machine is one user's, and so are its
// locks.
func find() (string, error) {
	if value, simulated := hardware.Asked(); simulated {
		machine, err := tenants.Folder(value)
		if machine == "" || err != nil {
			return "", err
		}
		dir := machine + ".locks"
		_, err = os.Lstat(dir)
		return dir, err
	}
	dir := os.Getenv(Variable)
	if dir == "" {
		return common, checkCommon()
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s=%s is not a folder", Variable, dir)
	}
	return dir, err
}

// makeFolder returns the folder of the locks, which it makes where it is missing. One that the user has named has to be
// there.
func makeFolder() (string, error) {
	dir, err := find()
	if !errors.Is(err, fs.ErrNotExist) || dir == "" {
		return dir, err
	}
	switch dir {
	case os.Getenv(Variable):
		return "", fmt.Errorf("%s: %w", Variable, err)
	case common:
		err = makeCommon()
	default:
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return find()
}

// enter waits until nobody else looks at the locks in a folder. Whoever looks locks what is free for a moment, and must not
// be taken for a holder.
func enter(ctx context.Context, dir string, create bool) (*os.File, error) {
	path := filepath.Join(dir, gate)
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 30*time.Millisecond) {
		f, taken, err := filelock.Lock(path, create)
		if !taken {
			return f, err
		}
		f.Close()
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return nil, ctx.Err()
			}
			return nil, fmt.Errorf("reserve GPUs: another program keeps %s locked: %w", path, ctx.Err())
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}
