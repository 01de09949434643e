// Package ptx reads PTX, NVIDIA's assembly, as clang writes it and runs its kernels on the host.
//
// Parse turns text into a Module whose instructions are decoded and checked: an opcode, type or modifier that the package
// does not know is an error there and never when a kernel runs. Launch runs a kernel over a grid. Warps of 32 lanes execute
// one instruction for all their lanes at a time; lanes that branch apart are run lowest instruction first, so that they meet
// again. Blocks are spread over the processor's cores, and results depend neither on their number nor on timing.
//
// Every access is checked. A kernel that leaves its allocations, misses an alignment, uses freed memory, waits at a barrier
// that others do not reach or shuffles with lanes that are elsewhere ends with a Fault that names thread, instruction and
// address. In kernels with asynchronous copies so does an access to shared memory that no barrier and no wait orders.
//
// What clang makes of this project's kernels is understood and little more. There are no functions (they must be inlined),
// no local memory, textures or clocks, and of tcgen05 what one block does with 16-bit elements: what is missing is an error of Parse that names it, and most of it is a row in a table.
// Global memory is in program order, so its races show only where another order of blocks (LaunchConfig.Shuffle) gives other
// results. Tensor cores add as those of the device do; approximations (.approx) are rounded exact values; a NaN's payload is the
// host's.
package ptx

import (
	"fmt"
	"sync"
)

// Module is PTX text, read and checked. It is immutable and safe for concurrent use.
type Module struct {
	Name    string
	Kernels map[string]*Kernel
	Globals []Symbol // in order; LaunchConfig.Globals tells their addresses

	Capability int // from .target: 80 for sm_80

	exact   bool // the target is of one capability, as sm_90a
	globals map[string]int
	shared  map[string]Symbol
	extern  map[string]Symbol // shared memory whose size the launch tells
	lines   []string
}

// Symbol is a variable of a module.
type Symbol struct {
	Name  string
	Size  int // bytes
	Align int
	Init  []byte // Size bytes, or nil for zeros
}

// Param is a parameter of a kernel.
type Param struct {
	Name   string
	Offset int // within the packed parameters
	Size   int // bytes
	Align  int
}

// Kernel is an entry point. It is immutable and safe for concurrent use.
type Kernel struct {
	Name       string
	Module     *Module
	Params     []Param
	ParamBytes int       // what LaunchConfig.Params must hold
	Shared     int       // bytes of static shared memory
	MaxThreads [3]uint32 // from .maxntid or .reqntid; zeros where the kernel does not say
	MinBlocks  int       // of a multiprocessor, from .minnctapersm; 0 where the kernel does not say
	Cluster    [3]uint32 // from .reqnctapercluster; zeros where the kernel does not say
	// ExternShared tells that the kernel uses extern shared memory, whose size the launch tells. It lies behind the rest.
	ExternShared bool
	// Ordered tells that the results may depend on the order of the blocks, because the kernel has an atomic operation, a reduction or a
	// strong access (.volatile, .relaxed, .acquire, .release) on global memory. A block waits there until all lower ones have ended.
	Ordered bool

	externAlign  int
	async        bool    // has asynchronous copies, whose order is watched
	grouped      bool    // has instructions whose registers are not to be touched until they have been waited for
	tensor       bool    // has tensor memory
	accumulators []int32 // slots of those registers

	code     []instr
	lines    []int32 // of each instruction
	count32  int     // registers of up to 32 bits, constants included
	count64  int
	countP   int
	consts32 []constant
	consts64 []constant
	constsP  []constant
	specials []special
	bound    []binding
	sites    int       // instructions that access memory
	idle     sync.Pool // of *block
}

// constant is a register that holds one value in every lane.
type constant struct {
	slot  int32
	value uint64
}

// special is a register that the launch fills.
type special struct {
	slot int32
	what specialKind
}

// binding is a 64-bit register that holds the address of a global.
type binding struct {
	slot   int32
	global int // index into Globals
	offset int64
}

// ParseError tells what in a module's text is not understood, and where.
type ParseError struct {
	Name string // of the module
	Line int    // from 1
	Text string // what is wrong
}

// Error returns the position and what is wrong there.
func (e *ParseError) Error() string {
	return fmt.Sprintf("ptx %s:%d: %s", e.Name, e.Line, e.Text)
}
