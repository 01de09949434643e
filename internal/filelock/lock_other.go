//go:build (!unix || solaris || aix) && !windows

package filelock

import (
	"errors"
	"os"
)

// Lock fails: this system has no such locks.
func Lock(string, bool) (*os.File, bool, error) { return nil, false, errors.ErrUnsupported }

// Unlock closes the file.
func Unlock(f *os.File) error { return f.Close() }
