// Package roofline estimates how long a GPU takes for what it is given, from its description and from its kernels' code. Nothing runs, and nothing
// is timed.
package roofline

import (
	"fmt"

	"cresset/internal/hardware"
)

// Unit is what a kernel computes with.
type Unit uint8

// The units of a multiprocessor.
const (
	Float32 Unit = iota
	Float64
	Tensor16 // products of half types on tensor cores
	Tensor32 // products of TF32 there
	Tensor8  // and of int8
)

// Launch is a kernel that was issued.
type Launch struct {
	Kernel   string
	Blocks   uint64
	Threads  int // of a block
	Resident int // blocks that a multiprocessor runs at once
	Unit     Unit
	Products bool // it makes the op's products: others of the op copy operands or join parts
	Streams  int  // not 0: its instructions go with the bytes of its loop, not with operations, and it reads them so many times
	Loop     Loop
	Clocks   float64 // of the multiprocessor with the most to do, where who issued it has a model of its own; else 0
	Bytes    float64 // that it moves, where who issued it has told; else 0, and it has a share of the op's
}

// Loop is a kernel's main loop: so many operations of floats among so many instructions, and bytes of global memory that a thread moves in it.
// It is all zeros where that is not known.
type Loop struct {
	Arithmetic, Instructions int
	Doubles, Conversions     int // among the instructions, of float64, and from or to it
	Bytes                    int
}

// Call is an op, with what it issued.
type Call struct {
	Op       string
	Bytes    float64 // of its operands and results, each once
	Flops    float64 // of products, of which convolutions and attention are made; 0 for other ops
	Link     float64 // bytes that are copied from the host or to it
	Launches []Launch
}

// Main returns the launch whose kernel does the op's work: that which makes products, or else that with the most threads. It is nil where there is none.
func (c *Call) Main() (main *Launch) {
	for i := range c.Launches {
		l := &c.Launches[i]
		if main == nil || l.Products && !main.Products || l.Products == main.Products && l.size() > main.size() {
			main = l
		}
	}
	return main
}

func (l *Launch) size() float64 { return float64(l.Blocks) * float64(l.Threads) }

// Bandwidth returns the bytes that a GPU's memory moves in a nanosecond, by its clock.
func Bandwidth(g *hardware.GPU) float64 { return float64(g.Bandwidth) / 1e9 }

// Peak returns the operations that a unit of all multiprocessors starts in a nanosecond; a multiplication with addition is two.
func Peak(g *hardware.GPU, u Unit) float64 {
	return 2 * float64(lanes(g, u)) * float64(g.Multiprocessors) * float64(g.Clock) / 1e9
}

// lanes returns the multiplications with addition that a multiprocessor starts in a clock; GPUs before 7.0 have no tensor cores, those before 8.0 none for TF32.
func lanes(g *hardware.GPU, u Unit) int {
	switch {
	case u == Tensor16 && g.Major >= 7:
		return hardware.TensorLanes(g.Name, g.Major, g.Minor, 2)
	case u == Tensor32 && g.Major >= 8:
		return hardware.TensorLanes(g.Name, g.Major, g.Minor, 4)
	case u == Tensor8:
		return hardware.TensorLanes(g.Name, g.Major, g.Minor, 1)
	case u == Float64:
		return hardware.TensorLanes(g.Name, g.Major, g.Minor, 8)
	}
	return hardware.Lanes(g.Major, g.Minor)
}

// Least returns the nanoseconds that the call takes at least: its bytes by the memory's clock, or its operations by that of the unit that its main
// kernel computes with, or its copies by the link.
func (c *Call) Least(g *hardware.GPU) float64 {
	least := max(c.Bytes/Bandwidth(g), c.Link/(float64(g.Link)/1e9))
	if l := c.Main(); l != nil {
		least = max(least, c.Flops/Peak(g, l.Unit))
	}
	return least
}

// String returns operations and instructions, "512/578", and nothing where they are not known.
func (l Loop) String() string {
	if l.Instructions == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", l.Arithmetic, l.Instructions)
}
