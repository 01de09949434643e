//go:build !linux

package patience

import "time"

func nap(d time.Duration) { time.Sleep(d) }
