// Package bench times what programs of tensors spend their time on, and what the machine allows.
//
// A case is a piece of work with a name; scripts/bench_torch.py knows the same names.
package bench

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"cresset/tensor"
)

// Case is a workload.
type Case struct {
	Name string        // "mm/256": a family and what tells its members apart
	Work float64       // what one call does, in units; 0 where only its time tells something
	Unit string        // of Work: "FLOP", "B" (bytes that must move) or "elem"
	Make func() func() // makes the operands and returns the call
}

// Cases returns all workloads in the order in which they are told about.
func Cases() []Case {
	return slices.Concat(products(), elementwise(), rows(), layers(), small(), training())
}

// Matching returns the cases whose names match a regular expression.
func Matching(pattern string) ([]Case, error) {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	cases := slices.DeleteFunc(Cases(), func(c Case) bool { return !match.MatchString(c.Name) })
	if len(cases) == 0 {
		return nil, fmt.Errorf("no workload matches %q", pattern)
	}
	return cases, nil
}

// Figure is what a case takes.
type Figure struct {
	Case    string  `json:"case"`
	Threads int     `json:"threads"`
	Median  float64 `json:"ns"` // of the rounds, for one call
	Min     float64 `json:"min_ns"`
	Max     float64 `json:"max_ns"`
	Rounds  int     `json:"rounds"`
	Rate    float64 `json:"rate,omitempty"` // thousand millions of Unit in a second
	Unit    string  `json:"unit,omitempty"`
}

const (
	batches   = 5                     // of a round, of which the fastest counts: what disturbs a machine only slows it
	batchTime = 10 * time.Millisecond // of calls, so that reading the clock costs nothing
)

// Round is a case that is ready to be timed, with its operands.
type Round struct {
	call  func()
	calls int // of a batch
}

// Prepare makes a case's operands, always the same, and finds out how many calls make a batch.
func (c Case) Prepare() *Round {
	tensor.ManualSeed(0)
	r := &Round{call: c.Make(), calls: 1}
	r.call() // brings code and memory
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
	return time.Since(start)
}

// Time returns the nanoseconds of one call: those of the fastest batch of a round.
func (r *Round) Time() float64 {
	best := r.batch()
	for range batches - 1 {
		best = min(best, r.batch())
	}
	return float64(best) / float64(r.calls)
}

// Measure times a case on a number of threads.
func Measure(c Case, threads, rounds int) Figure {
	defer tensor.SetNumThreads(tensor.NumThreads())
	tensor.SetNumThreads(threads)
	r := c.Prepare()
	times := make([]float64, rounds)
	for i := range times {
		times[i] = r.Time()
	}
	return c.figure(threads, times)
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
