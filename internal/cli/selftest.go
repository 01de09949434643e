package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/bench"
	"cresset/internal/selftest"
)

// selfTestReport is what the self-test of a GPU found.
type selfTestReport struct {
	Device      deviceRow         `json:"device"`
	Environment environment       `json:"environment"`
	Simulated   bool              `json:"simulated,omitempty"`
	JIT         *jitRow           `json:"jit,omitempty"` // not of a simulated GPU, which compiles nothing
	Families    []selftest.Family `json:"families"`
	Ran         int               `json:"kernels_ran"`
	NotRun      []string          `json:"kernels_not_run"`
	Speeds      []bench.Figure    `json:"speeds,omitempty"`
	NotReached  []string          `json:"not_reached,omitempty"` // before the deadline
	Seconds     float64           `json:"seconds"`               // of all, compilation too
}

// selfTestTime is how long checks and timings may take once kernels are compiled.
const selfTestTime = 2 * time.Minute

// telling are the workloads that show how near a GPU comes to its limits.
const telling = `^(mm/4096|mm_bf16/8192|add/1e8|exp/1e8|softmax/32768x4096|sum_rows/32768x4096|sum_columns/4096x1024|transpose/4000x2500|conv3x3/.*|attention/.*|copy/.*|train/mlp_adam|small/add)$`

// selfTest compares the GPU with the CPU, and times what tells most. A GPU that fails is an error.
func (c *doctorCommand) selfTest(s *session, d diagnosis) error {
	dev := device.CUDA(0)
	if c.Device != nil {
		dev = *c.Device
	}
	if !dev.IsCUDA() {
		return s.misused(fmt.Sprintf("--device %s is no GPU", dev), "give one such as cuda:0")
	}
	if err := d.lacks([]device.Device{dev}); err != nil {
		return err
	}
	index, _ := dev.Index()
	r := selfTestReport{Environment: environmentOf(d), Device: d.Devices[1+max(index, 0)], Simulated: s.simulated(dev)}
	out := s.stdout
	if c.JSON {
		out = io.Discard
	}
	start := time.Now()
	fmt.Fprintf(out, "%s%-8s %s, %s, %s of %s free\n\n", r.Environment, r.Device.Device, r.Device.Name, r.Device.Level, gib(r.Device.Available), gib(r.Device.Total))
	ctx := s.ctx
	if !r.Simulated { // a simulated one takes its time
		row := loadKernelsOf(max(index, 0))
		r.JIT = &row
		fmt.Fprintf(out, "kernels  %v\n\n", row)
		limited, done := context.WithTimeout(s.ctx, selfTestTime)
		defer done()
		ctx = limited
	}
	if err := r.compare(ctx, dev, out); err != nil {
		return err
	}
	if !r.Simulated {
		if err := r.time(ctx, dev, out); err != nil {
			return err
		}
	}
	r.Seconds = time.Since(start).Seconds()
	if c.JSON {
		if err := json.NewEncoder(s.stdout).Encode(r); err != nil {
			return err
		}
	}
	if n := r.failures(); n > 0 {
		return fmt.Errorf("%s fails %s", dev, count(n, "check", "s"))
	}
	_, err := fmt.Fprintf(out, "\n%s\n", r.verdict(dev))
	return err
}

// verdict says of a GPU that has not failed how long that took, and what was not reached.
func (r *selfTestReport) verdict(dev device.Device) string {
	passed := "passed"
	if len(r.NotReached) > 0 {
		passed = "passed what was reached"
	}
	text := fmt.Sprintf("%s %s in %.0f s", dev, passed, r.Seconds)
	if r.JIT != nil {
		text += fmt.Sprintf(", of which the driver's compiler took %s", seconds(r.JIT.Loading))
	}
	if len(r.NotReached) > 0 {
		text += fmt.Sprintf("\nnot reached within %s: %s", selfTestTime, strings.Join(r.NotReached, ", "))
	}
	return text
}

// compare runs the checks and prints a line for each family.
func (r *selfTestReport) compare(ctx context.Context, dev device.Device, out io.Writer) error {
	err := selftest.Run(ctx, dev, selftest.Checks(!r.Simulated), func(f selftest.Family) {
		r.Families = append(r.Families, f)
		verdict := "passed"
		if n := len(f.Failures); n > 0 {
			verdict = fmt.Sprintf("%d FAILED", n)
		}
		if f.NotReached > 0 {
			verdict += fmt.Sprintf(", %d not reached", f.NotReached)
			r.NotReached = append(r.NotReached, count(f.NotReached, "check", "s")+" of "+f.Name)
		}
		fmt.Fprintf(out, "%-24s %4d checks  %s\n", f.Name, f.Checks, verdict)
		for _, x := range f.Failures {
			fmt.Fprintf(out, "  %s of %s: %s\n", x.Check, x.DType, firstLine(x.Found))
		}
	})
	if err != nil {
		return err
	}
	r.Ran, r.NotRun, err = selftest.Used(dev)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d of %d kernels ran\n", r.Ran, r.Ran+len(r.NotRun))
	if len(r.NotRun) > 0 {
		_, err = fmt.Fprintf(out, "not run: %s\n", strings.Join(r.NotRun, " "))
	}
	return err
}

// time times some workloads beside what the GPU's clocks allow, and beside a copy.
func (r *selfTestReport) time(ctx context.Context, dev device.Device, out io.Writer) error {
	index, _ := dev.Index()
	p, err := cuda.DeviceProperties(max(index, 0))
	if err != nil {
		return err
	}
	cases, err := bench.Matching(dev, telling)
	if err != nil {
		return err
	}
	limits := bench.MeasureGPULimits(p, dev)
	fmt.Fprintf(out, "\n%s\n", ofGPU(limits))
	for _, w := range cases {
		switch err := ctx.Err(); {
		case errors.Is(err, context.DeadlineExceeded):
			r.NotReached = append(r.NotReached, "the time of "+w.Name)
			continue
		case err != nil:
			return err
		}
		f := bench.MeasureGPU(w, dev, 2, limits)
		r.Speeds = append(r.Speeds, f)
		switch {
		case f.Problem != "":
			fmt.Fprintf(out, "%-28s %s\n", f.Case, firstLine(f.Problem))
		case f.OfCopy > 0:
			fmt.Fprintf(out, "%-28s %10s %8.4g %-8s %3.0f%% of its clocks, %3.0f%% of the copy\n", f.Case, duration(f.Median), f.Rate, f.Unit, 100*f.OfClocks, 100*f.OfCopy)
		case f.OfClocks > 0:
			fmt.Fprintf(out, "%-28s %10s %8.4g %-8s %3.0f%% of its clocks\n", f.Case, duration(f.Median), f.Rate, f.Unit, 100*f.OfClocks)
		default:
			fmt.Fprintf(out, "%-28s %10s\n", f.Case, duration(f.Median))
		}
	}
	return nil
}

func (r *selfTestReport) failures() (n int) {
	for _, f := range r.Families {
		n += len(f.Failures)
	}
	return n
}

// checkSelfTest refuses flags that do not go together.
func (c *doctorCommand) checkSelfTest() error {
	switch {
	case c.Device != nil && !c.SelfTest:
		return errors.New("--device is for --selftest")
	case c.SelfTest && (c.Ops || c.JIT || c.Dist || c.Check != ""):
		return errors.New("--selftest goes with none of --ops, --jit, --dist and --check")
	case c.Dist && (c.Ops || c.JIT || c.Check != ""):
		return errors.New("--dist goes with none of --ops, --jit and --check")
	case c.JIT && c.Ops:
		return errors.New("--jit does not go with --ops")
	}
	return nil
}
