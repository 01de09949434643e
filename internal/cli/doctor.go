package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/backend/cpu"
	backend "cresset/internal/backend/cuda"
	"cresset/internal/hardware"
	"cresset/internal/op"
	"cresset/internal/tenants"
)

type doctorCommand struct {
	Ops      bool           `help:"List every op and the dtypes in which the CPU and GPUs compute it."`
	Check    string         `placeholder:"DEVICES" help:"Fail unless these devices can compute: cpu, cuda or cuda:1 for instance, separated by commas."`
	SelfTest bool           `name:"selftest" help:"Compare a GPU with the CPU, kernel by kernel, and time it; ends two minutes after its kernels are compiled."`
	Device   *device.Device `placeholder:"GPU" help:"The GPU of --selftest; cuda:0 unless given."`
	JIT      bool           `name:"jit" help:"Compile every kernel for every GPU, keep the code for programs that follow, and tell how long it took."`
	Dist     bool           `help:"Tell of distributed training: launchers and MPI libraries, or started as the ranks of a job their cores, GPUs and clocks, and how messages go between each two."`
	JSON     bool           `name:"json" help:"Print a JSON object on stdout."`
}

// diagnosis is what the doctor found.
type diagnosis struct {
	Driver          string      `json:"driver"` // empty where there is none
	Devices         []deviceRow `json:"devices"`
	JIT             []jitRow    `json:"jit,omitempty"`
	Compiler        string      `json:"compiler,omitempty"` // the library that compiles kernels for the driver
	CompilerProblem string      `json:"compiler_problem,omitempty"`
	Sharing         string      `json:"sharing,omitempty"` // where programs tell each other of a simulated machine, or why they do not
	Problem         string      `json:"problem,omitempty"`
	Advice          string      `json:"advice,omitempty"`
	Ops             []opPlaces  `json:"ops,omitempty"`
}

// opPlaces says in which dtypes an op is computed where.
type opPlaces struct {
	Op  string   `json:"op"`
	CPU []string `json:"cpu"`
	GPU []string `json:"cuda"`
}

// Help tells the exit codes.
func (c *doctorCommand) Help() string {
	return "Exit codes: 0 the report is printed, whatever is missing; 1 it cannot be printed, a device of --check is missing, or a GPU fails --selftest; 2 wrong usage."
}

// Run looks for what GPUs need and says what is missing.
func (c *doctorCommand) Run(s *session) error {
	wanted, err := c.wanted()
	if err != nil {
		return s.misused(err.Error(), "cresset doctor --help lists the flags")
	}
	if err := c.checkSelfTest(); err != nil {
		return s.misused(err.Error(), "cresset doctor --help lists the flags")
	}
	if c.Dist {
		return c.cluster(s)
	}
	d := diagnose()
	if c.SelfTest {
		return c.selfTest(s, d)
	}
	if c.Ops {
		d.Ops = placesOfOps()
	}
	if c.JIT && d.Problem == "" {
		d.JIT = loadKernels()
	}
	s.announce()
	switch {
	case c.JSON:
		err = json.NewEncoder(s.stdout).Encode(d)
	case c.Ops:
		err = printOps(s.stdout, d.Ops)
	default:
		err = d.print(s.stdout)
	}
	return cmp.Or(err, d.lacks(wanted))
}

// wanted reads --check.
func (c *doctorCommand) wanted() (devices []device.Device, err error) {
	if c.Check == "" {
		return nil, nil
	}
	for name := range strings.SplitSeq(c.Check, ",") {
		d, err := device.Parse(strings.TrimSpace(name))
		if err != nil {
			return nil, fmt.Errorf("--check: %w", err)
		}
		devices = append(devices, d)
	}
	return devices, nil
}

// lacks fails where one of the devices is not there or cannot compute. Without an index, cuda is the first GPU.
func (d *diagnosis) lacks(wanted []device.Device) error {
	for _, w := range wanted {
		name := w.String()
		if _, numbered := w.Index(); w.IsCUDA() && !numbered {
			name = device.CUDA(0).String()
		}
		i := slices.IndexFunc(d.Devices, func(r deviceRow) bool { return r.Device == name })
		switch {
		case i < 0 && d.Problem != "":
			return fmt.Errorf("%s is missing: %s", w, firstLine(d.Problem))
		case i < 0:
			return fmt.Errorf("%s is missing", w)
		case d.Devices[i].Problem != "":
			return fmt.Errorf("%s cannot compute: %s", w, d.Devices[i].Problem)
		case w.IsCUDA() && d.Problem != "":
			return fmt.Errorf("%s cannot compute: %s", w, d.Problem)
		}
	}
	return nil
}

