package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cresset/smi"
)

// Sort is an order of programs.
type Sort string

// Orders of programs. Those with equal values are by GPU, then by memory, then by
// process number.
const (
	ByGPU     Sort = "gpu"
	ByMemory  Sort = "memory" // the most first
	ByPID     Sort = "pid"
	ByUser    Sort = "user"
	ByCommand Sort = "command"
)

var sorts = []struct {
	key string
	by  Sort
}{{"g", ByGPU}, {"m", ByMemory}, {"p", ByPID}, {"u", ByUser}, {"c", ByCommand}}

// program is a line of the lower table.
type program struct {
	gpu           int
	process       smi.Process
	user, command string // harmless to a terminal
}

const (
	notAvailable = "N/A"
	notFound     = "[Not Found]"
)

// list lists the programs of all GPUs that pass the filter, in order.
func (t *Top) list() {
	t.programs, t.unmatched = t.programs[:0], 0
	for _, g := range t.gpus {
		for _, p := range g.Processes {
			line := t.program(g.Index, p)
			if !line.matches(t.filter) {
				t.unmatched++
				continue
			}
			t.programs = append(t.programs, line)
		}
	}
	slices.SortStableFunc(t.programs, func(a, b program) int {
		order := cmp.Or(a.compare(b, t.sort), a.compare(b, ByGPU), a.compare(b, ByMemory), a.compare(b, ByPID))
		if t.reversed {
			return -order
		}
		return order
	})
	t.settle()
}

// program describes a process. What it says of itself may hold anything.
func (t *Top) program(gpu int, p smi.Process) program {
	known := t.look.Identities[p.PID]
	return program{
		gpu: gpu, process: p,
		user:    smi.Printable(cmp.Or(known.User, notAvailable)),
		command: smi.Printable(cmp.Or(known.Command, p.Name, notFound)),
	}
}

func (p program) compare(other program, by Sort) int {
	switch by {
	case ByMemory:
		return cmp.Compare(bytes(other.process), bytes(p.process))
	case ByPID:
		return cmp.Compare(p.process.PID, other.process.PID)
	case ByUser:
		return cmp.Compare(p.user, other.user)
	case ByCommand:
		return cmp.Compare(p.command, other.command)
	}
	return cmp.Compare(p.gpu, other.gpu)
}

// bytes returns a process's memory, where it is told, and -1 to come after it.
func bytes(p smi.Process) int64 {
	if p.Memory == nil {
		return -1
	}
	return int64(*p.Memory)
}

// matches reports whether a line has every word, whatever their case.
func (p program) matches(filter string) bool {
	line := strings.ToLower(fmt.Sprintf("%d %d %s %s %s", p.gpu, p.process.PID, p.user, p.process.Type, p.command))
	for word := range strings.FieldsSeq(strings.ToLower(filter)) {
		if !strings.Contains(line, word) {
			return false
		}
	}
	return true
}
