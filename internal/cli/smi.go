package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"cresset/smi"
)

type smiCommand struct {
	ListGPUs    bool   `name:"list-gpus" short:"L" help:"List names and UUIDs."`
	Short       bool   `help:"Print a line for each GPU: what it does and whose programs hold its memory."`
	Query       bool   `short:"q" help:"Print everything that the GPUs report, in the form of the driver's generation."`
	Display     string `short:"d" placeholder:"SECTIONS" help:"With -q: only these sections, MEMORY,UTILIZATION for instance."`
	ID          string `name:"id" short:"i" placeholder:"GPU" help:"Only these GPUs: indexes, UUIDs, serial numbers or bus ids, separated by commas."`
	Filename    string `short:"f" placeholder:"FILE" help:"Print to a file instead of stdout."`
	Loop        *int   `short:"l" placeholder:"N" help:"Print again every N seconds; 5 where -l is given alone."`
	LoopMS      *int   `name:"loop-ms" placeholder:"N" help:"Print again every N milliseconds; -lms too."`
	QueryGPU    string `name:"query-gpu" placeholder:"FIELDS" help:"Print a line of CSV for each GPU; wants --format."`
	QueryApps   string `name:"query-compute-apps" placeholder:"FIELDS" help:"Print a line of CSV for each program that computes; wants --format."`
	Format      string `placeholder:"csv" help:"csv, with ,noheader and ,nounits as wished."`
	Layout      string `placeholder:"DRIVER" help:"Print as the nvidia-smi of these drivers does: 418, 450, 510, 535, 550, 570, 580, current or driver for the machine's own."`
	JSON        bool   `name:"json" help:"Print a JSON object."`
	FieldHelp   bool   `name:"help-query-gpu" help:"List all fields for --query-gpu."`
	AppHelp     bool   `name:"help-query-compute-apps" help:"List all fields for --query-compute-apps."`
	headWritten bool
}

// Help tells what the flags do not.
func (c *smiCommand) Help() string {
	return `Takes the flags of nvidia-smi, and prints what it prints. GPUs are numbered by their place on the PCI bus,
whatever CUDA_VISIBLE_DEVICES says. Where there is no NVML, the driver tells of the memory of the visible GPUs.

Exit codes, those of nvidia-smi: 0 done, 2 wrong usage, 4 no permission, 6 no such GPU, 9 the driver is not loaded,
12 no NVML and no driver, 13 NVML is too old, 15 a GPU is lost, 18 library and driver have different versions, 130 interrupted, 255 other.`
}

// More tells the values that flags can have.
func (c *smiCommand) More() string {
	return `Sections for --display: ` + strings.Join(sectionNames(), ", ") + `.

Fields for --query-gpu: ` + fieldNames(gpuFields()) + `. nvidia-smi's other fields are N/A.

Fields for --query-compute-apps: ` + fieldNames(programFields()) + "."
}

// smiFailure ends the command as it ends nvidia-smi: with a text on stdout.
type smiFailure struct {
	text string
	code int
}

// Error returns the text.
func (e *smiFailure) Error() string { return strings.TrimSpace(e.text) }

// Run prints what the flags ask for.
func (c *smiCommand) Run(s *session) error {
	switch {
	case c.FieldHelp:
		return writeFieldHelp(s.stdout, "query-gpu", gpuFields())
	case c.AppHelp:
		return writeFieldHelp(s.stdout, "query-compute-apps", programFields())
	}
	to, out := *s, &stickyWriter{Writer: s.stdout}
	to.stdout = out
	if c.Filename == "" {
		return cmp.Or(c.runTo(&to), s.unprinted(out.err))
	}
	file, err := os.Create(c.Filename)
	if err != nil {
		return s.unprinted(err)
	}
	out.Writer = file
	err = c.runTo(&to)
	return cmp.Or(err, s.unprinted(cmp.Or(out.err, file.Close())))
}

// unprinted says that what was asked for is not where it belongs.
func (s *session) unprinted(err error) error {
	if err == nil {
		return nil
	}
	fmt.Fprintf(s.stderr, "cresset: %v\n", err)
	return exitCode(255)
}

