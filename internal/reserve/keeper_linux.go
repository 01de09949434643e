package reserve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"cresset/internal/filelock"
)

// marksVariable is the environment variable by which a keeper knows the programs of its reservation: it has a mark for each
// reservation that the program runs under.
const marksVariable = "CRESSET_RESERVATION"

// firstFile is the number of the first file that exec.Cmd.ExtraFiles passes on.
const firstFile = 3

// Guard starts a keeper, for commands that close the files that they inherit, and with them the lock: a process of this
// program, which has to call Keep with the argument that follows the given ones. It returns variables that the command's
// environment must have. A kernel before Linux 5.3 cannot watch a process; there only the inherited lock holds the GPUs.
func (r *Reservation) Guard(who Holder, arguments ...string) (environment []string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	me, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil || len(r.locks) == 0 {
		return nil, nil
	}
	watched := os.NewFile(uintptr(me), "pidfd")
	defer watched.Close()
	mark := fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	keeper := &exec.Cmd{
		Path: program, Args: append(append([]string{os.Args[0]}, arguments...), fmt.Sprintf("%d,%s,%s", len(r.locks), mark, filepath.Dir(r.locks[0].Name()))),
		Env: []string{}, ExtraFiles: append([]*os.File{watched}, r.locks...),
	}
	if err := keeper.Run(); err != nil {
		return nil, fmt.Errorf("start the keeper of a reservation: %w", err)
	}
	who.Namespace, _ = os.Readlink("/proc/self/ns/pid")
	if err := who.writeAll(r.locks); err != nil {
		return nil, err
	}
	marks := strings.TrimPrefix(os.Getenv(marksVariable)+","+mark, ",")
	return []string{marksVariable + "=" + marks}, nil
}

// Keep is the keeper. It holds the locks that it has inherited until the process that called Guard has ended, whatever program
// that has become, and after it every process that has its mark.
func Keep(argument string) error {
	signal.Reset()
	count, rest, _ := strings.Cut(argument, ",")
	mark, dir, _ := strings.Cut(rest, ",")
	n, err := strconv.Atoi(count)
	if err != nil || mark == "" {
		return errors.New("not called by a reservation")
	}
	files := make([]*os.File, 1+n)
	for i := range files {
		files[i] = os.NewFile(uintptr(firstFile+i), "inherited")
	}
	if session, err := unix.Getsid(0); err != nil || session != os.Getpid() {
		return detach(files)
	}
	locks := files[1:]
	for end := files[0]; end != nil; end = survivor(mark, locks) {
		waitFor(end)
		end.Close()
	}
	// Those who look have to enter too, so they see both at once: the locks that are free, and those that a process which nobody
	// knows has inherited.
	ctx, cancel := context.WithTimeout(context.Background(), patienceToTake)
	defer cancel()
	entered, err := enter(ctx, dir, false)
	if err == nil {
		defer filelock.Unlock(entered)
	}
	err = errors.Join(err, Holder{}.writeAll(locks))
	for _, f := range locks {
		f.Close()
	}
	return err
}

// detach starts the keeper anew, in a session of its own and with no other file, and lets the system adopt it: a command that
// waits for all its children must not wait for the keeper.
func detach(files []*os.File) error {
	_ = unix.CloseRange(firstFile, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // before Linux 5.11 it keeps what was inherited
	keeper := &exec.Cmd{
		Path: "/proc/self/exe", Args: os.Args, Env: []string{}, Dir: "/", ExtraFiles: files,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	return keeper.Start()
}

// survivor finds a process with the mark, tells others that it holds the GPUs, and returns what tells its end; nil where there
// is none. It looks twice, because a process can start another with a lower number behind its back.
func survivor(mark string, locks []*os.File) *os.File {
	for range 2 {
		places, _ := filepath.Glob("/proc/[1-9]*/environ")
		for _, place := range places {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(place)))
			if err != nil || !marked(place, mark) {
				continue
			}
			fd, err := unix.PidfdOpen(pid, 0)
			if err != nil {
				continue
			}
			end := os.NewFile(uintptr(fd), "pidfd")
			if !marked(place, mark) { // it has ended, and the number may be another's
				end.Close()
				continue
			}
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(place), "comm"))
			space, _ := os.Readlink("/proc/self/ns/pid")
			_ = Holder{PID: pid, Name: strings.TrimSpace(string(name)), Namespace: space}.writeAll(locks)
			return end
		}
	}
	return nil
}

func marked(place, mark string) bool {
	environment, err := os.ReadFile(place)
	return err == nil && bytes.Contains(environment, []byte(mark))
}

// waitFor waits until the process behind a pidfd has ended.
func waitFor(process *os.File) {
	poll := []unix.PollFd{{Fd: int32(process.Fd()), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(poll, -1); !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// leaving reports whether the holder has ended and its keeper is about to find out who follows.
func (h Holder) leaving() bool {
	if h.Namespace == "" {
		return false
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	return err == nil && space == h.Namespace && errors.Is(unix.Kill(h.PID, 0), unix.ESRCH)
}
