package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"cresset/internal/hardware"
	"cresset/internal/tenants"
	"cresset/internal/tui"
	"cresset/internal/tui/paint"
)

// topFarm has programs whose numbers no process has.
const topFarm = `{"gpus": [{"preset": "gtx1070", "processes": [
 {"pid": 1073741824, "name": "/usr/bin/blender", "memory": "1GiB"}, {"pid": 1073741825, "name": "python", "memory": "2GiB"}]}]}`

// terminalEnvironment is that of a program on a terminal, with a machine of its own.
func terminalEnvironment(t *testing.T, more ...string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "farm.json")
	if err := os.WriteFile(file, []byte(topFarm), 0o600); err != nil {
		t.Fatal(err)
	}
	return append([]string{"TERM=xterm-256color", "LANG=C.UTF-8", hardware.Variable + "=" + file, tenants.Variable + "=off"}, more...)
}

func exitCodeOf(t *testing.T, command *exec.Cmd) int {
	t.Helper()
	var exit *exec.ExitError
	if err := command.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return command.ProcessState.ExitCode()
}

// TestTopOnTerminal uses the program as people do.
func TestTopOnTerminal(t *testing.T) {
	p := newPseudoterminal(t, 80, 24)
	command := p.start(terminalEnvironment(t), "cresset", "top", "-l", "0.1")
	at := p.wait(p.wait(0, "\x1b[?1049h"), "blender")
	p.press("/blen\r")
	at = p.wait(at, `with "blen", 1 without`)
	p.resize(40, 10)
	at = p.wait(at, "no room: ")
	p.press("?")
	at = p.wait(at, "any key goes back")
	p.press("qq")
	if code := exitCodeOf(t, command); code != 0 {
		t.Errorf("exit code %d", code)
	}
	p.restored(at)
	if all := p.all(); strings.Contains(all, "\x1b]11") {
		t.Errorf("got %q", all)
	}
}

// TestTopEnds by signals and by Ctrl-C.
func TestTopEnds(t *testing.T) {
	for name, end := range map[string]func(*pseudoterminal, *exec.Cmd){
		"SIGTERM": func(_ *pseudoterminal, c *exec.Cmd) { c.Process.Signal(syscall.SIGTERM) },
		"SIGINT":  func(_ *pseudoterminal, c *exec.Cmd) { c.Process.Signal(syscall.SIGINT) },
		"Ctrl-C":  func(p *pseudoterminal, _ *exec.Cmd) { p.press("\x03") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPseudoterminal(t, 80, 24)
			command := p.start(terminalEnvironment(t, "NO_COLOR=1"), "cresset", "top")
			at := p.wait(0, "blender")
			end(p, command)
			if code := exitCodeOf(t, command); code != exitInterrupted {
				t.Errorf("exit code %d", code)
			}
			p.restored(at)
			if strings.Contains(p.all(), "\x1b[36m") {
				t.Error("colours in spite of NO_COLOR")
			}
		})
	}
}

// TestTopSuspends: Ctrl-Z gives the terminal back. Here is no shell that could continue the program, so that goes on at once.
func TestTopSuspends(t *testing.T) {
	p := newPseudoterminal(t, 80, 24)
	command := p.start(terminalEnvironment(t), "cresset", "top")
	at := p.wait(0, "blender")
	p.press("\x1a")
	at = p.wait(p.wait(at, "\x1b[?1049l"), "\x1b[?1049h")
	at = p.wait(at, "blender")
	p.press("q")
	if code := exitCodeOf(t, command); code != 0 {
		t.Errorf("exit code %d", code)
	}
	p.restored(at)
}

// TestDumbTerminal gets frame after frame, without a single escape sequence.
func TestDumbTerminal(t *testing.T) {
	p := newPseudoterminal(t, 80, 24)
	command := p.start(append(terminalEnvironment(t), "TERM=dumb"), "cresset", "top", "-l", "0.1")
	p.wait(p.wait(0, "blender"), "blender")
	command.Process.Signal(syscall.SIGINT)
	if code := exitCodeOf(t, command); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(p.all(), "\x1b") {
		t.Errorf("got %q", p.all())
	}
}

// TestPanicOnTerminal: a mistake in a screen leaves the terminal usable, and is told.
func TestPanicOnTerminal(t *testing.T) {
	p := newPseudoterminal(t, 80, 24)
	command := p.start(terminalEnvironment(t), "panicking")
	if code := exitCodeOf(t, command); code != 2 {
		t.Errorf("exit code %d", code)
	}
	p.restored(0)
	p.wait(p.wait(0, "\x1b[?1049l"), "panic: a mistake in a screen")
}

// TestNoQuestions: no command asks the terminal what colours it has; one that does not answer would hold it up.
func TestNoQuestions(t *testing.T) {
	p := newPseudoterminal(t, 80, 24)
	command := p.start(terminalEnvironment(t), "cresset", "version")
	if code := exitCodeOf(t, command); code != 0 {
		t.Errorf("exit code %d", code)
	}
	p.wait(0, "cresset")
	if strings.Contains(p.all(), "\x1b") {
		t.Errorf("got %q", p.all())
	}
}

// TestNoGoroutineIsLeft after a view; the first one starts those that Go keeps for signals.
func TestNoGoroutineIsLeft(t *testing.T) {
	p := newPseudoterminal(t, 80, 24)
	before := 0
	for n := range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		view := tui.New(tui.Options{Palette: paint.On(p.slave)})
		timer := time.AfterFunc(50*time.Millisecond, cancel)
		if err := tui.Run(ctx, view, noLooks, p.slave, p.slave); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		timer.Stop()
		cancel()
		now := settled(before)
		if n > 0 && now > before {
			stacks := make([]byte, 1<<16)
			t.Errorf("%d goroutines, were %d\n%s", now, before, stacks[:runtime.Stack(stacks, true)])
		}
		before = now
	}
}

// settled returns the number of goroutines once those that are ending have ended.
func settled(want int) int {
	for range 100 {
		if want > 0 && runtime.NumGoroutine() <= want {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return runtime.NumGoroutine()
}
