package sim

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"cresset/internal/driver"
)

// module is code in a context, with its variables in device memory.
type module struct {
	ctx     *context
	code    *Code
	globals []*allocation
}

var (
	versionLine = regexp.MustCompile(`(?m)^\s*\.version\s+(\d+)\.(\d+)`)
	targetLine  = regexp.MustCompile(`(?m)^\s*\.target\s+sm_(\d+)([af]?)`)
)

// check returns why a device cannot take a module's text, before it is compiled.
func (dev *device) check(image []byte, cuda int32) (r driver.Result, problem string) {
	if len(image) == 0 || bytes.IndexByte(image, 0) >= 0 {
		return driver.ErrInvalidImage, "no text"
	}
	version := versionLine.FindSubmatch(image)
	target := targetLine.FindSubmatch(image)
	if version == nil || target == nil {
		return driver.ErrInvalidPTX, "no .version and .target"
	}
	if have, newest := 10*number(version[1])+number(version[2]), driver.NewestPTX(cuda); have > newest {
		return driver.ErrUnsupportedPTXVersion,
			fmt.Sprintf("Unsupported .version %s.%s; current version is '%d.%d'", version[1], version[2], newest/10, newest%10)
	}
	own := 10*dev.gpu.Major + dev.gpu.Minor
	needs, suffix := number(target[1]), string(target[2])
	if needs > own || suffix == "a" && needs != own || suffix == "f" && needs/10 != own/10 {
		return driver.ErrInvalidPTX,
			fmt.Sprintf("SM version specified by .target sm_%s%s is higher than the device's sm_%d", target[1], target[2], own)
	}
	return driver.Success, ""
}

// number is for digits that a pattern has found.
func number(digits []byte) int {
	n, _ := strconv.Atoi(string(digits))
	return n
}

func (d *Driver) moduleLoadData(h driver.Context, image []byte, jit *driver.JIT) (driver.Module, driver.Result) {
	if jit == nil {
		jit = &driver.JIT{}
	}
	jit.Info, jit.Errors = "", ""
	return answer(d, h, func(c *context) (driver.Module, driver.Result) {
		if r, problem := c.dev.check(image, d.machine.CUDA); r != driver.Success {
			jit.Errors = "ptxas fatal   : " + problem + "\n"
			return 0, c.refuse(r, "module %s: %s", jit.Name, problem)
		}
		code, err := d.compile(jit.Name, string(image))
		if err != nil {
			jit.Errors = compilerLog(err)
			return 0, c.refuse(driver.ErrInvalidPTX, "module %s: %w", jit.Name, err)
		}
		m := &module{ctx: c, code: code}
		if r := d.placeGlobals(m); r != driver.Success {
			return 0, r
		}
		jit.Info = fmt.Sprintf("ptxas info    : %d kernels for 'sm_%d%d', interpreted\n", len(code.Kernels), c.dev.gpu.Major, c.dev.gpu.Minor)
		handle := driver.Module(d.newHandle())
		d.modules[handle] = m
		return handle, driver.Success
	})
}

// compilerLog writes an error as NVIDIA's assembler does.
func compilerLog(err error) string {
	var log strings.Builder
	if compile, ok := errors.AsType[*CompileError](err); ok {
		fmt.Fprintf(&log, "ptxas application ptx input, line %d; error   : %s\n", compile.Line, compile.Text)
	} else {
		fmt.Fprintf(&log, "ptxas application ptx input; error   : %v\n", err)
	}
	log.WriteString("ptxas fatal   : Ptx assembly aborted due to errors\n")
	return log.String()
}

// placeGlobals gives the module's variables memory with their first values.
func (d *Driver) placeGlobals(m *module) driver.Result {
	for _, g := range m.code.Globals {
		a, r := d.allocate(m.ctx, uint64(max(g.Size, 1)))
		if r != driver.Success {
			d.retire(m.globals...)
			return r
		}
		a.module = true
		copy(a.data, g.Init)
		m.globals = append(m.globals, a)
	}
	return driver.Success
}

func (d *Driver) moduleGetFunction(h driver.Context, mh driver.Module, name string) (driver.Function, driver.Result) {
	return answer(d, h, func(c *context) (driver.Function, driver.Result) {
		m, ok := d.modules[mh]
		if !ok || m.ctx != c {
			return 0, c.refuse(driver.ErrInvalidHandle, "no module %#x in this context", mh)
		}
		kernel, ok := m.code.Kernels[name]
		if !ok {
			return 0, c.refuse(driver.ErrNotFound, "the module has no kernel %q", name)
		}
		handle := driver.Function(d.newHandle())
		d.functions[handle] = &function{module: m, name: name, kernel: kernel}
		return handle, driver.Success
	})
}
