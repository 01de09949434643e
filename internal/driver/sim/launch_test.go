package sim

import (
	"encoding/binary"
	"math"
	"testing"

	"cresset/internal/driver"
	"cresset/internal/hardware"
)

func TestLaunchesThatAreRefused(t *testing.T) {
	b := start(t, "t4", 1)
	touch := b.kernel("touch")
	params := binary.LittleEndian.AppendUint64(nil, uint64(b.alloc(8)))
	for _, tc := range []struct {
		name        string
		grid, block driver.Dim
		params      []byte
	}{
		{"empty grid", driver.Dim{X: 1, Y: 0, Z: 1}, one, params},
		{"wide grid", driver.Dim{X: 1 << 31, Y: 1, Z: 1}, one, params},
		{"high grid", driver.Dim{X: 1, Y: 65536, Z: 1}, one, params},
		{"empty block", one, driver.Dim{}, params},
		{"large block", one, driver.Dim{X: 1024, Y: 2, Z: 1}, params},
		{"deep block", one, driver.Dim{X: 1, Y: 1, Z: 65}, params},
		{"more than the kernel allows", one, driver.Dim{X: 257, Y: 1, Z: 1}, params},
		{"no parameters", one, one, nil},
		{"too many parameters", one, one, append(params, 0)},
	} {
		if r := b.api.LaunchKernel(b.ctx, touch, tc.grid, tc.block, 0, 0, tc.params); r != driver.ErrInvalidValue {
			t.Errorf("%s: got %v", tc.name, r)
		}
		b.explained("touch: ")
	}
	b.want(driver.ErrInvalidHandle, b.api.LaunchKernel(b.ctx, 0, one, one, 0, 0, params))
	b.ok(b.launch(touch, 0, uint64(b.alloc(8))))
	b.ok(b.api.CtxSynchronize(b.ctx))
}

// TestSharedMemory: a kernel may ask for 48 KiB, static ones included, and for all that a block can have once it was allowed to.
func TestSharedMemory(t *testing.T) {
	for preset, most := range map[string]uint32{"gtx1070": 48 << 10, "t4": 64 << 10, "a100": 163 << 10, "rtx4090": 99 << 10, "h200": 227 << 10} {
		b := start(t, preset, 1)
		tile := b.kernel("tile")
		const static = 1 << 10
		launch := func(shared uint32) driver.Result { return b.api.LaunchKernel(b.ctx, tile, one, one, shared, 0, nil) }
		b.ok(launch(48<<10 - static))
		b.want(driver.ErrInvalidValue, launch(48<<10-static+1))
		b.explained("tile: 48129 bytes of dynamic shared memory")
		b.ok(b.api.FuncSetAttribute(b.ctx, tile, driver.FuncMaxDynamicShared, int32(most-static)))
		b.ok(launch(most - static))
		b.ok(b.api.CtxSynchronize(b.ctx))
		if b.last.Shared != most-static {
			t.Errorf("%s: the kernel has %d bytes", preset, b.last.Shared)
		}
		b.want(driver.ErrInvalidValue, launch(most-static+1))
		b.want(driver.ErrInvalidValue, b.api.FuncSetAttribute(b.ctx, tile, driver.FuncMaxDynamicShared, int32(most-static+1)))
		b.want(driver.ErrInvalidValue, b.api.FuncSetAttribute(b.ctx, tile, 99, 1))
	}
}

func TestClusters(t *testing.T) {
	launch := func(b *bench, tile driver.Function, blocks, cluster uint32) driver.Result {
		l := &driver.Launch{Grid: driver.Dim{X: blocks, Y: 1, Z: 1}, Block: one, Cluster: driver.Dim{X: cluster, Y: 1, Z: 1}}
		return b.api.LaunchKernelEx(b.ctx, tile, l, 0, nil)
	}
	a100 := start(t, "a100", 1)
	a100.want(driver.ErrNotSupported, launch(a100, a100.kernel("tile"), 4, 2))
	for _, preset := range []string{"h200", "rtx5090"} {
		b := start(t, preset, 1)
		tile := b.kernel("tile")
		b.ok(launch(b, tile, 16, 8))
		b.ok(b.api.CtxSynchronize(b.ctx))
		if b.last.Cluster.X != 8 {
			t.Errorf("%s: a cluster of %v", preset, b.last.Cluster)
		}
		b.want(driver.ErrInvalidCluster, launch(b, tile, 15, 2))
		b.want(driver.ErrInvalidCluster, launch(b, tile, 16, 16))
		b.ok(b.api.FuncSetAttribute(b.ctx, tile, driver.FuncNonPortableCluster, 1))
		b.ok(launch(b, tile, 16, 16))
		b.want(driver.ErrInvalidCluster, launch(b, tile, 32, 32))
	}
}

