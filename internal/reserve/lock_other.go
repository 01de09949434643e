//go:build (!unix || solaris || aix) && !windows

package reserve

import (
	"errors"
	"os"
	"os/exec"
)

const common = "cresset-gpus"

func checkCommon() error { return errors.ErrUnsupported }

func makeCommon() error { return errors.ErrUnsupported }

func lock(string, bool) (*os.File, bool, error) { return nil, false, errors.ErrUnsupported }

func unlock(f *os.File) error { return f.Close() }

// Pass does nothing: this system has no such locks.
func (r *Reservation) Pass(*exec.Cmd) error { return nil }
