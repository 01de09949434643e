package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/bench"
	"cresset/internal/kern/vec"
	"cresset/tensor"
)

type benchCommand struct {
	Match   string        `arg:"" optional:"" help:"A regular expression for the names of workloads; all by default."`
	Device  device.Device `default:"cpu" help:"The CPU, or a GPU such as cuda:0."`
	Model   string        `placeholder:"h200" help:"Of a GPU that is not here, such as h200, tell what occupancy, instructions and roofline say; nothing is timed."`
	Scaling bool          `help:"With --model: how training scales from 8 to 1,024 GPUs, by simulated clocks."`
	Threads []int         `placeholder:"1,2" help:"Numbers of threads; by default one, and all that there are."`
	Rounds  int           `default:"5" help:"Rounds, of which the median is told."`
	List    bool          `help:"Name the workloads and time nothing."`
	Follow  bool          `help:"Read \"NAME THREADS\" lines from stdin, and answer each with a JSON line of one round; for scripts that compare."`
	Memory  *int          `placeholder:"STEPS" help:"Train the one workload so many steps, and tell as JSON by how many bytes the resident peak grows; Linux only."`
	Scopes  bool          `default:"true" negatable:"" help:"Give each step of --memory a scope."`
	JSON    bool          `name:"json" help:"Print a JSON object on stdout."`
}

// Help tells how figures come about.
func (c *benchCommand) Help() string {
	return `Times workloads and measures what the machine allows in the same run. Of a GPU shares of clocks and, of bytes, of a copy of
256 MiB within its memory are told: clocks are never reached. A round times batches of calls of some 10 ms and keeps the fastest. On a machine that is doing other things too, only ratios of figures of one run mean
anything; scripts/bench_torch.py makes such a run with PyTorch. Of a simulated GPU its modelled clock is told, not how long the simulation took.

--model runs nothing: what each workload issues goes to a simulated GPU whose kernels do nothing. Bytes are those of all operands and results, op by op;
the roofline is what they, or the products, take by the clocks; the model adds launches, blocks that wait for others, memory that waits for loads, and
the instructions of main loops as NVIDIA's assembler made them. docs/benchmarks.md says how far it is off on an H100.

--scaling supposes a model and a network, which it prints, and has simulated clocks of a GPU and its links pass through a training step.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted, 143 terminated.`
}

// benchmarks is what a run found on one device.
type benchmarks struct {
	CPU   string `json:"cpu,omitempty"`
	GPU   string `json:"gpu,omitempty"`
	Level string `json:"level"` // "avx2", "sm_90"
	Cores int    `json:"cores"` // multiprocessors of a GPU

	Simulated bool `json:"simulated,omitempty"` // times are those of a modelled clock

	Limits  []bench.Limits `json:"limits"`
	Figures []bench.Figure `json:"figures"`
}

// Run times the workloads.
func (c *benchCommand) Run(s *session) error {
	if c.Model != "" {
		if err := c.misfit(s); err != nil {
			return err
		}
	}
	if c.Scaling {
		if c.Model == "" {
			return s.misused("--scaling is of a GPU that --model names", "give --model h100, for example")
		}
		return c.scaling(s)
	}
	cases, err := bench.Matching(c.Device, c.Match)
	if err != nil {
		return s.misused(err.Error(), "cresset bench --list names the workloads")
	}
	switch {
	case c.Rounds < 1:
		return s.misused(fmt.Sprintf("--rounds is %d", c.Rounds), "give at least one")
	case !c.Scopes && c.Memory == nil:
		return s.misused("--no-scopes is for --memory", "give --memory too")
	case c.List:
		return c.list(s.stdout, cases)
	case c.Model != "":
		return c.model(s, cases)
	case c.Device.IsCUDA() && (c.Memory != nil || len(c.Threads) > 0):
		return s.misused("--memory and --threads are of the CPU", "leave out --device")
	case c.Device != device.CPU && !c.Device.IsCUDA():
		return s.misused(fmt.Sprintf("--device %s cannot compute", c.Device), "give cpu, or a GPU such as cuda:0")
	case c.Follow:
		return follow(s, os.Stdin, c.Device)
	case c.Device.IsCUDA():
		return c.gpu(s, cases)
	}
	threads, err := c.threads(s)
	switch {
	case err != nil:
		return err
	case c.Memory != nil:
		return c.memory(s, cases, threads)
	}
	return c.time(s, cases, threads)
}

