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

// Orders of programs. Those with equal values are by GPU, then by memory, then by process number.
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
	reserves      bool   // it has reserved the GPU, and may do nothing there yet
}

const (
	notAvailable = "N/A"
	notFound     = "[Not Found]"
)

// list lists the programs of all GPUs that pass the filter, in order.
func (t *Top) list() {
	t.programs, t.unmatched = t.programs[:0], 0
	for _, g := range t.gpus {
		for _, line := range t.programsOf(g) {
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

// programsOf lists the processes of a GPU and, unless it is one of them, the program that has reserved it.
func (t *Top) programsOf(g *gpu) (lines []program) {
	known := false
	for _, p := range g.Processes {
		line := t.program(g.Index, p)
		if g.ReservedBy != nil && g.ReservedBy.PID == p.PID {
			line.reserves, known = true, true
		}
		lines = append(lines, line)
	}
	if g.ReservedBy != nil && !known {
		line := t.program(g.Index, smi.Process{PID: g.ReservedBy.PID, Name: cmp.Or(g.ReservedBy.Name, "another program")})
		line.reserves = true
		lines = append(lines, line)
	}
	return lines
}

// kind is C for a program that computes, G for one that draws, and R for one that has reserved the GPU; it may be all three.
func (p program) kind() string {
	switch {
	case !p.reserves:
		return p.process.Type
	case p.process.Type == "":
		return "R"
	}
	return p.process.Type + "+R"
}

// memory is what a program holds, or that it only keeps others off.
func (p program) memory() string {
	switch {
	case p.process.Memory != nil:
		return fmt.Sprintf("%d MiB", *p.process.Memory>>20)
	case p.reserves && p.process.Type == "":
		return "reserved"
	}
	return notAvailable
}

// number is a program's process number; some who reserve do not tell it.
func (p program) number() string {
	if p.process.PID == 0 {
		return notAvailable
	}
	return fmt.Sprint(p.process.PID)
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
	line := strings.ToLower(fmt.Sprintf("%d %s %s %s %s %s", p.gpu, p.number(), p.user, p.kind(), p.memory(), p.command))
	for word := range strings.FieldsSeq(strings.ToLower(filter)) {
		if !strings.Contains(line, word) {
			return false
		}
	}
	return true
}
