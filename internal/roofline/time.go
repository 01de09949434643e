package roofline

import (
	"math"

	"cresset/internal/hardware"
)

// What does not follow from a description, in nanoseconds: measured on an H100, as docs/benchmarks.md has it.
const (
	issue   = 3400. // between launches, on the host
	ramp    = 1500. // from a kernel's start to its first bytes, and from the last to the next kernel's start
	copying = 8000. // of a copy over the link, beside its bytes
	latency = 700.  // of memory
	reached = 0.9   // of the memory's bandwidth, by a copy
	vector  = 16    // bytes that a thread has under way where its loop is not known
	cached  = 46.   // bytes that a multiprocessor gets from the cache in a clock
)

// measured are the multiplications that a multiprocessor of an H100 makes in a clock as its kernels ask for them, in which the clocks of plans
// were measured: its tensor cores do half of what they could but for wgmma.
var measured = [...]int{Float32: 128, Float64: 128, Tensor16: 1024, Tensor32: 512, Tensor8: 2048}

// slower returns how many times as long a plan takes on a GPU as on that in whose clocks it is told: those of kernels for 7.5 are a T4's.
func slower(g *hardware.GPU, u Unit) float64 {
	told := measured[u]
	if u == Tensor16 && g.Major == 7 {
		told = 512
	}
	return max(1, float64(told)/float64(lanes(g, u)))
}

// Time returns the nanoseconds that calls take which are issued over and over: those of the host, which is ahead, or those of the GPU.
func Time(g *hardware.GPU, calls []Call) float64 {
	host, busy := 0., 0.
	for i := range calls {
		c := &calls[i]
		host += issue * float64(len(c.Launches))
		busy += c.time(g)
	}
	return max(host, busy)
}

// Replayed returns the nanoseconds that calls take as a graph, which the host issues by one launch.
func Replayed(g *hardware.GPU, calls []Call) float64 {
	busy := 0.
	for i := range calls {
		busy += calls[i].time(g)
	}
	return max(issue, busy)
}

// time returns the nanoseconds of a call on the GPU. Its launches share its work: each has as much of it as it has threads, compared with the main one, unless
// what it moves is known.
func (c *Call) time(g *hardware.GPU) (ns float64) {
	if c.Link > 0 {
		ns = copying + c.Link/(float64(g.Link)/1e9)
	}
	main := c.Main()
	for i := range c.Launches {
		l := &c.Launches[i]
		flops, bytes := 0., min(l.size()/main.size(), 1)*c.Bytes
		if l.Bytes > 0 {
			bytes = l.Bytes
		}
		if l == main {
			flops = c.Flops
		}
		ns += l.time(g, bytes, flops)
	}
	return ns
}

// time returns the nanoseconds of a launch that moves bytes and multiplies: the larger of both. Multiprocessors compute in whole waves of the blocks that run at once.
func (l *Launch) time(g *hardware.GPU, bytes, flops float64) float64 {
	if l.Clocks > 0 {
		return max(slower(g, l.Unit)*l.Clocks/(float64(g.Clock)/1e9), flops/Peak(g, l.Unit), bytes/(reached*Bandwidth(g)))
	}
	waves := float64(l.Blocks) / float64(l.wave(g))
	uneven := 1.
	if waves > 1 {
		uneven = math.Ceil(waves) / waves
	}
	return ramp + max(l.moving(g, bytes), max(l.again(g, bytes), l.computing(g, bytes, flops))*uneven)
}

// wave returns the blocks that run at once.
func (l *Launch) wave(g *hardware.GPU) uint64 { return uint64(g.Multiprocessors * max(l.Resident, 1)) }

// moving returns the nanoseconds that bytes take: by the memory's bandwidth, or by what the blocks that run have under way (Little's law). Those of a last wave that is not
// full have less of it, and may still be enough for the bandwidth, which all multiprocessors share.
func (l *Launch) moving(g *hardware.GPU, bytes float64) float64 {
	loop := l.Loop.Bytes
	if loop < 4 || l.Products && l.Loop.Arithmetic == 0 { // another loop than that which reads
		loop = vector
	}
	of := func(blocks uint64) float64 {
		if blocks == 0 {
			return 0
		}
		underway := float64(min(blocks, l.wave(g))) * float64(l.Threads) * float64(loop)
		return bytes * float64(blocks) / float64(l.Blocks) / min(reached*Bandwidth(g), underway/latency)
	}
	last := l.Blocks % l.wave(g)
	return of(l.Blocks-last) + of(last)
}

// again returns the nanoseconds that bytes take which are read again, from the cache.
func (l *Launch) again(g *hardware.GPU, bytes float64) float64 {
	return float64(l.Streams) * bytes / (cached * min(float64(l.Blocks), float64(g.Multiprocessors)) * float64(g.Clock) / 1e9)
}

// computing returns the nanoseconds that instructions take: those of the main loop for so many operations or bytes, by the schedulers and the units for
// float64; operations also by their unit.
func (l *Launch) computing(g *hardware.GPU, bytes, flops float64) float64 {
	turns := 0. // of the loop, by all warps
	switch loop := l.Loop; {
	case l.Streams > 0 && loop.Bytes > 0:
		turns = float64(l.Streams) * bytes / float64(loop.Bytes) / 32
	case loop.Instructions == 0 || l.Unit >= Tensor16:
	case flops > 0 && loop.Arithmetic > 0:
		turns = flops / 2 / 32 / float64(loop.Arithmetic)
	case flops == 0 && loop.Bytes > 0:
		turns = bytes / float64(loop.Bytes) / 32
	}
	used := min(float64(l.Blocks), float64(g.Multiprocessors))
	clock := float64(g.Clock) / 1e9
	return max(turns*l.Loop.clocks(g)/(used*clock), flops/(Peak(g, l.Unit)*used/float64(g.Multiprocessors)))
}

// clocks returns how many a multiprocessor takes for the loop of one warp, whose 32 threads each wait for a unit.
func (l Loop) clocks(g *hardware.GPU) float64 {
	schedulers := 4.
	if g.Major == 6 && g.Minor == 0 {
		schedulers = 2
	}
	operations, conversions := hardware.Doubles(g.Major, g.Minor)
	doubles, converting := 32*float64(l.Doubles)/float64(operations), 32*float64(l.Conversions)/float64(conversions)
	if operations == conversions { // by one unit
		return max(float64(l.Instructions)/schedulers, doubles+converting)
	}
	return max(float64(l.Instructions)/schedulers, doubles, converting)
}
