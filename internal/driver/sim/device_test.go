package sim

import (
	"errors"
	"strings"
	"testing"

	"cresset/internal/driver"
	"cresset/internal/hardware"
)

func TestBeforeInit(t *testing.T) {
	m, err := hardware.Preset("t4", 1)
	if err != nil {
		t.Fatal(err)
	}
	api := New(m, Options{LookupEnv: lookup(nil)}).API
	if v, r := api.DriverGetVersion(); v != 12040 || r != driver.Success {
		t.Errorf("DriverGetVersion: got %d, %v", v, r)
	}
	if _, r := api.DeviceGetCount(); r != driver.ErrNotInitialized {
		t.Errorf("DeviceGetCount: got %v", r)
	}
	if _, r := api.DevicePrimaryCtxRetain(0); r != driver.ErrNotInitialized {
		t.Errorf("DevicePrimaryCtxRetain: got %v", r)
	}
	if r := api.CtxSynchronize(1); r != driver.ErrNotInitialized {
		t.Errorf("CtxSynchronize: got %v", r)
	}
	if r := api.Init(1); r != driver.ErrInvalidValue {
		t.Errorf("Init(1): got %v", r)
	}
}

func TestQueries(t *testing.T) {
	b := start(t, "gtx1050", 2)
	if n, r := b.api.DeviceGetCount(); n != 2 || r != driver.Success {
		t.Errorf("count: got %d, %v", n, r)
	}
	if name, _ := b.api.DeviceGetName(1); name != "NVIDIA GeForce GTX 1050 (simulated)" {
		t.Errorf("name: got %q", name)
	}
	if bytes, _ := b.api.DeviceTotalMem(0); bytes != 4042<<20 {
		t.Errorf("memory: got %d", bytes)
	}
	if bus, _ := b.api.DeviceGetPCIBusID(1); bus != "0000:02:00.0" {
		t.Errorf("bus: got %q", bus)
	}
	first, _ := b.api.DeviceGetUUID(0)
	second, _ := b.api.DeviceGetUUID(1)
	if first == second || first == (driver.UUID{}) {
		t.Errorf("UUIDs: got %x, %x", first, second)
	}
	for a, want := range map[driver.Attribute]int32{
		driver.CapabilityMajor: 6, driver.CapabilityMinor: 1, driver.MultiprocessorCount: 5,
		driver.WarpSize: 32, driver.ClockKHz: 1455000,
		driver.L2CacheBytes: 1 << 20, driver.MaxThreadsPerSM: 2048,
	} {
		if got, r := b.api.DeviceGetAttribute(a, 0); got != want || r != driver.Success {
			t.Errorf("attribute %d: got %d, %v, want %d", a, got, r, want)
		}
	}
	if _, r := b.api.DeviceGetAttribute(9999, 0); r != driver.ErrInvalidValue {
		t.Errorf("unknown attribute: got %v", r)
	}
}

func TestInvalidOrdinals(t *testing.T) {
	b := start(t, "t4", 2)
	for _, dev := range []driver.Device{-1, 2, 100} {
		results := map[string]driver.Result{}
		_, results["DeviceGet"] = b.api.DeviceGet(int32(dev))
		_, results["DeviceGetName"] = b.api.DeviceGetName(dev)
		_, results["DevicePrimaryCtxRetain"] = b.api.DevicePrimaryCtxRetain(dev)
		_, results["DeviceCanAccessPeer"] = b.api.DeviceCanAccessPeer(0, dev)
		for name, r := range results {
			if r != driver.ErrInvalidDevice {
				t.Errorf("%s(%d): got %v", name, dev, r)
			}
		}
	}
	b.ok(b.api.CtxSynchronize(b.ctx)) // which leaves the process usable
}

func TestContexts(t *testing.T) {
	b := start(t, "t4", 1)
	if again := b.retain(0); again != b.ctx {
		t.Errorf("a second retain: got %#x, want %#x", again, b.ctx)
	}
	p, s, e := b.alloc(1<<20), b.stream(0), b.event(0)
	free, _, _ := b.api.MemGetInfo(b.ctx)
	b.ok(b.api.DevicePrimaryCtxRelease(0))
	b.ok(b.api.StreamQuery(b.ctx, s)) // one is left
	b.ok(b.api.DevicePrimaryCtxRelease(0))
	b.want(driver.ErrContextIsDestroyed, b.api.StreamQuery(b.ctx, s))
	b.want(driver.ErrInvalidContext, b.api.DevicePrimaryCtxRelease(0))

	b.ctx = b.retain(0)
	if now, _, _ := b.api.MemGetInfo(b.ctx); now != free+1<<20 {
		t.Errorf("free memory: got %d, want what the old context had as well", now)
	}
	b.want(driver.ErrInvalidValue, b.api.MemFree(b.ctx, p))
	b.want(driver.ErrInvalidHandle, b.api.StreamQuery(b.ctx, s))
	b.want(driver.ErrInvalidHandle, b.api.EventQuery(b.ctx, e))
	b.want(driver.ErrInvalidContext, b.api.CtxSynchronize(0))
	b.want(driver.ErrInvalidContext, b.api.CtxSynchronize(12345))
}