func (c *benchCommand) list(w io.Writer, cases []bench.Case) error {
	var names []string
	for _, w := range cases {
		names = append(names, w.Name)
	}
	if c.JSON {
		return json.NewEncoder(w).Encode(names)
	}
	for _, name := range names {
		if _, err := fmt.Fprintln(w, name); err != nil {
			return err
		}
	}
	return nil
}

// threads returns the numbers of threads to time with.
func (c *benchCommand) threads(s *session) ([]int, error) {
	for _, n := range c.Threads {
		if n < 1 {
			return nil, s.misused(fmt.Sprintf("--threads has %d", n), "give numbers from 1")
		}
	}
	switch all := tensor.NumThreads(); {
	case len(c.Threads) > 0:
		once := slices.Clone(c.Threads)
		slices.Sort(once)
		return slices.Compact(once), nil
	case all == 1:
		return []int{1}, nil
	default:
		return []int{1, all}, nil
	}
}

func (c *benchCommand) time(s *session, cases []bench.Case, threads []int) error {
	found := benchmarks{Level: vec.Current().String()}
	found.CPU, found.Cores = readCPU(os.DirFS("/"))
	for _, n := range threads {
		found.Limits = append(found.Limits, bench.MeasureLimits(n))
	}
	return c.tell(s, found, func(yield func(bench.Figure) bool) {
		for _, w := range cases {
			for _, n := range threads {
				if !yield(bench.Measure(w, n, c.Rounds)) {
					return
				}
			}
		}
	})
}

// gpu times the workloads on a GPU.
func (c *benchCommand) gpu(s *session, cases []bench.Case) error {
	s.simulated(c.Device)
	index, _ := c.Device.Index()
	p, err := cuda.DeviceProperties(max(index, 0))
	if err != nil {
		return &advice{fmt.Errorf("--device %s: %w", c.Device, err), "cresset devices lists what can compute here"}
	}
	found := benchmarks{GPU: p.Name, Level: fmt.Sprintf("sm_%d%d", p.Major, p.Minor), Cores: p.Multiprocessors, Simulated: p.Simulated, Limits: []bench.Limits{bench.MeasureGPULimits(p, c.Device)}}
	return c.tell(s, found, func(yield func(bench.Figure) bool) {
		for _, w := range cases {
			if !yield(bench.MeasureGPU(w, c.Device, c.Rounds, found.Limits[0])) {
				return
			}
		}
	})
}

// tell prints figures as they come; who interrupts the command gets those that there are.
func (c *benchCommand) tell(s *session, found benchmarks, figures iter.Seq[bench.Figure]) error {
	table := tabwriter.NewWriter(s.stdout, 16, 0, 2, ' ', 0)
	if !c.JSON {
		found.printMachine(s.stdout)
		fmt.Fprintln(table, found.heading())
		table.Flush()
	}
	for f := range promptly(s.ctx, figures) {
		found.Figures = append(found.Figures, f)
		if !c.JSON {
			printFigure(table, f)
			if err := table.Flush(); err != nil {
				return err
			}
		}
	}
	if c.JSON {
		if err := json.NewEncoder(s.stdout).Encode(found); err != nil {
			return err
		}
	}
	return s.stopped()
}

