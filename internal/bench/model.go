package bench

import (
	"cresset/device"
	"cresset/internal/hardware"
	"cresset/internal/roofline"
	"cresset/tensor"
)

// Modelled is what a model says of a case on a GPU: nothing was timed.
type Modelled struct {
	Case     string  `json:"case"`
	Launches int     `json:"launches"`
	Bytes    float64 `json:"bytes"`                     // of operands and results, op by op
	Flops    float64 `json:"flops"`                     // of products, convolutions and attention
	Kernel   string  `json:"kernel"`                    // of the op that takes longest
	Resident int     `json:"blocks_per_multiprocessor"` // of that kernel
	Loop     string  `json:"loop,omitempty"`            // of that kernel: "512/578" operations of floats among instructions
	Least    float64 `json:"roofline_ns"`               // by bytes or operations alone
	Time     float64 `json:"modelled_ns"`               // with launches, waves and waiting
	Share    float64 `json:"of_limit"`                  // Least of Time
	Rate     float64 `json:"rate,omitempty"`            // thousand millions of Unit in a second
	Unit     string  `json:"unit,omitempty"`
	Problem  string  `json:"problem,omitempty"` // why the GPU could not run it
}

// Model estimates a case on a GPU whose kernels do nothing, from what issued returns: the ops since it was called last. Those of a graph are issued by one launch.
func Model(c Case, dev device.Device, gpu *hardware.GPU, issued func() []roofline.Call) Modelled {
	m := Modelled{Case: c.Name}
	var calls []roofline.Call
	err := tensor.Try(func() {
		tensor.ManualSeed(0)
		call := c.step()(dev)
		call() // allocates memory, and copies what is copied once
		issued()
		call()
		calls = issued()
	})
	if err != nil {
		issued()
		m.Problem = err.Error()
		return m
	}
	longest := 0.
	for i := range calls {
		own := &calls[i]
		m.Launches += len(own.Launches)
		m.Bytes += own.Bytes + own.Link
		m.Flops += own.Flops
		m.Least += own.Least(gpu)
		if took := roofline.Time(gpu, calls[i:i+1]); took > longest && own.Main() != nil {
			longest = took
			m.describe(own.Main())
		}
	}
	m.Time = roofline.Time(gpu, calls)
	if c.Step != nil {
		m.Launches, m.Time = 1, roofline.Replayed(gpu, calls)
	}
	if m.Time > 0 {
		m.Share = m.Least / m.Time
		if c.Work > 0 {
			m.Rate, m.Unit = c.Work/m.Time, "G"+c.Unit+"/s"
		}
	}
	return m
}

// step returns what makes the case's call, or what its graph replays.
func (c Case) step() func(device.Device) func() {
	if c.Step != nil {
		return c.Step
	}
	return c.Make
}

func (m *Modelled) describe(l *roofline.Launch) {
	m.Kernel, m.Resident, m.Loop = l.Kernel, l.Resident, l.Loop.String()
}
