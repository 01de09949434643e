package sim

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"cresset/internal/driver"
	"cresset/internal/hardware"
	"cresset/internal/ptx"
)

// bench is a simulated machine for a test.
type bench struct {
	*testing.T
	*Driver
	api  *driver.API
	ctx  driver.Context // of device 0
	gate chan struct{}  // what the kernel "wait" waits for
	last driver.Launch  // of the kernel "tile"
}

// start returns a started driver of n GPUs of a preset. Its modules hold the kernels of fake. env has NAME=value elements.
func start(t *testing.T, preset string, n int, env ...string) *bench {
	t.Helper()
	m, err := hardware.Preset(preset, n)
	if err != nil {
		t.Fatal(err)
	}
	return startMachine(t, m, Options{}, env...)
}

func startMachine(t *testing.T, m *hardware.Machine, o Options, env ...string) *bench {
	t.Helper()
	b := &bench{T: t, gate: make(chan struct{})}
	o.LookupEnv = lookup(env)
	if o.Compile == nil {
		o.Compile = b.fake
	}
	b.Driver = New(m, o)
	b.api = b.Driver.API
	if err := b.api.Start(); err != nil {
		t.Fatal(err)
	}
	b.ctx = b.retain(0)
	return b
}

func lookup(env []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, e := range env {
			if value, ok := strings.CutPrefix(e, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

func (b *bench) retain(dev driver.Device) driver.Context {
	b.Helper()
	ctx, r := b.api.DevicePrimaryCtxRetain(dev)
	b.ok(r)
	return ctx
}

func (b *bench) ok(r driver.Result) {
	b.Helper()
	b.want(driver.Success, r)
}

func (b *bench) want(want, got driver.Result) {
	b.Helper()
	if got != want {
		b.Fatalf("got %v, want %v (%v)", got, want, b.api.Explain(b.ctx))
	}
}

// explained wants what is known about the last failure to contain all parts.
func (b *bench) explained(parts ...string) {
	b.Helper()
	err := b.api.Explain(b.ctx)
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			b.Errorf("got the explanation %v, want %q in it", err, part)
		}
	}
}

func (b *bench) alloc(bytes uint64) driver.Ptr {
	b.Helper()
	p, r := b.api.MemAlloc(b.ctx, bytes)
	b.ok(r)
	return p
}

func (b *bench) stream(flags uint32) driver.Stream {
	b.Helper()
	s, r := b.api.StreamCreate(b.ctx, flags, 0)
	b.ok(r)
	return s
}

func (b *bench) event(flags uint32) driver.Event {
	b.Helper()
	e, r := b.api.EventCreate(b.ctx, flags)
	b.ok(r)
	return e
}

const text = ".version 7.0\n.target sm_60\n"

// kernel loads a module and returns one of its kernels.
func (b *bench) kernel(name string) driver.Function {
	b.Helper()
	m, r := b.api.ModuleLoadData(b.ctx, []byte(text), nil)
	b.ok(r)
	f, r := b.api.ModuleGetFunction(b.ctx, m, name)
	b.ok(r)
	return f
}

var one = driver.Dim{X: 1, Y: 1, Z: 1}

func (b *bench) launch(f driver.Function, s driver.Stream, params ...uint64) driver.Result {
	var packed []byte
	for _, p := range params {
		packed = binary.LittleEndian.AppendUint64(packed, p)
	}
	return b.api.LaunchKernel(b.ctx, f, one, one, 0, s, packed)
}

// read returns n bytes of device memory, when the context is idle.
func (b *bench) read(p driver.Ptr, n int) []byte {
	b.Helper()
	b.ok(b.api.CtxSynchronize(b.ctx))
	data := make([]byte, n)
	b.ok(b.api.MemcpyDtoHAsync(b.ctx, data, p, 0))
	return data
}

// fake is a compiler whose kernels are written in Go: wait stops until the gate opens, append adds a byte to a list, work
// only takes time, touch writes where it is told, tile has static shared memory, fill writes as much as there is and fail fails.
func (b *bench) fake(name, _ string) (*Code, error) {
	word := func(l *Launch, i int) uint64 { return binary.LittleEndian.Uint64(l.Params[8*i:]) }
	return &Code{
		Globals: []Global{{Name: "seed", Size: 4, Init: []byte{1, 2, 3, 4}}},
		Kernels: map[string]*Kernel{
			"wait": {Run: func(*Launch) (Work, error) { <-b.gate; return Work{}, nil }},
			"append": {ParamBytes: 16, Run: func(l *Launch) (Work, error) {
				r := l.Memory.Find(word(l, 0))
				r.Data[0]++
				r.Data[r.Data[0]] = byte(word(l, 1))
				return Work{}, nil
			}},
			"work": {ParamBytes: 16, Run: func(l *Launch) (Work, error) { return Work{Bytes: word(l, 0), LaneInstructions: word(l, 1)}, nil }},
			"touch": {ParamBytes: 8, MaxThreads: 256, Run: func(l *Launch) (Work, error) {
				r := l.Memory.Find(word(l, 0))
				at := word(l, 0) - r.Base
				if at >= uint64(len(r.Data)) || r.Freed {
					return Work{}, &KernelError{faultResult(ptx.UseAfterFree), fmt.Errorf("touched %#x", word(l, 0))}
				}
				r.Data[at] = 7
				return Work{}, nil
			}},
			"fill": {ParamBytes: 8, Run: func(l *Launch) (Work, error) { // writes on until there is no memory
				for l.Memory.Find(word(l, 0)).Data != nil {
					runtime.Gosched()
				}
				return Work{}, &KernelError{faultResult(ptx.OutOfBounds), fmt.Errorf("no memory at %#x", word(l, 0))}
			}},
			"tile": {Shared: 1 << 10, Run: func(l *Launch) (Work, error) { b.last = l.Launch; return Work{}, nil }},
			"fail": {Run: func(*Launch) (Work, error) { return Work{}, fmt.Errorf("nothing works") }},
		},
	}, nil
}
