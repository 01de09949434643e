package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"cresset/internal/tour"
)

type tourCommand struct {
	Parts   []string `arg:"" optional:"" name:"part" help:"Chapters and steps to show, such as 3, 3.2 or a step's name; without any, the whole tour."`
	List    bool     `help:"List chapters and steps without running them."`
	JSON    bool     `name:"json" help:"Print a JSON array on stdout, an object for each step."`
	Perform string   `hidden:"" help:"Perform one step in this process: what the tour calls the command for."`
}

// Help tells what the flags do not.
func (c *tourCommand) Help() string {
	return `Five notes on GPU computing with PyTorch are what cresset was founded on. The tour runs every call that they
show: the Go code, as it stands in the source that was compiled, then what it printed just now. Each step runs
in a process of its own, on this machine's GPUs where they are what the step needs, and on simulated ones where
not. A terminal gets it through $PAGER.`
}

// part is a step and its place in the tour.
type part struct {
	tour.Step
	chapter, number int  // from 1
	opens           bool // its chapter
}

// place writes where a step stands, "3.2".
func (p part) place() string { return fmt.Sprintf("%d.%d", p.chapter, p.number) }

// Run runs the steps that were asked for and shows them.
func (c *tourCommand) Run(s *session) error {
	if c.Perform != "" {
		return tour.Perform(c.Perform)
	}
	chapters := tour.Chapters()
	parts, err := choose(chapters, c.Parts)
	if err != nil {
		return s.misused(err.Error(), "cresset tour --list lists the chapters and their steps")
	}
	if c.List && !c.JSON {
		return paged(s, func(w io.Writer, _ look) error { return listTour(w, chapters, parts) })
	}
	var guide *tour.Guide
	if !c.List {
		if guide, err = tour.Open(); err != nil {
			return err
		}
		defer guide.Close()
	}
	outcomes := outcomesOf(s, guide, parts)
	if c.JSON {
		return encodeTour(s, chapters, outcomes)
	}
	return paged(s, func(w io.Writer, l look) error {
		if len(c.Parts) == 0 {
			if err := l.welcome(w); err != nil {
				return err
			}
		}
		return showTour(s, w, l, chapters, outcomes)
	})
}

// showTour writes steps as they end. One that fails does not stop the others.
func showTour(s *session, w io.Writer, l look, chapters []tour.Chapter, outcomes iter.Seq2[part, tour.Outcome]) error {
	var failed error
	for p, o := range outcomes {
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		failed = cmp.Or(failed, o.Err)
		if err := l.step(w, chapters[p.chapter-1].Title, p, o); err != nil {
			return err
		}
	}
	return failed
}

// outcomesOf runs steps; without a guide it only says where they would.
func outcomesOf(s *session, guide *tour.Guide, parts []part) iter.Seq2[part, tour.Outcome] {
	return func(yield func(part, tour.Outcome) bool) {
		if guide == nil {
			for _, p := range parts {
				if !yield(p, tour.Outcome{Variables: p.Needs.Variables(), Simulated: p.Needs.Simulates()}) {
					return
				}
			}
			return
		}
		steps := make([]tour.Step, len(parts))
		for i, p := range parts {
			steps[i] = p.Step
		}
		next := 0
		for _, o := range guide.Run(s.ctx, steps) {
			if !yield(parts[next], o) {
				return
			}
			next++
		}
	}
}

// choose returns the steps that the arguments name, all without arguments.
func choose(chapters []tour.Chapter, args []string) (parts []part, err error) {
	if len(args) == 0 {
		args = make([]string, len(chapters))
		for i := range args {
			args[i] = strconv.Itoa(i + 1)
		}
	}
	for _, arg := range args {
		found, err := stepsOf(chapters, arg)
		if err != nil {
			return nil, err
		}
		parts = append(parts, found...)
	}
	return parts, nil
}

// stepsOf returns the steps of a chapter, "3", or one of them, "3.2" or its name.
func stepsOf(chapters []tour.Chapter, arg string) (parts []part, err error) {
	for c, chapter := range chapters {
		for i, s := range chapter.Steps {
			if s.Name() == arg {
				return []part{{Step: s, chapter: c + 1, number: i + 1, opens: i == 0}}, nil
			}
		}
	}
	first, second, single := strings.Cut(arg, ".")
	chapter, err := strconv.Atoi(first)
	if err != nil || chapter < 1 || chapter > len(chapters) {
		return nil, fmt.Errorf("there is no chapter %q: the tour has 1 to %d", first, len(chapters))
	}
	steps := chapters[chapter-1].Steps
	for i, s := range steps {
		parts = append(parts, part{Step: s, chapter: chapter, number: i + 1, opens: i == 0})
	}
	if !single {
		return parts, nil
	}
	number, err := strconv.Atoi(second)
	if err != nil || number < 1 || number > len(steps) {
		return nil, fmt.Errorf("there is no step %q: chapter %d has %d.1 to %d.%d", arg, chapter, chapter, chapter, len(steps))
	}
	return parts[number-1 : number], nil
}

// listTour lists chapters and their steps.
func listTour(w io.Writer, chapters []tour.Chapter, parts []part) error {
	var b strings.Builder
	for i, p := range parts {
		if i == 0 || p.chapter != parts[i-1].chapter {
			fmt.Fprintf(&b, "%d  %s\n", p.chapter, chapters[p.chapter-1].Title)
		}
		fmt.Fprintf(&b, "   %-5s %s\n", p.place(), p.Title)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// stepRow is a step in JSON.
type stepRow struct {
	Step        string   `json:"step"`
	Name        string   `json:"name"`
	Chapter     string   `json:"chapter"`
	Title       string   `json:"title"`
	Notes       []string `json:"notes"` // "001:70-75": note 001, lines 70 to 75
	Mirrors     string   `json:"mirrors"`
	Needs       string   `json:"needs"`
	Environment []string `json:"environment,omitempty"` // that the step's process got
	Simulated   bool     `json:"simulated,omitempty"`
	Language    string   `json:"language"`
	Code        string   `json:"code"`
	Output      string   `json:"output"`
	Today       string   `json:"today,omitempty"`
}

func encodeTour(s *session, chapters []tour.Chapter, outcomes iter.Seq2[part, tour.Outcome]) error {
	rows := []stepRow{}
	var failed error
	for p, o := range outcomes {
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		failed = cmp.Or(failed, o.Err)
		language := "go"
		if p.Do == nil {
			language = "sh"
		}
		rows = append(rows, stepRow{
			Step: p.place(), Name: p.Name(), Chapter: chapters[p.chapter-1].Title, Title: p.Title, Notes: strings.Fields(p.Note),
			Mirrors: p.Mirrors, Needs: p.Needs.Words, Environment: o.Variables, Simulated: o.Simulated, Language: language,
			Code: p.Code(), Output: o.Output, Today: p.Today,
		})
	}
	return cmp.Or(json.NewEncoder(s.stdout).Encode(rows), failed)
}
