package bench

import (
	"fmt"

	"cresset/cuda"
	"cresset/device"
	"cresset/dtype"
	"cresset/internal/hardware"
	"cresset/tensor"
)

// onlyGPU returns copies, a launch that is waited for, products that fill a GPU, one whose sizes are odd, layers as wide as those of large language models, a
// convolution in float16, attention in bfloat16, steps of optimizers, and operands that no GPU's cache holds.
func onlyGPU() []Case {
	cases := copies()
	for _, n := range []int{2048, 4096, 8192, 16384} {
		cases = append(cases, mmOf(fmt.Sprintf("mm_bf16/%d", n), n, n, n, dtype.BFloat16), mmOf(fmt.Sprintf("mm_f16/%d", n), n, n, n, dtype.Float16))
	}
	cases = append(cases, mmOf("mm_bf16/4095x4097x4096", 4095, 4097, 4096, dtype.BFloat16))
	for _, batch := range []int{8, 32, 64} {
		cases = append(cases, linear(batch, 8192, 28672, dtype.BFloat16))
	}
	cases = append(cases, largeRows()...)
	cases = append(cases, convolutionsF16()...)
	cases = append(cases, attentionsBF16()...)
	cases = append(cases, updates()...)
	cases = append(cases, faster()...)
	cases = append(cases, decoding()...)
	cases = append(cases, quantizedLinears()...)
	return append(cases,
		Case{Name: "small/add_in_place_wait", Make: func(dev device.Device) func() {
			x, y := tensor.On(dev).Ones(4), tensor.On(dev).Ones(4)
			i, _ := dev.Index()
			return func() {
				x.AddInPlace(y)
				cuda.Synchronize(i)
			}
		}},
		add("1e8", 1e8),
		unary("relu/1e8", 1e8, (*tensor.Tensor).ReLU),
		unary("exp/1e8", 1e8, (*tensor.Tensor).Exp),
		matrix("sort", 1, 1<<24, 16, func(x *tensor.Tensor) { release(x.Sort(1)) }),
		histogram(1e6, 10),
		matrix("top50", 64, 131072, 4, func(x *tensor.Tensor) { release(x.TopK(50, 1)) }),
		mm("mm/4096", 4096, 4096, 4096),
		mm("mm/8192", 8192, 8192, 8192),
	)
}

// copies move 256 MiB within a GPU, and between it and pageable or pinned memory of the host.
func copies() []Case {
	const n = 1 << 26
	host := func(device.Device) *tensor.Tensor { return tensor.Ones(n) }
	pinned := func(device.Device) *tensor.Tensor { return tensor.Ones(n).PinMemory() }
	gpu := func(dev device.Device) *tensor.Tensor { return tensor.On(dev).Ones(n) }
	copying := func(name string, from, to func(device.Device) *tensor.Tensor, bytes float64) Case {
		return Case{Name: "copy/" + name, Work: bytes, Unit: "B", Make: func(dev device.Device) func() {
			x, y := from(dev), to(dev)
			return func() { y.CopyInPlace(x) }
		}}
	}
	return []Case{
		copying("within", gpu, gpu, 8*n), // reads and writes
		copying("to_gpu", host, gpu, 4*n),
		copying("to_gpu_pinned", pinned, gpu, 4*n),
		copying("from_gpu", gpu, host, 4*n),
		copying("from_gpu_pinned", gpu, pinned, 4*n),
	}
}

// GPULimits returns what the clocks of a GPU allow: operations of its multiprocessors, of float32 and of half types, and bytes of its memory.
func GPULimits(p cuda.Properties) Limits {
	perLane := 2 * float64(p.Multiprocessors) * float64(p.ClockKHz) / 1e6 // a fused multiply-add is two operations
	return Limits{
		FMA:    perLane * float64(hardware.Lanes(p.Major, p.Minor)),
		Halves: perLane * float64(lanesOfHalves(p)),
		Levels: []Level{{
			Name: "memory", Bytes: int(p.TotalMemory),
			Rate: 2 * float64(p.MemoryClockKHz) * float64(p.MemoryBusWidth) / 8 / 1e6, // twice a clock
		}},
	}
}

// MeasureGPULimits adds to those of its clocks how fast a GPU copies within its memory, which no kernel whose operands lie there exceeds by much. Of a simulated
// GPU clocks are all there is.
func MeasureGPULimits(p cuda.Properties, dev device.Device) Limits {
	l := GPULimits(p)
	if !p.Simulated {
		l.Copy = MeasureGPU(copies()[0], dev, 3, l).Rate
	}
	return l
}

// lanesOfHalves returns how many products of half types a multiprocessor starts at each clock; before 7.0 they are those of float32.
func lanesOfHalves(p cuda.Properties) int {
	if p.Major < 7 {
		return hardware.Lanes(p.Major, p.Minor)
	}
	return hardware.TensorLanes(p.Name, p.Major, p.Minor, 2)
}

// MeasureGPU times a case on a GPU. One that fails there, for want of a kernel or of memory, has a Problem.
func MeasureGPU(c Case, dev device.Device, rounds int, limits Limits) Figure {
	var times []float64
	var r *Round
	err := tensor.Try(func() {
		r = c.Prepare(dev)
		times = r.times(rounds)
	})
	if err != nil {
		return Figure{Case: c.Name, Problem: err.Error()}
	}
	f := c.figure(0, times)
	f.Modelled = r.simulated
	f.compare(c, limits)
	return f
}

// compare tells the shares of what the GPU allows, where that is known: of bytes and, which clocks alone tell, of operations.
func (f *Figure) compare(c Case, limits Limits) {
	share := func(rate, limit float64) float64 {
		if limit == 0 {
			return 0
		}
		return rate / limit
	}
	bytes := f.Rate * c.Bytes
	if c.Unit == "B" {
		bytes = f.Rate
	}
	switch {
	case c.Unit == "FLOP" && c.Halves:
		f.OfClocks = share(f.Rate, limits.Halves)
	case c.Unit == "FLOP":
		f.OfClocks = share(f.Rate, limits.FMA)
	default:
		f.OfClocks, f.OfCopy = share(bytes, limits.Levels[0].Rate), share(bytes, limits.Copy)
	}
}
