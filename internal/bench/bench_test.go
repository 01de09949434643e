package bench

import (
	"math"
	"strings"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Cases(device.CUDA(0)) {
		if seen[c.Name] {
			t.Errorf("two workloads are called %s", c.Name)
		}
		seen[c.Name] = true
		if !strings.Contains(c.Name, "/") || strings.ContainsAny(c.Name, " \n") {
			t.Errorf("%q is not a family and a member", c.Name)
		}
	}
}

// The larger workloads differ from these in their sizes alone.
func TestSmallWorkloadsRun(t *testing.T) {
	for dev, pattern := range map[device.Device]string{
		device.CPU:     `^(small/|train/mlp|(mm|linear)/1x784|mm_bf16/256|.*/128x128|.*/1e5|add_row/300)`,
		device.CUDA(0): `^(small/|train/mlp_adam(_graph|_bf16_compiled_graph)?$|linear/1x784|.*/128x128|add/1e5)`,
	} {
		devicetest.Simulate(t)
		cases, err := Matching(dev, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if err := tensor.Try(func() { c.Make(dev)() }); err != nil {
				t.Errorf("%s on %v: %v", c.Name, dev, err)
			}
		}
	}
}

// The limits are those of NVIDIA's data sheets: 67 TFLOP/s and 4.8 TB/s of the H200, 19.5 TFLOP/s, 312 of half types and 1.94 TB/s of the A100.
func TestGPULimits(t *testing.T) {
	for name, c := range map[string]struct {
		p                   cuda.Properties
		fma, halves, memory float64
	}{
		"H200":     {cuda.Properties{Major: 9, Multiprocessors: 132, ClockKHz: 1980000, MemoryClockKHz: 3201000, MemoryBusWidth: 6144}, 66908, 1070531, 4916.7},
		"GTX 1070": {cuda.Properties{Major: 6, Minor: 1, Multiprocessors: 15, ClockKHz: 1683000, MemoryClockKHz: 4004000, MemoryBusWidth: 256}, 6463, 6463, 256.3},
		"A100":     {cuda.Properties{Major: 8, Multiprocessors: 108, ClockKHz: 1410000, MemoryClockKHz: 1512000, MemoryBusWidth: 5120}, 19492, 311869, 1935.4},
	} {
		l := GPULimits(c.p)
		if math.Abs(l.FMA-c.fma) > 1 || math.Abs(l.Halves-c.halves) > 1 || math.Abs(l.Levels[0].Rate-c.memory) > 0.1 {
			t.Errorf("%s: got %+v", name, l)
		}
	}
}

func TestCaseThatAGPUCannotRunSaysWhy(t *testing.T) {
	c := Case{Name: "a/b", Make: func(device.Device) func() { return func() { tensor.Ones(2).Add(tensor.Ones(3)) } }}
	f := MeasureGPU(c, device.CUDA(0), 1, Limits{Levels: []Level{{}}})
	if f.Case != "a/b" || !strings.Contains(f.Problem, "size of tensor") {
		t.Errorf("got %+v", f)
	}
}

// TestSharesOfLimits: operations are held against clocks; bytes also against a copy, where one was timed.
func TestSharesOfLimits(t *testing.T) {
	limits := Limits{FMA: 50, Halves: 800, Levels: []Level{{Rate: 4000}}, Copy: 3600}
	for _, c := range []struct {
		Case
		rate             float64
		ofClocks, ofCopy float64
	}{
		{Case{Unit: "FLOP"}, 25, 0.5, 0},
		{Case{Unit: "FLOP", Halves: true}, 200, 0.25, 0},
		{Case{Unit: "B"}, 2700, 0.675, 0.75},
		{Case{Unit: "elem", Bytes: 6}, 300, 0.45, 0.5},
		{Case{Unit: "elem"}, 300, 0, 0},
	} {
		f := Figure{Rate: c.rate}
		f.compare(c.Case, limits)
		if f.OfClocks != c.ofClocks || f.OfCopy != c.ofCopy {
			t.Errorf("%v of %s: %v of clocks and %v of a copy, want %v and %v", c.rate, c.Unit, f.OfClocks, f.OfCopy, c.ofClocks, c.ofCopy)
		}
		f.compare(c.Case, Limits{Levels: []Level{{}}})
		if f.OfClocks != 0 || f.OfCopy != 0 {
			t.Errorf("of limits that are not known %v and %v", f.OfClocks, f.OfCopy)
		}
	}
}

func TestFigure(t *testing.T) {
	c := Case{Name: "a/b", Work: 300, Unit: "B"}
	got := c.figure(2, []float64{30, 10, 20, 40})
	want := Figure{Case: "a/b", Threads: 2, Median: 25, Min: 10, Max: 40, Rounds: 4, Rate: 12, Unit: "GB/s"}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestMatching(t *testing.T) {
	if got, err := Matching(device.CPU, "^mm/256$"); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v, want one workload", got, err)
	}
	for _, pattern := range []string{"nothing", "("} {
		if _, err := Matching(device.CPU, pattern); err == nil {
			t.Errorf("%q is accepted", pattern)
		}
	}
}
