package cli

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pseudoterminal is a terminal that the test holds the keys of.
type pseudoterminal struct {
	t             *testing.T
	master, slave *os.File
	before        *unix.Termios

	mu     sync.Mutex
	output strings.Builder
	more   chan struct{}
	closed chan struct{}
}

func newPseudoterminal(t *testing.T, columns, lines uint16) *pseudoterminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudoterminals:", err)
	}
	p := &pseudoterminal{t: t, master: master, more: make(chan struct{}, 1), closed: make(chan struct{})}
	number := 0
	p.control(master, func(fd int) (err error) {
		if err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err == nil {
			number, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		}
		return err
	})
	if p.slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	p.resize(columns, lines)
	p.before = p.modes()
	go p.listen()
	t.Cleanup(func() { p.slave.Close(); p.master.Close(); <-p.closed })
	return p
}

// control calls a function with a file's descriptor, without making that block.
func (p *pseudoterminal) control(f *os.File, call func(fd int) error) {
	p.t.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		p.t.Fatal(err)
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = call(int(fd)) }); err != nil || failed != nil {
		p.t.Fatal(err, failed)
	}
}

func (p *pseudoterminal) resize(columns, lines uint16) {
	p.control(p.master, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: lines})
	})
}

// modes returns whether the terminal echoes, joins lines and so on.
func (p *pseudoterminal) modes() (modes *unix.Termios) {
	p.control(p.slave, func(fd int) (err error) {
		modes, err = unix.IoctlGetTermios(fd, unix.TCGETS)
		return err
	})
	return modes
}

func (p *pseudoterminal) listen() {
	defer close(p.closed)
	buffer := make([]byte, 4096)
	for {
		n, err := p.master.Read(buffer)
		p.mu.Lock()
		p.output.Write(buffer[:n])
		p.mu.Unlock()
		select {
		case p.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// start runs the test's own program under a name, with this terminal as its own.
func (p *pseudoterminal) start(environment []string, arguments ...string) *exec.Cmd {
	p.t.Helper()
	path, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	command := &exec.Cmd{
		Path: path, Args: arguments, Env: environment, Stdin: p.slave, Stdout: p.slave, Stderr: p.slave,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true},
	}
	if err := command.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { command.Process.Kill() })
	return command
}

// all returns what was written so far.
func (p *pseudoterminal) all() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// wait waits for a text after so many bytes of output, and returns where it ends.
func (p *pseudoterminal) wait(from int, text string) int {
	p.t.Helper()
	timeout := time.After(20 * time.Second)
	for {
		all := p.all()
		if at := strings.Index(all[from:], text); at >= 0 {
			return from + at + len(text)
		}
		select {
		case <-p.more:
		case <-timeout:
			p.t.Fatalf("no %q in %q", text, all[from:])
		}
	}
}

func (p *pseudoterminal) press(keys string) {
	p.t.Helper()
	if _, err := p.master.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// restored wants the terminal as it was: with its modes, its cursor and its screen.
func (p *pseudoterminal) restored(from int) {
	p.t.Helper()
	p.wait(from, "\x1b[?25h")
	p.wait(from, "\x1b[?1049l")
	if now := p.modes(); *now != *p.before {
		p.t.Errorf("modes: got %+v, want %+v", now, p.before)
	}
}