func (c *smiCommand) runTo(s *session) error {
	err := c.run(s)
	failure, ok := errors.AsType[*smiFailure](err)
	switch {
	case !ok:
		return err
	case c.JSON:
		fmt.Fprintln(s.stderr, "cresset:", failure)
	default:
		fmt.Fprintln(s.stdout, failure.text)
	}
	return exitCode(failure.code)
}

func (c *smiCommand) run(s *session) error {
	print, err := c.printer(s)
	if err != nil {
		return err
	}
	every, first := c.every(), true
	for inventory, err := range c.watch(s.ctx, cmp.Or(every, time.Second)) {
		if inventory == nil {
			return c.failure(s, err)
		}
		if first {
			s.announce()
		}
		first = false
		err := c.show(s, print, inventory, err)
		_, said := errors.AsType[exitCode](err) // of GPUs that are missing and may come back
		if every == 0 || err != nil && (!said || len(inventory.GPUs) == 0) {
			return err
		}
	}
	return s.ctx.Err()
}

// every is the time between two looks; 0 for a single one.
func (c *smiCommand) every() time.Duration {
	switch {
	case c.Loop != nil:
		return time.Duration(*c.Loop) * time.Second
	case c.LoopMS != nil:
		return time.Duration(*c.LoopMS) * time.Millisecond
	}
	return 0
}

// detailed reports whether the output has what takes longer to ask for.
func (c *smiCommand) detailed() bool {
	fields, _ := csvFields(c.QueryGPU, gpuFields()) // which printer has checked
	return c.Query || c.JSON || slices.ContainsFunc(fields, func(f csvField) bool { return f.slow })
}

func (c *smiCommand) watch(ctx context.Context, every time.Duration) iter.Seq2[*smi.Inventory, error] {
	if c.detailed() {
		return smi.WatchDetails(ctx, every)
	}
	return smi.Watch(ctx, every)
}

// printer checks the flags and returns what prints for them.
func (c *smiCommand) printer(s *session) (func(inventory *smi.Inventory, attached int) error, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	sections, err := readSections(c.Display)
	if err != nil {
		return nil, usage(err)
	}
	switch {
	case c.JSON:
		return func(i *smi.Inventory, _ int) error { return json.NewEncoder(s.stdout).Encode(i) }, nil
	case c.ListGPUs:
		return func(i *smi.Inventory, _ int) error {
			for _, g := range i.GPUs {
				writeGPUNames(s.stdout, g)
			}
			return nil
		}, nil
	case c.Short:
		return func(i *smi.Inventory, _ int) error { return writeShort(s.stdout, i.GPUs) }, nil
	case c.QueryGPU != "":
		return c.csvPrinter(s, c.QueryGPU, gpuFields(), gpuRows)
	case c.QueryApps != "":
		return c.csvPrinter(s, c.QueryApps, programFields(), programRows)
	}
	return func(i *smi.Inventory, attached int) error {
		layout, err := chooseLayout(c.Layout, i.Driver, c.Query)
		if err != nil {
			return usage(err)
		}
		if c.Query {
			(&logWriter{s.stdout, layout, sections}).write(i, attached)
			return nil
		}
		writeSMITable(s.stdout, layout, i)
		return nil
	}, nil
}

// writeGPUNames writes the names of a GPU and of its MIG instances.
func writeGPUNames(w io.Writer, g smi.GPU) {
	fmt.Fprintf(w, "GPU %d: %s (UUID: %s)\n", g.Index, told(g.Name), told(g.UUID))
	for _, part := range g.Instances {
		fmt.Fprintf(w, "  MIG %-11s Device %2d: (UUID: %s)\n", told(part.Name), part.Index, told(part.UUID))
	}
}

