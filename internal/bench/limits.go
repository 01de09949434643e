package bench

import (
	"cresset/device"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
	"cresset/tensor"
)

// Limits are what the machine allows on a number of threads, measured in the same run as the figures.
type Limits struct {
	Threads int     `json:"threads,omitempty"`    // of the CPU
	FMA     float64 `json:"fma_gflops,omitempty"` // float32 operations in registers, thousand millions in a second; 0 without assembly
	Levels  []Level `json:"bandwidth"`
}

// Level is how fast memory of one distance from the cores is.
type Level struct {
	Name  string  `json:"level"`
	Bytes int     `json:"bytes"` // that the threads work on together
	Rate  float64 `json:"gb_s"`  // read and written, thousand millions of bytes in a second
}

// MeasureLimits multiplies and adds in registers, then adds numbers in place in working sets that fit one level of memory each.
func MeasureLimits(threads int) Limits {
	defer tensor.SetNumThreads(tensor.NumThreads())
	tensor.SetNumThreads(threads)
	l := Limits{Threads: threads, FMA: peak(threads)}
	for _, level := range []Level{{Name: "L1", Bytes: 24 << 10}, {Name: "L2", Bytes: 512 << 10}, {Name: "L3", Bytes: 8 << 20}, {Name: "memory", Bytes: 256 << 20}} {
		n := level.Bytes / 8
		c := Case{Make: func(device.Device) func() {
			x, y := tensor.Zeros(n), tensor.Ones(n)
			return func() { x.AddInPlace(y) }
		}}
		level.Rate = 12 * float64(n) / c.Prepare(device.CPU).Time()
		l.Levels = append(l.Levels, level)
	}
	return l
}

// peak returns the float32 operations of all threads in a nanosecond.
func peak(threads int) float64 {
	const chunks, steps = 16, 10000 // of some 40 us each
	flops := vec.Peak(1) * steps * chunks * threads
	if flops == 0 {
		return 0
	}
	c := Case{Make: func(device.Device) func() {
		return func() { par.Do(chunks*threads, func(int) { vec.Peak(steps) }) }
	}}
	return float64(flops) / c.Prepare(device.CPU).Time()
}
