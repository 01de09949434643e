package tui

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"cresset/internal/tui/paint"
)

// Control sequences of xterm, which the others have taken over.
const (
	takeScreen  = "\x1b[?1049h\x1b[?25l\x1b[?2004h" // the alternate screen, without a cursor, and pastes marked as such
	leaveScreen = "\x1b[?2004l\x1b[?25h\x1b[?1049l"
	clearScreen = "\x1b[2J"
	clearRest   = "\x1b[K" // of the line
)

// terminal shows lines, and sends keys one by one.
type terminal struct {
	in, out       *os.File
	modes         *term.State // of in, as they were; nil where it is no terminal
	width, height int
	lines         []string // on the screen
}

func (t *terminal) open() (err error) {
	paint.Sequences(t.out)
	if term.IsTerminal(int(t.in.Fd())) {
		if t.modes, err = term.MakeRaw(int(t.in.Fd())); err != nil {
			return err
		}
	}
	t.width = 0 // draw everything
	if _, err = t.out.WriteString(takeScreen); err != nil {
		t.close()
	}
	return err
}

// close leaves the terminal as it was. There is nobody to tell where that fails.
func (t *terminal) close() {
	_, _ = t.out.WriteString(leaveScreen)
	if t.modes != nil {
		_ = term.Restore(int(t.in.Fd()), t.modes)
	}
}

// suspend stops the process until somebody continues it; the terminal is the shell's meanwhile.
func (t *terminal) suspend() error {
	t.close()
	stopProcess()
	return t.open()
}

// draw writes the lines that have changed.
func (t *terminal) draw(screen Screen) error {
	width, height, err := term.GetSize(int(t.out.Fd()))
	if err != nil {
		return err
	}
	var b strings.Builder
	if width != t.width || height != t.height {
		t.width, t.height, t.lines = width, height, nil
		screen.Resize(width, height)
		b.WriteString(clearScreen)
	}
	lines := strings.Split(screen.View(), "\n")
	for i := range max(len(lines), len(t.lines)) {
		line, shown := lineOf(lines, i), lineOf(t.lines, i)
		if line != shown {
			fmt.Fprintf(&b, "\x1b[%d;1H%s%s", i+1, line, clearRest)
		}
	}
	t.lines = lines
	_, err = t.out.WriteString(b.String())
	return err
}

func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// readKeys starts a goroutine that reads keys for press, until that returns false or stop is called.
func (t *terminal) readKeys(press func(Key) bool) (stop func(), err error) {
	stopped, end, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer stopped.Close()
		sent := ""
		more := make([]byte, 4096)
		for readable(t.in, stopped) {
			n, err := t.in.Read(more)
			if err != nil { // the end of what is no terminal; of one that is gone, draw tells
				return
			}
			sent += string(more[:n])
			for k, rest, ok := nextKey(sent); ok; k, rest, ok = nextKey(sent) {
				if sent = rest; k.Name != "" && !press(k) {
					return
				}
			}
		}
	}()
	return func() {
		if end.Close(); interruptible {
			<-done
		}
	}, nil
}