// check refuses flags that do not go together.
func (c *smiCommand) check() error {
	kinds := 0
	for _, asked := range []bool{c.ListGPUs, c.Short, c.Query, c.QueryGPU != "", c.QueryApps != "", c.JSON} {
		if asked {
			kinds++
		}
	}
	csv := c.QueryGPU != "" || c.QueryApps != ""
	switch {
	case kinds > 1:
		return usage(errors.New("-L, --short, -q, --query-gpu, --query-compute-apps and --json exclude each other"))
	case csv && c.Format == "":
		return usage(errors.New("--query-gpu and --query-compute-apps want --format=csv"))
	case !csv && c.Format != "":
		return usage(errors.New("--format is for --query-gpu and --query-compute-apps"))
	case c.Display != "" && !c.Query:
		return usage(errors.New("--display is for --query"))
	case c.Loop != nil && (*c.Loop < 1 || *c.Loop > maxLoop):
		return usage(fmt.Errorf("--loop must be from 1 to %d seconds, not %d", maxLoop, *c.Loop))
	case c.LoopMS != nil && (*c.LoopMS < 1 || *c.LoopMS > 1000*maxLoop):
		return usage(fmt.Errorf("--loop-ms must be from 1 to %d milliseconds, not %d", 1000*maxLoop, *c.LoopMS))
	case c.Loop != nil && c.LoopMS != nil:
		return usage(errors.New("--loop and --loop-ms exclude each other"))
	}
	_, err := chooseLayout(c.Layout, "", false)
	if err != nil {
		return usage(err)
	}
	return nil
}

const maxLoop = 24 * 60 * 60

func usage(err error) error { return &smiFailure{err.Error(), exitUsage} }

func (c *smiCommand) csvPrinter(
	s *session, list string, known map[string]csvField, rows func(i *smi.Inventory, attached int) []csvRow,
) (func(*smi.Inventory, int) error, error) {
	fields, err := csvFields(list, known)
	if err != nil {
		return nil, err
	}
	if _, err := readCSVForm(c.Format, ""); err != nil {
		return nil, usage(err)
	}
	return func(i *smi.Inventory, attached int) error {
		layout, err := chooseLayout(c.Layout, i.Driver, true)
		if err != nil {
			return usage(err)
		}
		form, err := readCSVForm(c.Format, layout.absent)
		if err != nil {
			return usage(err)
		}
		writeCSV(s.stdout, form, fields, rows(i, attached), !c.headWritten)
		c.headWritten = true
		return nil
	}, nil
}

// Texts of nvidia-smi.
const (
	noDevices = "No devices were found"
	noDriver  = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. " +
		"Make sure that the latest NVIDIA driver is installed and running.\n"
	noLibrary = "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. " +
		"Please make sure that the NVIDIA Display Driver is properly installed and present in your system.\n" +
		"Please also try adding directory that contains libnvidia-ml.so to your system PATH."
	mismatch = "Failed to initialize NVML: Driver/library version mismatch"
	tooOld   = "Failed to initialize NVML: Function Not Found"

	unreachable  = "Unable to determine the device handle"
	lost         = "GPU is lost" // which is NVML's text too
	rebootAdvice = ".  Reboot the system to recover this GPU"
)

// Exit codes of nvidia-smi that more than one place has.
const (
	exitNoDevices = 6
	exitLost      = 15
)

// failure says on stderr what happened, and returns what nvidia-smi would say.
func (c *smiCommand) failure(s *session, err error) error {
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	fmt.Fprintf(s.stderr, "cresset: %v\n", err)
	return reply(err)
}

// reply is how nvidia-smi ends where the GPUs cannot be listed.
func reply(err error) error {
	switch {
	case errors.Is(err, smi.ErrNoLibrary):
		return &smiFailure{noLibrary, 12}
	case errors.Is(err, smi.ErrNoDriver):
		return &smiFailure{noDriver, 9}
	case errors.Is(err, smi.ErrMismatch):
		text := mismatch
		if versions, ok := errors.AsType[*smi.MismatchError](err); ok {
			text += "\nNVML library version: " + smi.Printable(versions.Library)
		}
		return &smiFailure{text, 18}
	case errors.Is(err, smi.ErrTooOld):
		return &smiFailure{tooOld, 13}
	case errors.Is(err, smi.ErrNoGPU):
		return &smiFailure{noDevices, exitNoDevices}
	case errors.Is(err, smi.ErrLost):
		return &smiFailure{unreachable + ": " + lost + rebootAdvice, exitLost}
	case errors.Is(err, smi.ErrNoPermission):
		return &smiFailure{"Insufficient Permissions", 4}
	}
	return exitCode(255)
}
