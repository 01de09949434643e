package kernels

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// Figures are what NVIDIA's assembler makes of a kernel for one generation of GPUs.
type Figures struct {
	Capability   int // of that generation, 80 for 8.0
	Registers    int // of a thread
	Local        int // bytes of memory that a thread uses for want of registers
	Shared       int // bytes of static shared memory
	Arithmetic   int // operations of floats in the main loop, or in all of a kernel that has no loop
	Instructions int // of the same code, operations of floats among them; 0 where that is not known
	Doubles      int // of these, operations of float64
	Conversions  int // of these, from float64 or to it
	Bytes        int // of global memory that a thread loads and stores in the same code
}

// FiguresOf returns a kernel's figures for a GPU of a capability: those of the newest generation that is no newer. A kernel without figures has none.
func FiguresOf(kernel string, capability int) (f Figures, ok bool) {
	for _, of := range figures()[kernel] {
		if of.Capability <= capability {
			f, ok = of, true
		}
	}
	return f, ok
}

// Registers returns how many registers a thread of a kernel has on a GPU of a capability, and 0 where that is not known.
func Registers(kernel string, capability int) int {
	f, _ := FiguresOf(kernel, capability)
	return f.Registers
}

//go:embed ptx/figures
var figuresText string

// figures reads ptx/figures, by kernel and from old GPUs to new ones. What its lines are, its head says.
var figures = sync.OnceValue(func() map[string][]Figures {
	of := map[string][]Figures{}
	var gpus []string
	for line := range strings.Lines(figuresText) {
		switch {
		case strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, "\t"):
			gpus = strings.Split(strings.Fields(line)[2], ",")
		default:
			names, figures, _ := strings.Cut(line, " = ")
			all := readFigures(gpus, strings.Fields(figures))
			for _, name := range strings.Fields(names) {
				of[name] = all
			}
		}
	}
	return of
})

// readFigures reads a word for each GPU, registers+local:arithmetic/instructions/doubles/conversions:bytes, of which all but the first may lack, and one of
// shared memory. Accesses of what was spilled, which may follow the bytes, are for scripts/ptxas.py.
func readFigures(gpus, words []string) []Figures {
	all := make([]Figures, len(gpus))
	for i, gpu := range gpus {
		f := &all[i]
		registers, loop, _ := strings.Cut(words[i], ":")
		loop, bytes, _ := strings.Cut(loop, ":")
		fmt.Sscan(gpu, &f.Capability)
		fmt.Sscanf(registers, "%d+%d", &f.Registers, &f.Local)
		fmt.Sscanf(loop, "%d/%d/%d/%d", &f.Arithmetic, &f.Instructions, &f.Doubles, &f.Conversions)
		fmt.Sscanf(bytes, "%d", &f.Bytes)
		fmt.Sscan(words[len(gpus)], &f.Shared)
	}
	for i := 1; i < len(all); i++ { // where the code was not read, that of the GPU before is like it
		all[i].sameLoop(&all[i-1])
	}
	for i := len(all) - 2; i >= 0; i-- {
		all[i].sameLoop(&all[i+1])
	}
	return all
}

func (f *Figures) sameLoop(of *Figures) {
	if f.Instructions == 0 {
		f.Arithmetic, f.Instructions, f.Doubles, f.Conversions, f.Bytes = of.Arithmetic, of.Instructions, of.Doubles, of.Conversions, of.Bytes
	}
}
