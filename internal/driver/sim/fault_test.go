package sim

import (
	"testing"

	"cresset/internal/driver"
)

func TestInjectedFaults(t *testing.T) {
	b := start(t, "t4", 1)
	b.Inject(Fault{Symbol: "cuMemAlloc*", Skip: 2, Result: driver.ErrOutOfMemory})
	b.alloc(8)
	b.alloc(8)
	_, r := b.api.MemAlloc(b.ctx, 8)
	b.want(driver.ErrOutOfMemory, r)
	b.explained("injected into cuMemAlloc*")
	p := b.alloc(8) // it strikes once

	b.Inject(Fault{Symbol: "cuMemcpy*", Skip: 1, Result: driver.ErrInvalidValue})
	b.ok(b.api.MemcpyHtoDAsync(b.ctx, p, make([]byte, 8), 0))
	b.want(driver.ErrInvalidValue, b.api.MemcpyDtoHAsync(b.ctx, make([]byte, 8), p, 0))

	b.Inject(Fault{Symbol: "cuDeviceGetName", Result: driver.ErrUnknown})
	_, r = b.api.DeviceGetName(0)
	b.want(driver.ErrUnknown, r)
	if got := b.Calls("cuMemAlloc_v2"); got != 4 {
		t.Errorf("cuMemAlloc_v2 was called %d times, want 4", got)
	}
	b.ok(b.api.CtxSynchronize(b.ctx))
}

func TestInjectedKernelFault(t *testing.T) {
	b := start(t, "t4", 1)
	work := b.kernel("work")
	b.Inject(Fault{Symbol: "cuLaunchKernel", Skip: 1, Result: driver.ErrAssert, Later: true})
	b.ok(b.launch(work, 0, 0, 0))
	b.ok(b.api.CtxSynchronize(b.ctx))
	b.ok(b.launch(work, 0, 0, 0)) // the launch succeeds, the kernel does not
	b.want(driver.ErrAssert, b.api.CtxSynchronize(b.ctx))
	b.want(driver.ErrAssert, b.launch(work, 0, 0, 0))
}

func TestInjectedStickyFault(t *testing.T) {
	b := start(t, "t4", 1)
	b.Inject(Fault{Symbol: "cuStreamQuery", Result: driver.ErrECCUncorrectable})
	b.want(driver.ErrECCUncorrectable, b.api.StreamQuery(b.ctx, 0))
	b.want(driver.ErrECCUncorrectable, b.api.CtxSynchronize(b.ctx))
}

func TestLostDevice(t *testing.T) {
	b := start(t, "t4", 2)
	s := b.stream(0)
	b.ok(b.launch(b.kernel("wait"), s))
	b.Lose(0)
	close(b.gate)
	b.want(driver.ErrUnknown, b.api.StreamSynchronize(b.ctx, s))
	b.explained("the GPU at 00000000:01:00.0 has been lost")
	b.ok(b.api.CtxSynchronize(b.retain(1)))
	if n, _ := b.api.DeviceGetCount(); n != 2 {
		t.Errorf("got %d devices: a lost one keeps its number", n)
	}
}
