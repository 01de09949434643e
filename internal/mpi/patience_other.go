//go:build !linux

package mpi

import "time"

func nap(d time.Duration) { time.Sleep(d) }
