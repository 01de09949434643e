//go:build !nocuda

package driver

import (
	"bytes"
	"runtime"
	"sync"
	"testing"
)

const (
	ctx    Context  = 0xC0
	peer   Context  = 0xC1
	stream Stream   = 5
	event  Event    = 0xE
	module Module   = 0xA
	kernel Function = 0xF
)

// TestDeviceCalls checks that arguments reach C and results come back. The stub refuses what is not as written here.
func TestDeviceCalls(t *testing.T) {
	api := load(t)
	if err := api.Start(); err != nil {
		t.Fatal(err)
	}
	if n, r := api.DeviceGetCount(); n != 2 || r != Success {
		t.Errorf("DeviceGetCount: got %d, %v", n, r)
	}
	if dev, r := api.DeviceGet(1); dev != 1 || r != Success {
		t.Errorf("DeviceGet(1): got %d, %v", dev, r)
	}
	if _, r := api.DeviceGet(-1); r != ErrInvalidDevice {
		t.Errorf("DeviceGet(-1): got %v", r)
	}
	if name, r := api.DeviceGetName(1); name != "Stub GPU 1" || r != Success {
		t.Errorf("DeviceGetName: got %q, %v", name, r)
	}
	if bus, r := api.DeviceGetPCIBusID(1); bus != "0000:01:00.0" || r != Success {
		t.Errorf("DeviceGetPCIBusID: got %q, %v", bus, r)
	}
	if id, r := api.DeviceGetUUID(1); id[0] != 0 || id[15] != 15 || r != Success {
		t.Errorf("DeviceGetUUID: got %v, %v", id, r)
	}
	if n, r := api.DeviceTotalMem(0); n != 5000000000 || r != Success {
		t.Errorf("DeviceTotalMem: got %d, %v", n, r)
	}
	if v, r := api.DeviceGetAttribute(CapabilityMajor, 1); v != -7 || r != Success {
		t.Errorf("DeviceGetAttribute: got %d, %v", v, r)
	}
	if can, r := api.DeviceCanAccessPeer(0, 1); can != 1 || r != Success {
		t.Errorf("DeviceCanAccessPeer: got %d, %v", can, r)
	}
	if c, r := api.DevicePrimaryCtxRetain(1); c != peer || r != Success {
		t.Errorf("DevicePrimaryCtxRetain: got %#x, %v", c, r)
	}
	check(t, map[string]Result{
		"DevicePrimaryCtxRelease": api.DevicePrimaryCtxRelease(0),
	})
}

