package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"
)

// paged lets show write to the terminal through a pager, as git does: $PAGER, else less; none where it is empty or cat, or
// cannot be started, or where stdout is no terminal. That the reader leaves early is no error.
func paged(s *session, show func(w io.Writer, l look) error) error {
	left := make(chan os.Signal, 1)
	signal.Notify(left, syscall.SIGPIPE) // so that a write without a reader is an error, and not the end of the process
	defer signal.Stop(left)
	err := pageThrough(s, show)
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

func pageThrough(s *session, show func(w io.Writer, l look) error) error {
	l := lookOf(s.stdout)
	page, wait := startPager(s)
	if page == nil {
		return show(s.stdout, l)
	}
	signal.Ignore(os.Interrupt) // it is the pager's, as it is in git
	defer context.AfterFunc(s.ctx, func() { page.Close() })()
	err := show(page, l)
	page.Close()
	wait()
	return err
}

// startPager starts the pager and returns what it reads and what waits for its end; nil if there is to be none.
func startPager(s *session) (page io.WriteCloser, wait func() error) {
	out, ok := s.stdout.(*os.File)
	if !ok || !term.IsTerminal(int(out.Fd())) {
		return nil, nil
	}
	line, set := os.LookupEnv("PAGER")
	if !set {
		line = "less"
	}
	words := strings.Fields(line)
	if len(words) == 0 || line == "cat" {
		return nil, nil
	}
	pager := exec.Command(words[0], words[1:]...)
	if strings.ContainsAny(line, "|&;<>()$`\\\"'*?[#~=%") { // a shell has to read it
		pager = exec.Command("sh", "-c", line)
	}
	pager.Stdout, pager.Stderr = out, os.Stderr
	pager.Env = os.Environ()
	if _, set := os.LookupEnv("LESS"); !set {
		pager.Env = append(pager.Env, "LESS=FRX") // leave where all fits the screen, show colors
	}
	if _, set := os.LookupEnv("LV"); !set {
		pager.Env = append(pager.Env, "LV=-c")
	}
	page, err := pager.StdinPipe()
	if err != nil || pager.Start() != nil {
		return nil, nil
	}
	return page, pager.Wait
}
