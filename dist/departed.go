package dist

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"cresset/internal/mpi"
)

// A launcher ends the ranks of a job one of whose processes has ended, unless it is told not to: then those that wait look themselves which process of their machine is gone.

// card is what a rank of MPI tells of itself: its machine, the namespace in which its process has a number, and the number.
func card(w *mpi.World) string {
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return w.Processor() // of other systems, where nobody looks
	}
	return fmt.Sprintf("%s\n%s\n%d", w.Processor(), space, os.Getpid())
}

// machineOf returns the machine that a card names.
func machineOf(card string) string {
	name, _, _ := strings.Cut(card, "\n")
	return name
}

// pidHere returns the process that a card names, 0 where this one cannot see it.
func pidHere(card, mine string) int {
	place, number, _ := cutLast(card)
	if here, _, ok := cutLast(mine); !ok || place != here {
		return 0
	}
	pid, _ := strconv.Atoi(number)
	return pid
}

func cutLast(card string) (place, number string, ok bool) {
	at := strings.LastIndexByte(card, '\n')
	if at < 0 {
		return "", "", false
	}
	return card[:at], card[at+1:], true
}

// departed returns an error where the process of a rank on this machine that a work waits for has ended, which then cannot come any more.
func (g *Group) departed(w *Work) error {
	for rank, pid := range g.pids {
		if pid == 0 || w.number == 0 && rank != w.call.peer { // a message waits for its other end alone
			continue
		}
		if ended(pid) {
			return &RankError{rank, errEnded}
		}
	}
	return nil
}

// ended reports whether a process has ended, which its launcher may not have looked at yet. Of one that is about to, some threads still run.
func ended(pid int) bool {
	state, threads, err := stateOf(pid)
	return os.IsNotExist(err) || (state == 'Z' || state == 'X') && threads <= 1
}

// isStopped reports whether a process is stopped by a signal or a debugger.
func isStopped(pid int) bool {
	state, _, _ := stateOf(pid)
	return state == 'T' || state == 't'
}

// stateOf returns the letter by which Linux tells what the first thread of a process does, 0 where that is unknown, and how many threads there are.
func stateOf(pid int) (state byte, threads int, err error) {
	const threadsAt = 17                                             // behind the state
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat") // number (name) state …
	if err != nil {
		return 0, 0, err
	}
	words := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(words) <= threadsAt {
		return 0, 0, nil
	}
	threads, _ = strconv.Atoi(string(words[threadsAt]))
	return words[0][0], threads, nil
}

// stopped returns the ranks of this machine whose processes are stopped: nobody has to hear that they do not go on.
func (g *Group) stopped() (ranks []int) {
	for rank, pid := range g.pids {
		if pid != 0 && isStopped(pid) {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}

// halted returns the ranks of this machine that are stopped, or where none is, those whose processes have ended.
func (g *Group) halted() (ranks []int) {
	if ranks = g.stopped(); ranks != nil {
		return ranks
	}
	for rank, pid := range g.pids {
		if pid != 0 && ended(pid) {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}
