package sim

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"weak"

	"cresset/internal/driver"
	"cresset/internal/ptx"
)

// Compiler turns a module's text into code. Its errors are *CompileError.
type Compiler func(name, text string) (*Code, error)

// Code is a module that can run.
type Code struct {
	Globals []Global
	Kernels map[string]*Kernel
	image   *ptx.Module // keeps it in images
}

// Global is a variable of a module in device memory.
type Global struct {
	Name string
	Size int
	Init []byte // or nil for zeros
}

// Kernel is a function of a module that can be launched.
type Kernel struct {
	ParamBytes int
	MaxThreads int // of a block; 0 where the kernel does not say
	MinBlocks  int // that a multiprocessor is to run at once; 0 where the kernel does not say
	Shared     int // bytes of static shared memory
	// Run executes the kernel. Its error wraps a driver.Result, or counts as ErrLaunchFailed.
	Run func(*Launch) (Work, error)
}

// Launch is what a kernel is run with.
type Launch struct {
	driver.Launch
	Params     []byte
	Globals    []uint64 // addresses of Code.Globals
	Memory     ptx.Memory
	Capability int    // of the device, 80 for 8.0
	Nearest    bool   // as ptx.LaunchConfig has it, for tests
	Shuffle    uint64 // and this
}

// Work is what the time of a kernel follows from.
type Work struct {
	Bytes, LaneInstructions uint64
	MostOfBlock             uint64 // lane instructions of the block that has most of them
	// Multiplications by tensor cores, by the bytes of their operands.
	Tensor8, Tensor16, Tensor32, Tensor64 uint64
}

// CompileError is a module that the compiler refuses.
type CompileError struct {
	Line int // from 1; 0 for the whole
	Text string
}

// Error returns line and text.
func (e *CompileError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// CompilePTX reads PTX, whose kernels the interpreter runs.
func CompilePTX(name, text string) (*Code, error) {
	m, err := parsed(name, text)
	if err != nil {
		if parse, ok := errors.AsType[*ptx.ParseError](err); ok {
			return nil, &CompileError{parse.Line, parse.Text}
		}
		return nil, &CompileError{0, err.Error()}
	}
	code := &Code{Kernels: map[string]*Kernel{}, image: m}
	for _, g := range m.Globals {
		code.Globals = append(code.Globals, Global{g.Name, g.Size, g.Init})
	}
	for name, k := range m.Kernels {
		code.Kernels[name] = &Kernel{
			ParamBytes: k.ParamBytes,
			Shared:     k.Shared,
			MinBlocks:  k.MinBlocks,
			MaxThreads: int(k.MaxThreads[0] * k.MaxThreads[1] * k.MaxThreads[2]),
			Run:        func(l *Launch) (Work, error) { return interpret(k, l) },
		}
	}
	return code, nil
}

// image is a module's name and text.
type image struct{ name, text string }

// images are the modules in use, which all GPUs of a machine load alike.
var images struct {
	sync.Mutex
	modules map[image]weak.Pointer[ptx.Module]
}

// parsed reads a module, unless one that is in use is the same.
func parsed(name, text string) (*ptx.Module, error) {
	in := image{name, text}
	images.Lock()
	defer images.Unlock()
	if m := images.modules[in].Value(); m != nil {
		return m, nil
	}
	m, err := ptx.Parse(name, text)
	if err != nil {
		return nil, err
	}
	if images.modules == nil {
		images.modules = map[image]weak.Pointer[ptx.Module]{}
	}
	images.modules[in] = weak.Make(m)
	runtime.AddCleanup(m, forget, in)
	return m, nil
}

// forget drops a module that nothing uses any more, unless it has been read again.
func forget(in image) {
	images.Lock()
	defer images.Unlock()
	if images.modules[in].Value() == nil {
		delete(images.modules, in)
	}
}

func interpret(k *ptx.Kernel, l *Launch) (Work, error) {
	count, err := ptx.Launch(k, ptx.LaunchConfig{
		Grid:    [3]uint32{l.Grid.X, l.Grid.Y, l.Grid.Z},
		Block:   [3]uint32{l.Block.X, l.Block.Y, l.Block.Z},
		Cluster: [3]uint32{l.Cluster.X, l.Cluster.Y, l.Cluster.Z},
		Shared:  l.Shared,
		Params:  l.Params,
		Globals: l.Globals,
		Memory:  l.Memory,

		Capability:   l.Capability,
		Programmatic: l.Programmatic,
		Nearest:      l.Nearest,
		Shuffle:      l.Shuffle,
	})
	if fault, ok := errors.AsType[*ptx.Fault](err); ok {
		err = &KernelError{faultResult(fault.Kind), fault}
	}
	return Work{count.GlobalBytes, count.LaneInstructions, count.MostOfBlock, count.Tensor8, count.Tensor16, count.Tensor32, count.Tensor64}, err
}

// KernelError is a kernel that did not end well, with the result that hardware would give.
type KernelError struct {
	Result driver.Result
	Fault  error
}

// Error returns what is known about the failure.
func (e *KernelError) Error() string { return e.Fault.Error() }

// Unwrap returns the result and the fault.
func (e *KernelError) Unwrap() []error { return []error{e.Result, e.Fault} }

func faultResult(kind ptx.FaultKind) driver.Result {
	switch kind {
	case ptx.OutOfBounds, ptx.UseAfterFree:
		return driver.ErrIllegalAddress
	case ptx.Misaligned:
		return driver.ErrMisalignedAddress
	case ptx.IllegalInstruction:
		return driver.ErrIllegalInstruction
	}
	return driver.ErrLaunchFailed
}
