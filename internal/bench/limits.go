package bench

import "cresset/tensor"

// Limits are what the machine allows on a number of threads, measured in the same run as the figures.
type Limits struct {
	Threads int     `json:"threads"`
	Levels  []Level `json:"bandwidth"`
}

// Level is how fast memory of one distance from the cores is.
type Level struct {
	Name  string  `json:"level"`
	Bytes int     `json:"bytes"` // that the threads work on together
	Rate  float64 `json:"gb_s"`  // read and written, thousand millions of bytes in a second
}

// MeasureLimits adds numbers in place in working sets that fit one level of memory each.
func MeasureLimits(threads int) Limits {
	defer tensor.SetNumThreads(tensor.NumThreads())
	tensor.SetNumThreads(threads)
	l := Limits{Threads: threads}
	for _, level := range []Level{{Name: "L1", Bytes: 24 << 10}, {Name: "L2", Bytes: 512 << 10}, {Name: "L3", Bytes: 8 << 20}, {Name: "memory", Bytes: 256 << 20}} {
		n := level.Bytes / 8
		c := Case{Make: func() func() {
			x, y := tensor.Zeros(n), tensor.Ones(n)
			return func() { x.AddInPlace(y) }
		}}
		level.Rate = 12 * float64(n) / c.Prepare().Time()
		l.Levels = append(l.Levels, level)
	}
	return l
}
