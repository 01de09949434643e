package roofline

import (
	"math"
	"slices"
	"testing"

	"cresset/internal/hardware"
)

func gpu(t *testing.T, preset string) *hardware.GPU {
	t.Helper()
	m, err := hardware.Preset(preset, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &m.GPUs[0]
}

// TestLeast has NVIDIA's data sheets: 3.35 TB/s, 67 and 989 TFLOP/s of an H100 at 1980 MHz, 50 GB/s of its link.
func TestLeast(t *testing.T) {
	h100 := gpu(t, "h100")
	of := func(u Unit, c Call) Call {
		c.Launches = []Launch{{Blocks: 1, Threads: 32}, {Blocks: 100, Threads: 256, Unit: u}}
		return c
	}
	for name, c := range map[string]struct {
		call Call
		want float64
	}{
		"memory":      {of(Float32, Call{Bytes: 3352e6, Flops: 1e6}), 1e6},
		"float32":     {of(Float32, Call{Bytes: 1, Flops: 66.908e9}), 1e6},
		"half types":  {of(Tensor16, Call{Bytes: 1, Flops: 1070.5e9}), 1e6},
		"a copy":      {Call{Link: 50e6}, 1e6},
		"nothing yet": {Call{}, 0},
	} {
		if got := c.call.Least(h100); math.Abs(got-c.want) > 1e-3*c.want {
			t.Errorf("%s: got %v ns, want %v", name, got, c.want)
		}
	}
	if p100, v100 := Peak(&hardware.GPU{Major: 6, Clock: 1e9, Multiprocessors: 1}, Tensor16), Peak(&hardware.GPU{Major: 7, Clock: 1e9, Multiprocessors: 1}, Tensor32); p100 != 128 || v100 != 128 {
		t.Errorf("without tensor cores: got %v and %v operations a clock, want 128", p100, v100)
	}
}

// TestClocksOfOtherGPUs: plans' clocks are an H100's, with 128 multiplications of float32, and on tensor cores of float64, in each; an A100 has half of them. Plans of
// kernels for 7.5 have a T4's.
func TestClocksOfOtherGPUs(t *testing.T) {
	for _, c := range []struct {
		card   string
		unit   Unit
		slower float64
	}{{"a100", Float32, 2}, {"a100", Float64, 2}, {"a100", Tensor16, 1}, {"rtx4090", Tensor16, 4}, {"t4", Tensor16, 1}, {"h100", Float64, 1}, {"h100", Tensor16, 1}} {
		g := gpu(t, c.card)
		calls := []Call{{Launches: []Launch{{Blocks: 1, Threads: 256, Unit: c.unit, Clocks: float64(g.Clock) / 1e3}}}}
		if got := Time(g, calls); math.Abs(got-c.slower*1e6) > 1 {
			t.Errorf("%s, unit %d: got %v ns, want %v ms", c.card, c.unit, got, c.slower)
		}
	}
}

// TestTime: each case is bound by what its name says.
func TestTime(t *testing.T) {
	h100 := gpu(t, "h100")
	full := Launch{Blocks: 132 * 8, Threads: 256, Resident: 8}
	one := func(l Launch, c Call) []Call { c.Launches = []Launch{l}; return []Call{c} }
	bytes := Call{Bytes: 3352e6} // a millisecond of memory
	for name, c := range map[string]struct {
		calls []Call
		want  float64
	}{
		"the host":                 {one(Launch{Blocks: 1, Threads: 32, Resident: 8}, Call{}), issue},
		"the memory":               {one(full, bytes), ramp + 1e6/reached},
		"bytes under way":          {one(Launch{Blocks: 132, Threads: 32, Resident: 8, Loop: Loop{Instructions: 1, Bytes: 4}}, bytes), ramp + 3352e6*latency/(132*32*4)},
		"half of a second wave":    {one(Launch{Blocks: 132 * 12, Threads: 256, Resident: 8, Loop: Loop{Arithmetic: 100, Instructions: 1000, Bytes: 16}}, bytes), ramp + 3352e6/16/32*1000/(132*4*1.98)*2/1.5},
		"a second wave's bytes":    {one(Launch{Blocks: 132 * 12, Threads: 256, Resident: 8}, bytes), ramp + 1e6/reached},
		"few bytes under way last": {one(Launch{Blocks: 132*8 + 1, Threads: 256, Resident: 8}, bytes), ramp + 1056./1057*1e6/reached + 3352e6/1057*latency/(256*vector)},
		"instructions":             {one(Launch{Blocks: 132 * 8, Threads: 256, Resident: 8, Loop: Loop{Arithmetic: 100, Instructions: 1000, Bytes: 16}}, bytes), ramp + 3352e6/16/32*1000/(132*4*1.98)},
		"the cache":                {one(Launch{Blocks: 132 * 8, Threads: 256, Resident: 8, Loop: Loop{Arithmetic: 1, Instructions: 1, Bytes: 64}, Streams: 8}, bytes), ramp + 8*3352e6/(cached*132*1.98)},
		"multiplications":          {one(Launch{Blocks: 132, Threads: 256, Resident: 2, Loop: Loop{Arithmetic: 50, Instructions: 100}}, Call{Flops: 66.908e9}), ramp + 2e6},
		"a plan's clocks":          {one(Launch{Blocks: 132, Threads: 256, Resident: 2, Clocks: 1.98e6}, Call{Flops: 1}), 1e6},
		"two launches":             {[]Call{{Bytes: 3352e6, Launches: []Launch{full, {Blocks: 1, Threads: 256, Resident: 8}}}}, 2*ramp + 1e6/reached + 3352e6/1056*latency/(256*vector)},
		"two launches of products": {[]Call{{Flops: 66.908e9, Launches: []Launch{{Blocks: 132, Threads: 256, Resident: 2, Products: true}, {Blocks: 1056, Threads: 256, Resident: 8}}}}, 2*ramp + 1e6},
		"what a launch moves":      {[]Call{{Bytes: 3352e6, Launches: []Launch{full, {Blocks: 528, Threads: 256, Resident: 8, Bytes: 3352e3}}}}, 2*ramp + 1e6/reached + 1e3/reached},
		"a copy":                   {[]Call{{Link: 50e6}}, copying + 1e6},
	} {
		if got := Time(h100, c.calls); math.Abs(got-c.want) > 1e-3*c.want {
			t.Errorf("%s: got %v ns, want %v", name, got, c.want)
		}
	}
	t4 := gpu(t, "t4") // 2 operations of float64 or conversions a clock, and 320 GB/s
	slow := one(Launch{Blocks: 40 * 4, Threads: 256, Resident: 4, Loop: Loop{Arithmetic: 16, Instructions: 55, Doubles: 16, Conversions: 16, Bytes: 64}}, Call{Bytes: 320e6})
	if got, want := Time(t4, slow), ramp+2*320e6/4/(2*40*float64(t4.Clock)/1e9); math.Abs(got-want) > 1e-3*want {
		t.Errorf("float64 of a T4: got %v ns, want %v", got, want)
	}
	many := slices.Repeat(one(Launch{Blocks: 1, Threads: 32, Resident: 8}, Call{}), 10)
	if eager, replayed := Time(h100, many), Replayed(h100, many); eager != 10*issue || replayed != 10*ramp {
		t.Errorf("ten empty launches: %v ns, and %v as a graph", eager, replayed)
	}
}