// TestNewerFunctions: the driver of an old card's machine has no clusters and no tensor maps.
func TestNewerFunctions(t *testing.T) {
	for preset, want := range map[string]bool{"gtx1070": false, "t4": true, "h200": true} {
		b := start(t, preset, 1)
		if b.api.LaunchKernelEx != nil != want || b.api.TensorMapEncodeTiled != nil != want {
			t.Errorf("%s: LaunchKernelEx %t, TensorMapEncodeTiled %t", preset, b.api.LaunchKernelEx != nil, b.api.TensorMapEncodeTiled != nil)
		}
	}
}

// TestStickyErrors: a kernel's fault comes out later, and stays.
func TestStickyErrors(t *testing.T) {
	b := start(t, "t4", 2)
	s, p := b.stream(0), b.alloc(8)
	touch, wait := b.kernel("touch"), b.kernel("wait")
	b.ok(b.launch(wait, s))
	b.ok(b.launch(touch, s, 12345)) // nobody knows yet
	b.ok(b.launch(touch, s, uint64(p)))
	close(b.gate)
	b.want(driver.ErrIllegalAddress, b.api.StreamSynchronize(b.ctx, s))
	b.explained("touch on the GPU at 00000000:01:00.0: touched 0x3039")

	results := map[string]driver.Result{
		"CtxSynchronize": b.api.CtxSynchronize(b.ctx), "StreamQuery": b.api.StreamQuery(b.ctx, s),
		"MemFree": b.api.MemFree(b.ctx, p), "LaunchKernel": b.launch(touch, s, uint64(p)),
		"MemcpyDtoH": b.api.MemcpyDtoHAsync(b.ctx, make([]byte, 8), p, s),
	}
	_, results["MemAlloc"] = b.api.MemAlloc(b.ctx, 8)
	_, results["EventCreate"] = b.api.EventCreate(b.ctx, 0)
	_, results["DevicePrimaryCtxRetain"] = b.api.DevicePrimaryCtxRetain(0)
	for name, r := range results {
		if r != driver.ErrIllegalAddress {
			t.Errorf("%s: got %v", name, r)
		}
	}
	b.explained("touched 0x3039") // the first cause
	b.ok(b.api.DevicePrimaryCtxRelease(0))
	_, r := b.api.DevicePrimaryCtxRetain(0) // nor does a new context help
	b.want(driver.ErrIllegalAddress, r)
	b.ok(b.api.CtxSynchronize(b.retain(1))) // the other device is sound
}

func TestLaunchBlocking(t *testing.T) {
	m, err := hardware.Preset("t4", 1)
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]driver.Result{"1": driver.ErrLaunchFailed, "0": driver.Success, "": driver.Success} {
		b := startMachine(t, m, Options{}, "CUDA_LAUNCH_BLOCKING="+value)
		if r := b.launch(b.kernel("fail"), 0); r != want {
			t.Errorf("%q: got %v, want %v", value, r, want)
		}
		b.want(driver.ErrLaunchFailed, b.api.CtxSynchronize(b.ctx))
	}
}

// saxpy is y += a·x over n elements, one for each thread.
const saxpy = `.version 7.0
.target sm_60
.address_size 64

.visible .entry saxpy(
	.param .u64 saxpy_y,
	.param .u64 saxpy_x,
	.param .f32 saxpy_a,
	.param .u32 saxpy_n
)
{
	.reg .pred %p<2>;
	.reg .f32 %f<4>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<8>;

	ld.param.u64 %rd1, [saxpy_y];
	ld.param.u64 %rd2, [saxpy_x];
	ld.param.f32 %f1, [saxpy_a];
	ld.param.u32 %r1, [saxpy_n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.s32 %p1, %r5, %r1;
	@%p1 bra $done;
	cvta.to.global.u64 %rd3, %rd1;
	cvta.to.global.u64 %rd4, %rd2;
	mul.wide.s32 %rd5, %r5, 4;
	add.s64 %rd6, %rd3, %rd5;
	add.s64 %rd7, %rd4, %rd5;
	ld.global.f32 %f2, [%rd7];
	ld.global.f32 %f3, [%rd6];
	fma.rn.f32 %f3, %f1, %f2, %f3;
	st.global.f32 [%rd6], %f3;
$done:
	ret;
}
`

func floats(n int, f func(i int) float32) []byte {
	var data []byte
	for i := range n {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f(i)))
	}
	return data
}

// saxpyBench has vectors x and y of n elements on device 0, and the kernel.
type saxpyBench struct {
	*bench
	f    driver.Function
	x, y driver.Ptr
}

