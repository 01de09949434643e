//go:build unix

package tui

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

func notifyResized(to chan<- os.Signal) { signal.Notify(to, unix.SIGWINCH) }

// stopProcess stops the programs of the terminal's job and returns when they go on.
func stopProcess() {
	on := make(chan os.Signal, 1)
	signal.Notify(on, unix.SIGCONT)
	defer signal.Stop(on)
	_ = unix.Kill(0, unix.SIGTSTP)
	select {
	case <-on:
	case <-time.After(100 * time.Millisecond): // Linux stops no job that has no shell
	}
}

// interruptible says that readable returns as soon as stopped is closed.
const interruptible = true

// readable waits until in has something to read, and returns false if stopped is closed before.
func readable(in, stopped *os.File) bool {
	for {
		var files unix.FdSet
		files.Set(int(in.Fd()))
		files.Set(int(stopped.Fd()))
		_, err := unix.Select(int(max(in.Fd(), stopped.Fd()))+1, &files, nil, nil, nil)
		if err != unix.EINTR {
			return err == nil && !files.IsSet(int(stopped.Fd()))
		}
	}
}