// promptly yields figures until a signal comes. What is being timed then is not waited for, since a call may take minutes on a simulated GPU: it ends with the process, or
// before the next figure.
func promptly[T any](ctx context.Context, figures iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		left, told := context.WithCancel(ctx)
		defer told()
		found := make(chan T)
		go func() {
			defer close(found)
			for f := range figures {
				select {
				case found <- f:
				case <-left.Done():
					return
				}
			}
		}()
		for {
			select {
			case f, ok := <-found:
				if !ok || !yield(f) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// memory tells what training takes, on the first of the numbers of threads: a process measures once.
func (c *benchCommand) memory(s *session, cases []bench.Case, threads []int) error {
	steps := *c.Memory
	if steps < 1 || len(cases) != 1 {
		return s.misused(fmt.Sprintf("--memory is %d for %d workloads", steps, len(cases)), "name one workload, as ^train/mlp_sgd$, and at least one step")
	}
	g, err := bench.MeasureGrowth(cases[0].Name, threads[0], steps, c.Scopes)
	switch {
	case errors.Is(err, bench.ErrNoTraining):
		return s.misused(err.Error(), "those of train/ do")
	case err != nil:
		return err
	}
	return json.NewEncoder(s.stdout).Encode(g)
}

func (b *benchmarks) printMachine(w io.Writer) {
	if b.GPU != "" {
		l := b.Limits[0]
		fmt.Fprintf(w, "%s, %s, %d multiprocessors, %s\n", b.GPU, b.Level, b.Cores, ofGPU(l))
		if b.Simulated {
			fmt.Fprintln(w, "nothing was timed: what a simulated GPU takes is told by its modelled clock")
		}
		fmt.Fprintln(w)
		return
	}
	fmt.Fprintf(w, "%s, %d cores, kernels for %s\n", b.CPU, b.Cores, b.Level)
	for _, l := range b.Limits {
		var levels []string
		for _, v := range l.Levels {
			levels = append(levels, fmt.Sprintf("%s %.0f", v.Name, v.Rate))
		}
		fmt.Fprint(w, count(l.Threads, "thread", "s"), ": ")
		if l.FMA > 0 {
			fmt.Fprintf(w, "FMA %.0f GFLOP/s, ", l.FMA)
		}
		fmt.Fprintf(w, "%s GB/s\n", strings.Join(levels, ", "))
	}
	fmt.Fprintln(w)
}

// ofGPU tells the limits of a GPU.
func ofGPU(l bench.Limits) string {
	text := fmt.Sprintf("by its clocks: FMA %.0f GFLOP/s, half types %.0f GFLOP/s, memory %.0f GB/s", l.FMA, l.Halves, l.Levels[0].Rate)
	if l.Copy > 0 {
		text += fmt.Sprintf("; a copy within it, measured: %.0f GB/s", l.Copy)
	}
	return text
}

func (b *benchmarks) heading() string {
	if b.GPU != "" {
		return fmt.Sprintf(caseColumn, "WORKLOAD") + "\tOF CLOCKS, COPY\tTIME\tRATE\tSPREAD"
	}
	return fmt.Sprintf(caseColumn, "WORKLOAD") + "\tTHREADS\tTIME\tRATE\tSPREAD"
}

// caseColumn is for names of workloads: lines come one by one, and have to stand below each other.
const caseColumn = "%-34s"

func printFigure(w io.Writer, f bench.Figure) {
	if f.Problem != "" {
		fmt.Fprintf(w, caseColumn+"\t\t%s\n", f.Case, firstLine(f.Problem))
		return
	}
	rate := ""
	if f.Rate > 0 {
		rate = fmt.Sprintf("%.4g %s", f.Rate, f.Unit)
	}
	column := ""
	switch {
	case f.Threads > 0:
		column = fmt.Sprint(f.Threads)
	case f.OfCopy > 0:
		column = fmt.Sprintf("%.1f%%, %.1f%%", 100*f.OfClocks, 100*f.OfCopy)
	case f.OfClocks > 0:
		column = fmt.Sprintf("%.1f%%", 100*f.OfClocks)
	}
	fmt.Fprintf(w, caseColumn+"\t%s\t%s\t%s\t%+.0f%%\n", f.Case, column, duration(f.Median), rate, 100*(f.Max-f.Min)/f.Median)
}

// duration writes nanoseconds for people.
func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.4g ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.4g µs", ns/1e3)
	default:
		return fmt.Sprintf("%.4g ms", ns/1e6)
	}
}

// follow answers requests for single rounds until its input ends. Operands stay between the rounds of a workload.
func follow(s *session, in io.Reader, dev device.Device) error {
	ready := map[string]*bench.Round{}
	cases := map[string]bench.Case{}
	for _, c := range bench.Cases(dev) {
		cases[c.Name] = c
	}
	answer := json.NewEncoder(s.stdout)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var name string
		var threads int
		if _, err := fmt.Sscan(lines.Text(), &name, &threads); err != nil || threads < 1 {
			return s.misused(fmt.Sprintf("cannot read the request %q", lines.Text()), "a line is NAME THREADS")
		}
		c, ok := cases[name]
		if !ok {
			return s.misused(fmt.Sprintf("there is no workload %q", name), "cresset bench --list names them")
		}
		tensor.SetNumThreads(threads)
		key := lines.Text()
		if ready[key] == nil {
			clear(ready) // the operands of one workload at a time
			ready[key] = c.Prepare(dev)
		}
		if err := answer.Encode(map[string]any{"case": name, "threads": threads, "ns": ready[key].Time()}); err != nil {
			return err
		}
	}
	return nil
}
