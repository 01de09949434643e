//go:build !linux

package reserve

import "errors"

// Guard does nothing: only Linux has what a keeper needs. There a command holds the GPUs by the lock that it inherits alone.
func (r *Reservation) Guard(Holder, ...string) (environment []string, err error) { return nil, nil }

// Keep fails.
func Keep(string) error { return errors.ErrUnsupported }

// leaving reports false: no holder has a keeper.
func (h Holder) leaving() bool { return false }
