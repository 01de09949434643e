package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// prefixed writes what ranks print, each line with its rank.
type prefixed struct {
	session *session
	mu      sync.Mutex // held while a line is written
	reading sync.WaitGroup
	pipes   []*os.File
}

func newPrefixed(s *session) *prefixed { return &prefixed{session: s} }

// start starts a rank's process, whose output is read until it is closed.
func (p *prefixed) start(cmd *exec.Cmd, rank int) error {
	var own []*os.File
	for _, o := range []struct {
		from *io.Writer
		to   io.Writer
	}{{&cmd.Stdout, p.session.stdout}, {&cmd.Stderr, p.session.stderr}} {
		r, w, err := os.Pipe()
		if err != nil {
			return errors.Join(err, closeAll(own))
		}
		*o.from = w
		own, p.pipes = append(own, w), append(p.pipes, r)
		p.reading.Go(func() { p.copy(o.to, r, rank) })
	}
	return errors.Join(cmd.Start(), closeAll(own))
}

func closeAll(files []*os.File) (err error) {
	for _, f := range files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// longest is how much of a line that does not end is kept back.
const longest = 1 << 16

// copy writes lines as they end.
func (p *prefixed) copy(to io.Writer, from io.Reader, rank int) {
	lines := bufio.NewReaderSize(from, longest)
	for {
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 {
			end := ""
			if line[len(line)-1] != '\n' {
				end = "\n"
			}
			p.mu.Lock()
			fmt.Fprintf(to, "[%d] %s%s", rank, line, end) // a pipe that nobody reads any more does not end the job
			p.mu.Unlock()
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// close waits until all that was printed is written. What a rank has left behind may hold a pipe open; it is not waited for.
func (p *prefixed) close() {
	const patience = time.Second
	late := time.AfterFunc(patience, func() { _ = closeAll(p.pipes) })
	p.reading.Wait()
	if late.Stop() {
		_ = closeAll(p.pipes)
	}
}