func diagnose() diagnosis {
	d := diagnosis{Driver: library(), Devices: []deviceRow{host()}, Sharing: sharing()}
	rows, err := gpus()
	d.Devices = append(d.Devices, rows...)
	if err == nil {
		err = backend.Start()
	}
	if err != nil {
		d.Problem, d.Advice = err.Error(), hintOf(err)
	} else {
		d.Compiler, d.CompilerProblem = compiler()
	}
	return d
}

// sharing says whether other programs see what this one does on simulated GPUs, and this one what they do. It is empty on
// real ones.
func sharing() string {
	value, simulated := hardware.Asked()
	if !simulated {
		return ""
	}
	folder, err := tenants.Folder(value)
	switch {
	case err != nil:
		return "not possible: every program has a machine of its own: " + err.Error()
	case folder == "":
		return "off: " + tenants.Variable + "=off gives every program a machine of its own"
	}
	return "programs with this " + hardware.Variable + " meet in " + folder
}

func (d *diagnosis) print(w io.Writer) error {
	var b strings.Builder
	if d.Driver != "" {
		fmt.Fprintf(&b, "driver   %s\n", d.Driver)
	} else {
		fmt.Fprintf(&b, "driver   none\n")
	}
	for _, r := range d.Devices {
		if r.Problem != "" {
			fmt.Fprintf(&b, "%-8s cannot compute: %s\n", r.Device, r.Problem)
			continue
		}
		fmt.Fprintf(&b, "%-8s %s, %s, %s of %s free\n", r.Device, r.Name, r.Level, gib(r.Available), gib(r.Total))
	}
	if d.CompilerProblem != "" {
		fmt.Fprintf(&b, "compiler %s\n", d.CompilerProblem)
	}
	for _, r := range d.JIT {
		fmt.Fprintf(&b, "kernels  %v\n", r)
	}
	for i, line := range strings.Split(d.Sharing, "\n") {
		switch {
		case i > 0:
			fmt.Fprintf(&b, "         %s\n", line)
		case line != "":
			fmt.Fprintf(&b, "sharing  %s\n", line)
		}
	}
	if d.Problem != "" {
		fmt.Fprintf(&b, "missing  %s\n", strings.TrimSpace(d.Problem))
		for line := range strings.Lines(d.Advice) {
			fmt.Fprintf(&b, "         %s\n", strings.TrimRight(line, "\n"))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// placesOfOps lists the ops that have kernels of their own.
func placesOfOps() []opPlaces {
	var list []opPlaces
	for _, o := range op.All() {
		p := opPlaces{Op: o.String(), CPU: []string{}, GPU: []string{}}
		for dt := dtype.Bool; dt < dtype.Count; dt++ {
			if (cpu.Backend{}).Has(o, dt) {
				p.CPU = append(p.CPU, dt.Name())
			}
			if backend.Has(o, dt) {
				p.GPU = append(p.GPU, dt.Name())
			}
		}
		if len(p.CPU)+len(p.GPU) > 0 {
			list = append(list, p)
		}
	}
	return list
}

func printOps(w io.Writer, list []opPlaces) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "OP\tCPU\tGPU")
	for _, p := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\n", p.Op, places(p.CPU), places(p.GPU))
	}
	return t.Flush()
}

// places writes a list of dtypes, those that go together by one word.
func places(dtypes []string) string {
	text := " " + strings.Join(dtypes, " ") + " "
	for _, group := range [...][2]string{
		{" bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 ", " all "},
		{" uint8 int8 int16 int32 int64 ", " integers "},
		{" float16 bfloat16 float32 float64 ", " floats "},
	} {
		text = strings.Replace(text, group[0], group[1], 1)
	}
	if text = strings.TrimSpace(text); text == "" {
		return "-"
	}
	return text
}