// TestResultsThatOnlyTheDriverKnows: a newer driver's results have its own names.
func TestResultsThatOnlyTheDriverKnows(t *testing.T) {
	api := load(t)
	for r, want := range map[Result][2]string{
		4242: {"CUDA_ERROR_STUB", "the stub says so"}, 4243: {"CUDA_ERROR_4243", "unrecognized error code"}, ErrOutOfMemory: {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	} {
		if name, text := api.Explanation(r); name != want[0] || text != want[1] {
			t.Errorf("%d: got %q, %q", r, name, text)
		}
	}
}

func check(t *testing.T, results map[string]Result) {
	t.Helper()
	for name, r := range results {
		if r != Success {
			t.Errorf("%s: got %v", name, r)
		}
	}
}

func TestStreamAndEventCalls(t *testing.T) {
	api := load(t)
	if s, r := api.StreamCreate(ctx, StreamNonBlocking, -5); s != stream || r != Success {
		t.Errorf("StreamCreate: got %#x, %v", s, r)
	}
	if e, r := api.EventCreate(ctx, EventDisableTiming); e != event || r != Success {
		t.Errorf("EventCreate: got %#x, %v", e, r)
	}
	if ms, r := api.EventElapsedTime(ctx, event, 0xF); ms != 1.5 || r != Success {
		t.Errorf("EventElapsedTime: got %v, %v", ms, r)
	}
	if r := api.StreamQuery(ctx, stream); r != ErrNotReady {
		t.Errorf("StreamQuery: got %v", r)
	}
	check(t, map[string]Result{
		"CtxSynchronize":      api.CtxSynchronize(ctx),
		"CtxEnablePeerAccess": api.CtxEnablePeerAccess(ctx, peer, 0),
		"StreamSynchronize":   api.StreamSynchronize(ctx, stream),
		"StreamWaitEvent":     api.StreamWaitEvent(ctx, stream, event, 0),
		"EventRecord":         api.EventRecord(ctx, event, stream),
		"EventQuery":          api.EventQuery(ctx, event),
		"EventSynchronize":    api.EventSynchronize(ctx, event),
	})
}

func TestMemoryCalls(t *testing.T) {
	api := load(t)
	if free, total, r := api.MemGetInfo(ctx); free != 3 || total != 5000000000 || r != Success {
		t.Errorf("MemGetInfo: got %d, %d, %v", free, total, r)
	}
	if p, r := api.MemAlloc(ctx, 1); p != 0x700000000001 || r != Success {
		t.Errorf("MemAlloc: got %#x, %v", p, r)
	}
	if _, r := api.MemAlloc(ctx, 1<<41); r != ErrOutOfMemory {
		t.Errorf("MemAlloc of too much: got %v", r)
	}
	host, r := api.MemHostAlloc(ctx, 64, HostPortable|HostMapped)
	if len(host) != 64 || r != Success {
		t.Fatalf("MemHostAlloc: got %d bytes, %v", len(host), r)
	}
	if p, r := api.MemHostGetDevicePointer(ctx, host, 0); uintptr(p) != address(host) || r != Success {
		t.Errorf("MemHostGetDevicePointer: got %#x, %v", p, r)
	}
	check(t, map[string]Result{
		"MemcpyHtoDAsync": api.MemcpyHtoDAsync(ctx, 8, []byte("hello"), stream),
		"MemcpyDtoDAsync": api.MemcpyDtoDAsync(ctx, 1, 2, 3, stream),
		"MemcpyPeerAsync": api.MemcpyPeerAsync(ctx, 1, ctx, 2, peer, 3, stream),
		"MemsetD8Async":   api.MemsetD8Async(ctx, 1, 200, 3, stream),
		"empty copy":      api.MemcpyHtoDAsync(ctx, 8, nil, stream),
		"MemFree":         api.MemFree(ctx, 0x700000000001),
	})
	got := make([]byte, 5)
	if r := api.MemcpyDtoHAsync(ctx, got, 8, stream); r != Success || !bytes.Equal(got, []byte("hello")) {
		t.Errorf("MemcpyDtoHAsync: got %q, %v", got, r)
	}
}

func TestModuleCalls(t *testing.T) {
	api := load(t)
	jit := &JIT{}
	if m, r := api.ModuleLoadData(ctx, []byte(".version 7.0"), jit); m != module || r != Success {
		t.Errorf("ModuleLoadData: got %#x, %v", m, r)
	}
	if jit.Info != "info" || jit.Errors != "error" {
		t.Errorf("logs: got %q, %q", jit.Info, jit.Errors)
	}
	if _, r := api.ModuleLoadData(ctx, nil, nil); r != ErrInvalidPTX {
		t.Errorf("ModuleLoadData of nothing: got %v", r)
	}
	if f, r := api.ModuleGetFunction(ctx, module, "add"); f != kernel || r != Success {
		t.Errorf("ModuleGetFunction: got %#x, %v", f, r)
	}
	if _, r := api.ModuleGetFunction(ctx, module, ""); r != ErrNotFound {
		t.Errorf("ModuleGetFunction of no name: got %v", r)
	}
	cluster := &Launch{Grid: Dim{2, 4, 6}, Block: Dim{4, 5, 6}, Shared: 2000, Cluster: Dim{2, 4, 1}}
	early := &Launch{Grid: Dim{2, 4, 6}, Block: Dim{4, 5, 6}, Shared: 2000, Programmatic: true}
	both := &Launch{Grid: Dim{2, 4, 6}, Block: Dim{4, 5, 6}, Shared: 2000, Cluster: Dim{2, 4, 1}, Programmatic: true}
	check(t, map[string]Result{
		"LaunchKernel":         launch(api, []byte("param")),
		"FuncSetAttribute":     api.FuncSetAttribute(ctx, kernel, FuncMaxDynamicShared, 2000),
		"a cluster's launch":   api.LaunchKernelEx(ctx, kernel, cluster, stream, []byte("4")),
		"a programmatic one":   api.LaunchKernelEx(ctx, kernel, early, stream, []byte("6")),
		"one that is both":     api.LaunchKernelEx(ctx, kernel, both, stream, []byte("46")),
		"neither, after these": api.LaunchKernelEx(ctx, kernel, &Launch{Grid: Dim{2, 4, 6}, Block: Dim{4, 5, 6}, Shared: 2000}, stream, nil),
	})
	if n, r := api.OccupancyMaxActiveBlocks(ctx, kernel, 256, 1<<33); n != 6 || r != Success {
		t.Errorf("OccupancyMaxActiveBlocks: got %d, %v", n, r)
	}
	pairs := &Launch{Grid: Dim{132, 1, 1}, Block: Dim{384, 1, 1}, Shared: 2000, Cluster: Dim{2, 1, 1}}
	if n, r := api.OccupancyMaxActiveClusters(ctx, kernel, pairs); n != 66 || r != Success {
		t.Errorf("OccupancyMaxActiveClusters: got %d, %v", n, r)
	}
	mapped := append(append([]byte("map"), make([]byte, 125)...), "rest"...)
	for _, name := range []string{"mapped", "plain", "mapped"} {
		f, r := api.ModuleGetFunction(ctx, module, name)
		if r != Success || f != 0xE {
			t.Errorf("ModuleGetFunction: got %#x, %v", f, r)
		}
		check(t, map[string]Result{"a kernel, " + name: api.LaunchKernelEx(ctx, f, cluster, stream, mapped)})
	}
	if r := launch(api, make([]byte, MaxParams+1)); r != ErrInvalidValue {
		t.Errorf("too many parameters: got %v", r)
	}
	if r := api.LaunchKernelEx(ctx, kernel, cluster, stream, make([]byte, MaxParams+1)); r != ErrInvalidValue {
		t.Errorf("too many parameters with a cluster: got %v", r)
	}
}

func TestTensorMap(t *testing.T) {
	tiled := TiledTensor{
		Type: TensorBF16, Rank: 3, Address: 0x7000, Extents: [5]uint64{1 << 32, 5, 6}, Strides: [4]uint64{1 << 33, 1 << 36},
		Box: [5]uint32{64, 128, 2}, Steps: [5]uint32{1, 1, 3}, Swizzle: Swizzle128, L2: 2, NaNs: true,
	}
	m, r := load(t).TensorMapEncodeTiled(&tiled)
	if r != Success || m[0] != 0xAB || m[127] != 0xCD {
		t.Errorf("got %v, %v", m, r)
	}
}

// TestNewerFunctions: a driver that lacks what only newer kernels need is no less of use.
func TestNewerFunctions(t *testing.T) {
	api := load(t, "-DOLD")
	if err := api.Start(); err != nil || api.LaunchKernelEx != nil || api.TensorMapEncodeTiled != nil || api.OccupancyMaxActiveClusters != nil {
		t.Errorf("got %v, and %t, %t, %t", err, api.LaunchKernelEx != nil, api.TensorMapEncodeTiled != nil, api.OccupancyMaxActiveClusters != nil)
	}
}

func launch(api *API, params []byte) Result {
	return api.LaunchKernel(ctx, kernel, Dim{1, 2, 3}, Dim{4, 5, 6}, 1000, stream, params)
}

// TestContextFollowsGoroutine has many goroutines with different contexts change threads all the time: each call must find
// its own context.
func TestContextFollowsGoroutine(t *testing.T) {
	api := load(t)
	var team sync.WaitGroup
	for g := range 8 {
		team.Go(func() {
			for range 300 {
				c, want := ctx, Success
				if g%2 == 1 {
					c, want = peer, ErrInvalidValue // which the stub answers in any but ctx
				}
				if r := api.CtxSynchronize(c); r != want {
					t.Errorf("context %#x: got %v, want %v", c, r, want)
				}
				runtime.Gosched()
			}
		})
	}
	team.Wait()
	if r := api.CtxSynchronize(0xBAD); r != ErrInvalidContext {
		t.Errorf("a context that cannot be current: got %v", r)
	}
}

func BenchmarkLaunch(b *testing.B) {
	api := load(b)
	params := []byte("param")
	b.ReportAllocs()
	for b.Loop() {
		launch(api, params)
	}
}
