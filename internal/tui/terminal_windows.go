package tui

import "os"

// notifyResized does nothing: the size is looked at before each picture.
func notifyResized(chan<- os.Signal) {}

// stopProcess does nothing: a console has no jobs.
func stopProcess() {}

// interruptible says that nothing ends a read but a key: who reads keys ends with the process.
const interruptible = false

func readable(_, _ *os.File) bool { return true }
