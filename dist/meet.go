package dist

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Ranks that torchrun or cresset launch has started on one machine meet at a socket of rank 0, whose name follows from the variables that all of them have.

// protocol changes with what frames mean. Nothing but a test sets it.
var protocol = 2

// hello is what a rank says first.
type hello struct{ Protocol, Rank, Size int }

// meetAs returns the engine of a rank of size on this machine.
func meetAs(ctx context.Context, rank, size int, getenv func(string) string) (engine, error) {
	path, err := socketOf(getenv)
	if err != nil {
		return nil, err
	}
	if rank == 0 {
		return receiveGuests(ctx, path, size)
	}
	return visit(ctx, path, rank, size)
}

// socketOf returns the socket's path, in a folder that is this user's alone. Without an address it would be that of other jobs.
func socketOf(getenv func(string) string) (string, error) {
	for _, name := range []string{"MASTER_ADDR", "MASTER_PORT"} {
		if getenv(name) == "" {
			return "", fmt.Errorf("environment variable %s expected, but not set: torchrun and cresset launch set it, and ranks whose MASTER_ADDR and MASTER_PORT are alike meet each other", name)
		}
	}
	dir := filepath.Join(os.TempDir(), "cresset-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	switch info, err := os.Lstat(dir); {
	case err != nil:
		return "", err
	case !info.IsDir() || info.Mode().Perm() != 0o700 && os.Getuid() >= 0: // Windows has neither
		return "", fmt.Errorf("%s has to be a folder that others cannot enter, but is %s", dir, info.Mode())
	}
	job := sha256.New()
	for _, name := range []string{"MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT"} {
		fmt.Fprintf(job, "%s=%q\n", name, getenv(name))
	}
	path := filepath.Join(dir, fmt.Sprintf("%x", job.Sum(nil)[:8]))
	if len(path) > mostPath {
		return "", fmt.Errorf("ranks of one machine meet at a socket, whose path %s is longer than %d bytes: TMPDIR has to be shorter", path, mostPath)
	}
	return path, nil
}

// mostPath is what a socket's path may have on every system; macOS has the least.
const mostPath = 103

// receiveGuests waits for all other ranks.
func receiveGuests(ctx context.Context, path string, size int) (engine, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) { // of a job that was killed
		return nil, err
	}
	door, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	defer door.Close() // which removes the path
	defer context.AfterFunc(ctx, func() { door.Close() })()
	h := &host{local: &local{room: newRoom(size)}}
	lines := make([]*line, size)
	for come := 1; come < size; {
		conn, err := door.Accept()
		if err != nil && ctx.Err() != nil {
			err = &RankError{absent(lines), fmt.Errorf("has not come: %w", context.Cause(ctx))}
		}
		if err != nil {
			turnAway(lines, err)
			return nil, err
		}
		l := newLine(conn)
		rank, err := l.welcome(size, lines)
		if err != nil {
			turnAway(append(lines, l), err)
			return nil, err
		}
		lines[rank] = l
		come++
	}
	for rank, l := range lines[1:] {
		if err := l.send(frame{}, nil); err != nil {
			return nil, &RankError{rank + 1, errEnded}
		}
		h.guests.Add(1)
		go h.serve(rank+1, l)
	}
	return h, nil
}

// welcome reads who comes.
func (l *line) welcome(size int, others []*line) (rank int, err error) {
	var h hello
	switch err := l.read.Decode(&h); {
	case err != nil:
		return 0, fmt.Errorf("a process that is no rank, or of another build of cresset, has called: %w", err)
	case h.Protocol != protocol:
		return 0, &RankError{h.Rank, fmt.Errorf("is of another version of cresset: it speaks protocol %d, rank 0 speaks %d", h.Protocol, protocol)}
	case h.Size != size:
		return 0, &RankError{h.Rank, fmt.Errorf("was told of %d ranks, rank 0 of %d", h.Size, size)}
	case h.Rank < 1 || h.Rank >= size:
		return 0, &RankError{h.Rank, fmt.Errorf("is none of %d ranks", size)}
	case others[h.Rank] != nil:
		return 0, &RankError{h.Rank, errors.New("has come twice: two processes have the same RANK")}
	}
	return h.Rank, nil
}

// turnAway tells those who have come why the job does not begin.
func turnAway(lines []*line, why error) {
	var f frame
	f.setErr(why)
	for _, l := range lines {
		if l != nil {
			_ = l.send(f, nil) // or it learns from the end of the line
			l.conn.Close()
		}
	}
}

// absent returns the first rank that has not come.
func absent(lines []*line) int {
	for rank := 1; rank < len(lines); rank++ {
		if lines[rank] == nil {
			return rank
		}
	}
	return 0
}

// visit calls rank 0, which may come later, until it answers.
func visit(ctx context.Context, path string, rank, size int) (engine, error) {
	const pause = 10 * time.Millisecond
	for {
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, "unix", path)
		if err == nil {
			l := newLine(conn)
			stop := context.AfterFunc(ctx, func() { conn.Close() })
			answer, err := l.greet(rank, size)
			if !stop() {
				err = &RankError{0, fmt.Errorf("has not begun the job: %w", context.Cause(ctx))}
			}
			if err == nil {
				err = answer.err()
			}
			if err != nil {
				conn.Close()
				return nil, err
			}
			return &remote{hub: newOffice(l), rank: rank}, nil
		}
		select {
		case <-ctx.Done():
			return nil, &RankError{0, fmt.Errorf("has not come: %w", context.Cause(ctx))}
		case <-time.After(pause):
		}
	}
}

// greet tells rank 0 who comes, and waits until all have.
func (l *line) greet(rank, size int) (frame, error) {
	err := l.write.Encode(hello{protocol, rank, size})
	if err == nil {
		err = l.out.Flush()
	}
	if err != nil {
		return frame{}, &RankError{0, errEnded}
	}
	answer, err := l.next()
	if err != nil {
		err = &RankError{0, errEnded}
	}
	return answer, err
}
