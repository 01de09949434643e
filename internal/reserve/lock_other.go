//go:build (!unix || solaris || aix) && !windows

package reserve

import (
	"errors"
	"os/exec"
)

const common = "cresset-gpus"

func checkCommon() error { return errors.ErrUnsupported }

func makeCommon() error { return errors.ErrUnsupported }

// Pass does nothing: this system has no such locks.
func (r *Reservation) Pass(*exec.Cmd) error { return nil }