func startSaxpy(t *testing.T, preset string, gpus, n int) saxpyBench {
	t.Helper()
	m, err := hardware.Preset(preset, gpus)
	if err != nil {
		t.Fatal(err)
	}
	b := startMachine(t, m, Options{Compile: CompilePTX})
	code, r := b.api.ModuleLoadData(b.ctx, []byte(saxpy), &driver.JIT{Name: "saxpy.ptx"})
	b.ok(r)
	f, r := b.api.ModuleGetFunction(b.ctx, code, "saxpy")
	b.ok(r)
	return saxpyBench{b, f, b.alloc(uint64(4 * n)), b.alloc(uint64(4 * n))}
}

func (b saxpyBench) launch(n uint32) driver.Result {
	params := binary.LittleEndian.AppendUint64(nil, uint64(b.y))
	params = binary.LittleEndian.AppendUint64(params, uint64(b.x))
	params = binary.LittleEndian.AppendUint32(params, math.Float32bits(2))
	params = binary.LittleEndian.AppendUint32(params, n)
	return b.api.LaunchKernel(b.ctx, b.f, driver.Dim{X: 8, Y: 1, Z: 1}, driver.Dim{X: 128, Y: 1, Z: 1}, 0, 0, params)
}

func TestPTX(t *testing.T) {
	const n = 1000
	b := startSaxpy(t, "gtx1050", 1, n)
	b.ok(b.api.MemcpyHtoDAsync(b.ctx, b.x, floats(n, func(i int) float32 { return float32(i) }), 0))
	b.ok(b.api.MemcpyHtoDAsync(b.ctx, b.y, floats(n, func(int) float32 { return 1 }), 0))
	start, end := b.event(0), b.event(0)
	b.ok(b.api.EventRecord(b.ctx, start, 0))
	b.ok(b.launch(n))
	b.ok(b.api.EventRecord(b.ctx, end, 0))
	got := b.read(b.y, 4*n)
	for i := range n {
		if v := math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:])); v != float32(2*i+1) {
			t.Fatalf("y[%d]: got %v, want %v", i, v, 2*i+1)
		}
	}
	// Each element moves 12 bytes, at 112 GB/s.
	if ms := b.elapsed(start, end); !near(ms, 0.004+1e3*12*n/112e9) {
		t.Errorf("the kernel took %v ms", ms)
	}

	b.ok(b.launch(n + 1)) // one too many
	b.want(driver.ErrIllegalAddress, b.api.CtxSynchronize(b.ctx))
	b.explained("saxpy on the GPU at 00000000:01:00.0", "out-of-bounds", "saxpy.ptx:", "block (7,0,0)", "thread (104,0,0)",
		"ld.global.f32 %f2", "0 bytes past the end of the allocation of 4000 bytes")
}

func TestPTXInMemoryOfOthers(t *testing.T) {
	b := startSaxpy(t, "h200", 2, 8)
	var r driver.Result
	b.x, r = b.api.MemAlloc(b.retain(1), 32)
	b.ok(r)
	b.ok(b.launch(8))
	b.want(driver.ErrIllegalAddress, b.api.CtxSynchronize(b.ctx))
	b.explained("memory of the GPU at 00000000:02:00.0, whose access is not enabled")

	freed := startSaxpy(t, "t4", 1, 8)
	freed.ok(freed.api.MemFree(freed.ctx, freed.x))
	freed.ok(freed.launch(8))
	freed.want(driver.ErrIllegalAddress, freed.api.CtxSynchronize(freed.ctx))
	freed.explained("use after free", "the freed allocation of 32 bytes")

	odd := startSaxpy(t, "t4", 1, 8)
	odd.x++
	odd.ok(odd.launch(1))
	odd.want(driver.ErrMisalignedAddress, odd.api.CtxSynchronize(odd.ctx))
}

func BenchmarkLaunch(b *testing.B) {
	m, err := hardware.Preset("t4", 1)
	if err != nil {
		b.Fatal(err)
	}
	nothing := func(string, string) (*Code, error) {
		return &Code{Kernels: map[string]*Kernel{"k": {Run: func(*Launch) (Work, error) { return Work{}, nil }}}}, nil
	}
	api := New(m, Options{Compile: nothing, LookupEnv: lookup(nil)}).API
	if err := api.Start(); err != nil {
		b.Fatal(err)
	}
	ctx, _ := api.DevicePrimaryCtxRetain(0)
	code, _ := api.ModuleLoadData(ctx, []byte(text), nil)
	f, _ := api.ModuleGetFunction(ctx, code, "k")
	b.ReportAllocs()
	for b.Loop() {
		api.LaunchKernel(ctx, f, one, one, 0, 0, nil)
	}
	if r := api.CtxSynchronize(ctx); r != driver.Success {
		b.Fatal(r)
	}
}
