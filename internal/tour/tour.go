// Package tour walks through the notes that the project was founded on: every call that they show, as a step that runs.
//
// A step is a Go function, or a line for a shell, and runs in a process of its own, where it prints as any program does.
// What is shown of it is cut from the file that it was compiled from.
package tour

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

// Chapter is a part of the tour.
type Chapter struct {
	Title string
	Steps []Step
}

// Step is one thing that a note shows. Its literals have a line for what runs, one for what stands in the note, and one for today.
type Step struct {
	Title   string
	Note    string   // where it stands: "001:70-75" are lines of note 001; several are separated by blanks
	Mirrors string   // what stands there
	Today   string   // what is true now, where the note is dated, wrong or silent
	Needs   Setting  // what the machine must have
	Do      func()   // the code, a function at package level; nil where Shell is set
	Shell   string   // a line for a shell, in whose path the command is
	Label   string   // the name of a step that has no function
	Shows   []string // declarations that Do uses, shown above it
}

// Name names a step for programs and for the documentation: its function, or its label.
func (s Step) Name() string {
	if s.Do == nil {
		return s.Label
	}
	full := runtime.FuncForPC(reflect.ValueOf(s.Do).Pointer()).Name()
	return full[strings.LastIndexByte(full, '.')+1:]
}

// Code returns what runs, as it stands in the source.
func (s Step) Code() string {
	if s.Do == nil {
		return s.Shell
	}
	var parts []string
	for _, name := range s.Shows {
		parts = append(parts, declaration(name))
	}
	return strings.Join(append(parts, body(s.Name())), "\n\n")
}

// Chapters returns the tour.
func Chapters() []Chapter {
	return []Chapter{devices, tensors, failures, models, moves, several, choosing, dataParallel}
}

// Perform runs the step of a name in this process.
func Perform(name string) error {
	for _, c := range Chapters() {
		for _, s := range c.Steps {
			if s.Do != nil && s.Name() == name {
				s.Do()
				return nil
			}
		}
	}
	return fmt.Errorf("the tour has no step %q that is a function", name)
}