func TestPeers(t *testing.T) {
	b := start(t, "h200", 2)
	other := b.retain(1)
	if can, r := b.api.DeviceCanAccessPeer(0, 1); can != 1 || r != driver.Success {
		t.Errorf("can access: got %d, %v", can, r)
	}
	if can, _ := b.api.DeviceCanAccessPeer(0, 0); can != 0 {
		t.Error("a device is its own peer")
	}
	p, r := b.api.MemAlloc(other, 64)
	b.ok(r)
	touch := b.kernel("touch")
	b.want(driver.ErrInvalidValue, b.api.MemsetD8Async(b.ctx, p, 1, 64, 0))
	b.explained("whose access is not enabled")

	b.ok(b.api.CtxEnablePeerAccess(b.ctx, other, 0))
	b.want(driver.ErrPeerAccessAlreadyEnabled, b.api.CtxEnablePeerAccess(b.ctx, other, 0))
	b.ok(b.api.MemsetD8Async(b.ctx, p, 1, 64, 0))
	b.ok(b.launch(touch, 0, uint64(p)+3))
	b.ok(b.api.CtxSynchronize(b.ctx))
	data := make([]byte, 5)
	b.ok(b.api.MemcpyDtoHAsync(other, data, p, 0))
	if got := string(data); got != "\x01\x01\x01\x07\x01" {
		t.Errorf("got %q", got)
	}

	apart := start(t, "t4", 2)
	apart.want(driver.ErrPeerAccessUnsupported, apart.api.CtxEnablePeerAccess(apart.ctx, apart.retain(1), 0))
}

func TestPeerCopy(t *testing.T) {
	for _, preset := range []string{"h200", "t4"} { // with a path between the devices, and without
		b := start(t, preset, 2)
		other := b.retain(1)
		from := b.alloc(8)
		to, r := b.api.MemAlloc(other, 8)
		b.ok(r)
		b.ok(b.api.MemcpyHtoDAsync(b.ctx, from, []byte("dataloss"), 0))
		b.ok(b.api.MemcpyPeerAsync(b.ctx, to, other, from, b.ctx, 8, 0))
		b.ok(b.api.CtxSynchronize(b.ctx))
		got := make([]byte, 8)
		b.ok(b.api.MemcpyDtoHAsync(other, got, to, 0))
		if string(got) != "dataloss" {
			t.Errorf("%s: got %q", preset, got)
		}
		b.want(driver.ErrInvalidContext, b.api.MemcpyPeerAsync(b.ctx, to, 77, from, b.ctx, 8, 0))
		b.want(driver.ErrInvalidValue, b.api.MemcpyPeerAsync(b.ctx, to, b.ctx, from, b.ctx, 8, 0))
		b.want(driver.ErrInvalidValue, b.api.MemcpyPeerAsync(b.ctx, to, other, from, b.ctx, 9, 0))
		b.ok(b.api.MemcpyPeerAsync(b.ctx, to, other, from, b.ctx, 0, 0))
	}
}

// TestEveryFunctionIsThere: a simulated driver lacks nothing.
func TestEveryFunctionIsThere(t *testing.T) {
	b := start(t, "t4", 1)
	if missing := b.api.Missing(); len(missing) > 0 {
		t.Errorf("no %s", strings.Join(missing, ", "))
	}
}

func TestDroppedFunctions(t *testing.T) {
	m, err := hardware.Preset("t4", 1)
	if err != nil {
		t.Fatal(err)
	}
	api := New(m, Options{LookupEnv: lookup(nil)}).API
	api.MemcpyPeerAsync = nil
	var missing *driver.SymbolError
	if err := api.Start(); !errors.As(err, &missing) || missing.Symbol != "cuMemcpyPeerAsync" {
		t.Errorf("without a required function: got %v", err)
	}
}
