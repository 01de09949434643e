package cli

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"cresset/internal/tui"
	"cresset/internal/tui/paint"
	"cresset/smi"
)

type topCommand struct {
	ID       string   `name:"id" short:"i" placeholder:"GPU" help:"Only these GPUs: indexes, UUIDs, serial numbers or bus ids, separated by commas."`
	Interval string   `short:"l" default:"1" placeholder:"SECONDS" help:"Time between two looks, in seconds or such as 500ms."`
	Sort     tui.Sort `enum:"gpu,memory,pid,user,command" default:"gpu" help:"Order of the programs: gpu, memory, pid, user or command."`
	Once     bool     `help:"Print one frame, plainly, and end."`
	Looks    int      `short:"n" default:"1" placeholder:"N" help:"With --once: how often to look before; histories need several."`
}

// Help tells what the flags do not.
func (c *topCommand) Help() string {
	return `Shows utilization, memory, temperature and power of the GPUs with their histories, newest at the right, and the
programs that hold their memory (type C computes, G draws) or have reserved them (R). Keys: ? tells them, q ends. What a GPU does not report is N/A.

Where stdout is no terminal it does as with --once; on a terminal that cannot move its cursor (TERM=dumb) it prints
frame after frame. NO_COLOR takes the colours away, a locale without UTF-8 all that is not ASCII.

Exit codes: 0 done, 1 the GPUs cannot be listed, 2 wrong usage, 130 interrupted.`
}

// Times between two looks.
const (
	minInterval = 100 * time.Millisecond // NVML's own values are no newer
	maxInterval = maxLoop * time.Second
)

// Run shows the GPUs.
func (c *topCommand) Run(s *session) error {
	every, err := c.interval()
	if err == nil && (c.Looks < 1 || c.Looks > 100_000) {
		err = fmt.Errorf("--looks must be from 1 to 100000, not %d", c.Looks)
	}
	if err != nil {
		return s.misused(err.Error(), "cresset top --help lists the flags")
	}
	first, err := smi.Take()
	if first == nil { // with one GPU lost there are others to see
		return err
	}
	chosen, err := c.choose(first.GPUs)
	if err != nil {
		return err
	}
	watch := func(ctx context.Context) iter.Seq[tui.Look] { return looks(smi.Watch(ctx, every), chosen) }
	options := tui.Options{Palette: paint.On(s.stdout), ASCII: !speaksUTF8(runtime.GOOS), Sort: c.Sort}
	terminal, _ := s.stdout.(*os.File)
	if c.Once || columns(s.stdout) == 0 {
		return c.printOnce(s, tui.New(options), watch)
	}
	options.Every = every
	view := tui.New(options)
	if isDumb() {
		return printEach(s, view, watch)
	}
	if err := tui.Run(s.ctx, view, watch, os.Stdin, terminal); err != nil {
		return err
	}
	if view.Interrupted() {
		return context.Canceled
	}
	return nil
}

// interval reads --interval.
func (c *topCommand) interval() (time.Duration, error) {
	every, err := time.ParseDuration(c.Interval)
	if seconds, number := strconv.ParseFloat(c.Interval, 64); number == nil && seconds >= 0 && seconds <= maxLoop {
		every, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil || every < minInterval || every > maxInterval {
		return 0, fmt.Errorf("--interval must be from 0.1 to %d seconds, not %q", maxLoop, c.Interval)
	}
	return every, nil
}

// choose returns a test for the GPUs that --id names. They are known by their UUIDs, as an index may change when a GPU is
// lost.
func (c *topCommand) choose(gpus []smi.GPU) (func(smi.GPU) bool, error) {
	if c.ID == "" {
		return func(smi.GPU) bool { return true }, nil
	}
	var chosen []smi.GPU
	for id := range strings.SplitSeq(c.ID, ",") {
		g, err := smi.Find(gpus, id)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, g)
	}
	return func(g smi.GPU) bool {
		return slices.ContainsFunc(chosen, func(other smi.GPU) bool {
			return g.UUID == other.UUID && (g.UUID != "" || g.Index == other.Index)
		})
	}, nil
}

// looks adds to inventories who runs the programs in them.
func looks(inventories iter.Seq2[*smi.Inventory, error], chosen func(smi.GPU) bool) iter.Seq[tui.Look] {
	return func(yield func(tui.Look) bool) {
		for inventory, err := range inventories {
			look := tui.Look{Inventory: inventory, Err: err, Identities: map[int]smi.Identity{}}
			if inventory != nil {
				inventory.GPUs = slices.DeleteFunc(inventory.GPUs, func(g smi.GPU) bool { return !chosen(g) })
				for _, g := range inventory.GPUs {
					for _, p := range g.Processes {
						look.Identities[p.PID] = smi.Identify(p)
					}
					if h := g.ReservedBy; h != nil && look.Identities[h.PID] == (smi.Identity{}) {
						look.Identities[h.PID] = smi.Identify(smi.Process{PID: h.PID, Name: h.Name})
					}
				}
			}
			if !yield(look) {
				return
			}
		}
	}
}

// printOnce prints one frame, after so many looks.
func (c *topCommand) printOnce(s *session, view *tui.Top, watch func(context.Context) iter.Seq[tui.Look]) error {
	s.announce()
	left := c.Looks
	for look := range watch(s.ctx) {
		view.Take(look)
		if left--; left == 0 {
			break
		}
	}
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return printFrame(s.stdout, view)
}

// printEach prints frame after frame.
func printEach(s *session, view *tui.Top, watch func(context.Context) iter.Seq[tui.Look]) error {
	s.announce()
	for look := range watch(s.ctx) {
		view.Take(look)
		if err := printFrame(s.stdout, view); err != nil {
			return err
		}
		fmt.Fprintln(s.stdout)
	}
	return s.ctx.Err()
}

func printFrame(w io.Writer, view *tui.Top) error {
	_, err := fmt.Fprintln(w, view.Frame(frameWidth(w)))
	return err
}

// frameWidth returns the columns of a terminal, those that COLUMNS tells, or 80.
func frameWidth(w io.Writer) int {
	if n := columns(w); n > 0 {
		return n
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 && n <= 1000 {
		return n
	}
	return 80
}

// isDumb reports whether the terminal cannot move its cursor.
func isDumb() bool {
	name := os.Getenv("TERM")
	return name == "dumb" || name == "" && runtime.GOOS != "windows"
}

// speaksUTF8 reports whether the locale's character set is UTF-8. Windows has no such locales, and is asked for nothing
// else.
func speaksUTF8(system string) bool {
	if system == "windows" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} { // the first that is set decides
		if value := strings.ToLower(os.Getenv(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}
