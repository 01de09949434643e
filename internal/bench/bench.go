// Package bench times what programs of tensors spend their time on, and what the machine allows.
//
// A case is a piece of work with a name; scripts/bench_torch.py knows the same names.
package bench

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"cresset/cuda"
	"cresset/device"
	"cresset/tensor"
)

// Case is a workload.
type Case struct {
	Name   string                         // "mm/256": a family and what tells its members apart
	Work   float64                        // what one call does, in units; 0 where only its time tells something
	Unit   string                         // of Work: "FLOP", "B" (bytes that must move) or "elem"
	Bytes  float64                        // that must move for an "elem"; 0 where memory is not the limit
	Halves bool                           // the operands of a product are of a half type
	Make   func(dev device.Device) func() // makes the operands on a device and returns the call
	Step   func(dev device.Device) func() // of a graph's replay: what was captured, which a model asks instead
}

// Cases returns the workloads of a device in the order of reports: a GPU has some that the CPU lacks.
func Cases(dev device.Device) []Case {
	cases := slices.Concat(products(), elementwise(), chains(), byHand(), rows(), choices(), dtypes(), convolutions(), convolutionsBF16(), layers(), attentions(), recurrents(), texts(), small(), training())
	if dev.IsCUDA() {
		cases = append(cases, onlyGPU()...)
	}
	return cases
}

// Matching returns a device's cases whose names match a regular expression.
func Matching(dev device.Device, pattern string) ([]Case, error) {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	cases := slices.DeleteFunc(Cases(dev), func(c Case) bool { return !match.MatchString(c.Name) })
	if len(cases) == 0 {
		return nil, fmt.Errorf("no workload matches %q", pattern)
	}
	return cases, nil
}

// Figure is what a case takes.
type Figure struct {
	Case    string  `json:"case"`
	Threads int     `json:"threads,omitempty"` // of the CPU
	Median  float64 `json:"ns"`                // of the rounds, for one call
	Min     float64 `json:"min_ns"`
	Max     float64 `json:"max_ns"`
	Rounds  int     `json:"rounds"`
	Rate    float64 `json:"rate,omitempty"` // thousand millions of Unit in a second
	Unit    string  `json:"unit,omitempty"`
	Problem string  `json:"problem,omitempty"` // why a GPU could not run it

	OfClocks float64 `json:"of_clocks,omitempty"` // the share of what a GPU's clocks allow, 1 being all of it
	OfCopy   float64 `json:"of_copy,omitempty"`   // the share of the bandwidth that a copy within the GPU has in the same run

	Modelled bool `json:"modelled,omitempty"` // the time is that of a simulated GPU's modelled clock
}

const (
	batches   = 5                     // of a round, of which the fastest counts: what disturbs a machine only slows it
	batchTime = 10 * time.Millisecond // of calls, so that reading the clock costs nothing
)

// Round is a case that is ready to be timed, with its operands.
type Round struct {
	call      func()
	calls     int    // of a batch
	wait      func() // for a GPU to have done them
	gpu       int
	simulated bool
}

// Prepare makes a case's operands, always the same, and finds out how many calls make a batch.
func (c Case) Prepare(dev device.Device) *Round {
	tensor.ManualSeed(0)
	r := &Round{call: c.Make(dev), calls: 1, wait: func() {}}
	if dev.IsCUDA() {
		r.gpu, _ = dev.Index()
		r.wait = func() { cuda.Synchronize(r.gpu) }
		p, err := cuda.DeviceProperties(r.gpu)
		r.simulated = err == nil && p.Simulated
	}
	if r.simulated { // whose clock tells the same each time
		r.call()
		return r
	}
	r.batch() // loads code and allocates memory
	for {
		took := r.batch()
		if took >= batchTime/2 {
			r.calls = max(1, int(float64(r.calls)*float64(batchTime)/float64(took)))
			return r
		}
		r.calls *= 2
	}
}

func (r *Round) batch() time.Duration {
	start := time.Now()
	for range r.calls {
		r.call()
	}
	r.wait()
	return time.Since(start)
}

// Time returns the nanoseconds of one call: those of the fastest batch of a round, or on a simulated GPU those of its modelled clock.
func (r *Round) Time() float64 {
	if r.simulated {
		return r.modelled()
	}
	best := r.batch()
	for range batches - 1 {
		best = min(best, r.batch())
	}
	return float64(best) / float64(r.calls)
}

// modelled returns the nanoseconds of a call on the modelled clock.
func (r *Round) modelled() float64 {
	var start, end cuda.Event
	refuse(start.Record(r.gpu))
	r.call()
	refuse(end.Record(r.gpu))
	refuse(end.Synchronize())
	ms, err := start.ElapsedTime(&end)
	refuse(err)
	return ms * 1e6
}

// Measure times a case on a number of threads of the CPU.
func Measure(c Case, threads, rounds int) Figure {
	defer tensor.SetNumThreads(tensor.NumThreads())
	tensor.SetNumThreads(threads)
	return c.figure(threads, c.Prepare(device.CPU).times(rounds))
}

func (r *Round) times(rounds int) []float64 {
	if r.simulated {
		rounds = 1
	}
	times := make([]float64, rounds)
	for i := range times {
		times[i] = r.Time()
	}
	return times
}

func (c Case) figure(threads int, times []float64) Figure {
	slices.Sort(times)
	f := Figure{Case: c.Name, Threads: threads, Rounds: len(times), Median: median(times), Min: times[0], Max: times[len(times)-1]}
	if c.Work > 0 {
		f.Rate, f.Unit = c.Work/f.Median, "G"+c.Unit+"/s" // units in a nanosecond
	}
	return f
}

// median returns the middle of sorted numbers.
func median(x []float64) float64 {
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}
