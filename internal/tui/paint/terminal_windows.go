package paint

import (
	"os"

	"golang.org/x/sys/windows"
)

// Sequences reports whether a file is a console that obeys escape sequences, which it has it do.
func Sequences(f *os.File) bool {
	console, mode := windows.Handle(f.Fd()), uint32(0)
	return windows.GetConsoleMode(console, &mode) == nil &&
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

// hasColours reports whether consoles have colours: all that obey escape sequences do.
func hasColours() bool { return true }
