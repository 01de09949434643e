package cuda

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
)

// kernelID names a kernel: its place in the list of those that the table knows.
type kernelID uint16

// kernelNames is filled while the table is built and never changes afterwards.
var kernelNames []string

// kernel returns the number of a kernel, which is the same for the same name.
func kernel(name string) kernelID {
	if i := slices.Index(kernelNames, name); i >= 0 {
		return kernelID(i)
	}
	kernelNames = append(kernelNames, name)
	return kernelID(len(kernelNames) - 1)
}

// typed returns the kernel of that name for a dtype: add_f32.
func typed(name string, dt dtype.DType) kernelID { return kernel(name + "_" + suffixes[dt]) }

// suffixes are the dtypes' names in kernels.
var suffixes = [dtype.Count]string{
	dtype.Bool: "bool", dtype.Uint8: "u8", dtype.Int8: "i8", dtype.Int16: "i16", dtype.Int32: "i32", dtype.Int64: "i64",
	dtype.Float16: "f16", dtype.BFloat16: "bf16", dtype.Float32: "f32", dtype.Float64: "f64",
}

// maxKernels bounds kernelNames.
const maxKernels = 2048

// catalog is where modules come from: what the kernels package has embedded, or what a test puts in its place.
type catalog struct {
	moduleOf func(kernel string) (module string, ok bool)
	targetOf func(kernel string) (t kernels.Target, ok bool)
	text     func(module string) ([]byte, error)
}

var embedded = catalog{kernels.ModuleOf, kernels.TargetOf, kernels.Text}

// moduleTable holds what a device has loaded.
type moduleTable struct {
	catalog
	functions [maxKernels]atomic.Uintptr // by kernelID
	verdicts  [maxKernels]atomic.Uint32  // of takes, by kernelID
	atOnce    [maxKernels]atomic.Uint32  // blocks that the device runs at once, by kernelID, of those that walk; 0 where nobody has asked
	mu        sync.Mutex
	loaded    map[string]driver.Module
	times     JITTimes
	shared    map[kernelID]uint32 // the most dynamic shared memory that a kernel has been allowed
	refused   []Refusal
}

// function returns a kernel, loading its module on the first use.
func (d *Device) function(k kernelID) (driver.Function, error) {
	if f := d.modules.functions[k].Load(); f != 0 {
		return driver.Function(f), nil
	}
	d.modules.mu.Lock()
	defer d.modules.mu.Unlock()
	name := kernelNames[k]
	in, ok := d.modules.moduleOf(name)
	if !ok {
		return 0, fmt.Errorf("cuda: no module has the kernel %s", name)
	}
	f, err := d.find(in, name)
	if d.madeRoom(err) {
		f, err = d.find(in, name)
	}
	if err == nil {
		d.modules.functions[k].Store(uintptr(f))
	}
	return f, err
}

// find loads a kernel of a module, perhaps with the module.
func (d *Device) find(module, name string) (driver.Function, error) {
	m, err := d.moduleWith(module, name)
	if err != nil {
		return 0, err
	}
	f, r := d.api.ModuleGetFunction(d.ctx, m, name)
	if r != driver.Success {
		return 0, &ModuleError{Module: module, Kernel: name, Err: d.fail(r)}
	}
	return f, nil
}

// moduleWith loads what has a kernel: its module where that is loaded, and else a module of this kernel alone, since a driver compiles all that
// it is given and a program uses few kernels of a module. Simulated GPUs compile nothing, and their reports name lines of the module.
func (d *Device) moduleWith(module, kernel string) (driver.Module, error) {
	t := &d.modules
	if m, ok := t.loaded[module]; ok {
		return m, nil
	}
	if d.api.Simulated {
		return d.module(module)
	}
	text, err := t.text(module)
	if err != nil {
		return 0, err
	}
	if only, ok := kernels.Only(text, kernel); ok {
		if m, r := d.load(only, new(driver.JIT)); r == driver.Success {
			return m, nil
		}
	}
	return d.module(module) // or its error
}

// module loads a module once, as a whole.
func (d *Device) module(name string) (driver.Module, error) {
	t := &d.modules
	if m, ok := t.loaded[name]; ok {
		return m, nil
	}
	text, err := t.text(name)
	if err != nil {
		return 0, err
	}
	var jit driver.JIT
	m, r := d.load(text, &jit)
	if r != driver.Success {
		return 0, &ModuleError{Module: name, Log: jit.Errors, Err: d.fail(r)}
	}
	if t.loaded == nil {
		t.loaded = map[string]driver.Module{}
	}
	t.loaded[name] = m
	return m, nil
}

// ModuleError is a module of kernels that the driver did not take.
type ModuleError struct {
	Module, Kernel string
	Log            string // the compiler's
	Err            error
}

// Error returns the driver's text.
func (e *ModuleError) Error() string { return e.Err.Error() }

// Unwrap returns the driver's error.
func (e *ModuleError) Unwrap() error { return e.Err }

// Hint names the module, what the compiler said and what helps.
func (e *ModuleError) Hint() string {
	hint := "in loading the kernels of " + e.Module
	if e.Kernel != "" {
		hint = fmt.Sprintf("in looking for the kernel %s of %s", e.Kernel, e.Module)
	}
	if e.Log != "" {
		hint += ":\n" + e.Log
	}
	if errors.Is(e.Err, driver.ErrUnsupportedPTXVersion) {
		hint += "; a newer driver takes it: 450 at least"
	}
	return hint
}
