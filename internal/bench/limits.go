package bench

import (
	"cresset/cuda"
	"cresset/device"
	"cresset/internal/kern/vec"
	"cresset/internal/par"
	"cresset/tensor"
)

// Limits are what the machine allows: a CPU on a number of threads, measured in the same run as the figures, and a GPU by its clocks, and by a copy of the same run.
type Limits struct {
	Threads int     `json:"threads,omitempty"`     // of the CPU
	FMA     float64 `json:"fma_gflops,omitempty"`  // float32 operations in registers, thousand millions in a second; 0 without assembly
	Halves  float64 `json:"half_gflops,omitempty"` // of a GPU's half types, in tensor cores where it has them
	Levels  []Level `json:"bandwidth"`
	Copy    float64 `json:"copy_gb_s,omitempty"` // read and written by a copy within a GPU's memory; 0 where none was timed
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
	for _, level := range []Level{{Name: "L1", Bytes: 24 << 10}, {Name: "L2", Bytes: 512 << 10}, {Name: "L3", Bytes: 8 << 20}, {Name: "memory", Bytes: inMemory}} {
		level.Rate = bandwidth(level.Bytes)
		l.Levels = append(l.Levels, level)
	}
	return l
}

// inMemory are more bytes than caches hold.
const inMemory = 256 << 20

// bandwidth returns the bytes that all threads read and write in a nanosecond, within a working set of a size.
func bandwidth(bytes int) float64 {
	n := bytes / 8
	c := Case{Make: func(device.Device) func() {
		x, y := tensor.Zeros(n), tensor.Ones(n)
		return func() { x.AddInPlace(y) }
	}}
	return 12 * float64(n) / c.Prepare(device.CPU).Time()
}

// Bandwidth returns the bytes that the memory of a device moves in a nanosecond at most: the CPU's measured on all threads, a GPU's by its clock; 0 where
// that is not known.
func Bandwidth(dev device.Device) float64 {
	if !dev.IsCUDA() {
		return bandwidth(inMemory)
	}
	return gpuLimits(dev).Levels[0].Rate
}

// Peak returns the float32 operations that a device starts in a nanosecond at most: the CPU's on all threads, measured, or a GPU's by its clocks; 0 where
// that is not known.
func Peak(dev device.Device) float64 {
	if !dev.IsCUDA() {
		return peak(tensor.NumThreads())
	}
	return gpuLimits(dev).FMA
}

// gpuLimits are 0 for a GPU that tells nothing.
func gpuLimits(dev device.Device) Limits {
	i, _ := dev.Index()
	p, err := cuda.DeviceProperties(i)
	if err != nil {
		return Limits{Levels: []Level{{}}}
	}
	return GPULimits(p)
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
