// Package ptx reads PTX, NVIDIA's assembly, as clang writes it and runs its
// kernels on the host.
//
// Parse turns text into a Module whose instructions are decoded and checked: an
// opcode, type or modifier that the package does not know is an error there and
// never when a kernel runs. Launch runs a kernel over a grid. Warps of 32 lanes
// execute one instruction for all their lanes at a time; lanes that branch apart
// are run lowest instruction first, so that they meet again. Blocks are spread
// over the processor's cores, and results depend neither on their number nor on
// timing.
//
// Every access is checked. A kernel that leaves its allocations, misses an
// alignment, uses freed memory, waits at a barrier that others do not reach or
// shuffles with lanes that are elsewhere ends with a Fault that names thread,
// instruction and address.
//
// What clang makes of this project's kernels is understood and little more. There
// are no functions (they must be inlined), no textures, clocks or 128-bit types;
// of tensor cores, asynchronous copies and clusters there is nothing yet. Memory
// is in program order, so races of a kernel do not show; .approx functions give
// the nearest result, which hardware does not; a NaN's payload is the host's.
package ptx

import (
	"fmt"
	"sync"
)

// Module is PTX text, read and checked. It is immutable and safe for concurrent use.
type Module struct {
	Name    string
	Major   int // version of the language, such as 7
	Minor   int // and its second part
	Target  int // least compute capability, such as 60 for sm_60
	Kernels map[string]*Kernel
	Globals []Symbol       // in order; LaunchConfig.Globals tells their addresses
	Opcodes map[string]int // how often each instruction stands in the text

	globals map[string]int
	shared  map[string]Symbol
	lines   []string
}

// Symbol is a variable of a module.
type Symbol struct {
	Name  string
	Size  int // bytes; 0 for dynamic shared memory
	Align int
	Const bool   // read-only to kernels
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
	Local      int       // bytes of local memory a thread
	MaxThreads [3]uint32 // from .maxntid or .reqntid; zeros where the kernel does not say
	// Ordered tells that the results may depend on the order of the blocks,
	// because the kernel reads what an atomic operation returns or adds floats
	// atomically. A block waits there until all lower ones have ended.
	Ordered bool

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

// binding is a 64-bit register that holds the address of a global, or of dynamic
// shared memory.
type binding struct {
	slot   int32
	global int // index into Globals, or dynamicShared
	offset int64
}

const dynamicShared = -1

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
