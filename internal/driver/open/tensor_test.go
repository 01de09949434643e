package open

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"cresset/internal/driver"
	"cresset/internal/ptx"
)

// gpu is the first GPU that there is, real or simulated, of at least a capability.
type gpu struct {
	testing.TB
	api        *driver.API
	ctx        driver.Context
	capability int
}

func openGPU(t testing.TB, least int) *gpu {
	api, err := Driver(nil)
	if err == nil {
		err = api.Start()
	}
	if err != nil {
		t.Skip(err)
	}
	g := &gpu{TB: t, api: api}
	d, r := api.DeviceGet(0)
	g.ok(r)
	major, r := api.DeviceGetAttribute(driver.CapabilityMajor, d)
	g.ok(r)
	minor, r := api.DeviceGetAttribute(driver.CapabilityMinor, d)
	g.ok(r)
	if g.capability = int(10*major + minor); g.capability < least {
		t.Skipf("the GPU has capability %d.%d", major, minor)
	}
	g.ctx, r = api.DevicePrimaryCtxRetain(d)
	g.ok(r)
	t.Cleanup(func() { api.DevicePrimaryCtxRelease(d) })
	return g
}

func (g *gpu) ok(r driver.Result) {
	g.Helper()
	if r != driver.Success {
		g.Fatal(r)
	}
}

// job is a kernel with one array in and one out.
type job struct {
	text          string
	grid, threads uint32
	shared        uint32
	cluster       uint32
	in            []byte
	out           int
}

// onGPU runs a job on the device.
func (g *gpu) onGPU(j job) ([]byte, error) {
	jit := &driver.JIT{Name: "unit.ptx"}
	m, r := g.api.ModuleLoadData(g.ctx, []byte(j.text), jit)
	if r != driver.Success {
		return nil, fmt.Errorf("%w: %s", r, jit.Errors)
	}
	f, r := g.api.ModuleGetFunction(g.ctx, m, "unit")
	g.ok(r)
	in, r := g.api.MemAlloc(g.ctx, uint64(len(j.in)))
	g.ok(r)
	out, r := g.api.MemAlloc(g.ctx, uint64(j.out))
	g.ok(r)
	defer g.api.MemFree(g.ctx, in)
	defer g.api.MemFree(g.ctx, out)
	g.ok(g.api.MemcpyHtoDAsync(g.ctx, in, j.in, 0))
	g.ok(g.api.MemsetD8Async(g.ctx, out, 0, uint64(j.out), 0))
	params := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(in)), uint64(out))
	if j.shared > 48<<10 {
		g.ok(g.api.FuncSetAttribute(g.ctx, f, driver.FuncMaxDynamicShared, int32(j.shared)))
	}
	l := &driver.Launch{Grid: driver.Dim{X: j.grid, Y: 1, Z: 1}, Block: driver.Dim{X: j.threads, Y: 1, Z: 1}, Shared: j.shared}
	if j.cluster > 0 {
		l.Cluster = driver.Dim{X: j.cluster, Y: 1, Z: 1}
		r = g.api.LaunchKernelEx(g.ctx, f, l, 0, params)
	} else {
		r = g.api.LaunchKernel(g.ctx, f, l.Grid, l.Block, l.Shared, 0, params)
	}
	if r == driver.Success {
		r = g.api.StreamSynchronize(g.ctx, 0)
	}
	if r != driver.Success {
		return nil, r
	}
	got := make([]byte, j.out)
	g.ok(g.api.MemcpyDtoHAsync(g.ctx, got, out, 0))
	g.ok(g.api.StreamSynchronize(g.ctx, 0))
	return got, nil
}

// heap is the two arrays of a job.
type heap [2]ptx.Region

func (h *heap) Find(addr uint64) ptx.Region { return h[min(addr>>32, 2)-1] }

// interpreted runs a job in the interpreter.
func (g *gpu) interpreted(j job, capability int) ([]byte, error) {
	m, err := ptx.Parse("unit.ptx", j.text)
	if err != nil {
		return nil, err
	}
	h := &heap{{Base: 1 << 32, Data: j.in}, {Base: 2 << 32, Data: make([]byte, j.out)}}
	params := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 1<<32), 2<<32)
	cfg := ptx.LaunchConfig{Grid: [3]uint32{j.grid, 1, 1}, Block: [3]uint32{j.threads, 1, 1}, Shared: j.shared, Params: params, Memory: h, Capability: capability}
	if j.cluster > 0 {
		cfg.Cluster = [3]uint32{j.cluster, 1, 1}
	}
	_, err = ptx.Launch(m.Kernels["unit"], cfg)
	return h[1].Data, err
}

// compare runs a job on both and reports how many words of some bytes are equal. NaNs are equal.
func (g *gpu) compare(name string, j job, bytes int, within float64) {
	g.Helper()
	got, err := g.onGPU(j)
	if err != nil {
		g.Errorf("%s: %v", name, err)
		return
	}
	want, err := g.interpreted(j, g.capability)
	if err != nil {
		g.Errorf("%s: interpreted: %v", name, err)
		return
	}
	value := func(b []byte) (uint64, float64) {
		switch bytes {
		case 2:
			x := binary.LittleEndian.Uint16(b)
			return uint64(x), float64(half(x))
		case 4:
			x := binary.LittleEndian.Uint32(b)
			return uint64(x), float64(math.Float32frombits(x))
		}
		x := binary.LittleEndian.Uint64(b)
		return x, math.Float64frombits(x)
	}
	n, equal, first := len(got)/bytes, 0, ""
	for i := range n {
		x, v := value(got[i*bytes:])
		y, w := value(want[i*bytes:])
		if x == y || v != v && w != w {
			equal++
		} else if first == "" {
			first = fmt.Sprintf(", first word %d: GPU %#x (%g), here %#x (%g)", i, x, v, y, w)
		}
	}
	g.Logf("%-60s %d of %d equal%s", name, equal, n, first)
	if float64(equal) < within*float64(n) {
		g.Errorf("%s: %d of %d equal%s", name, equal, n, first)
	}
}

func half(x uint16) float32 {
	if x&0x7c00 == 0x7c00 {
		return math.Float32frombits(uint32(x)<<16&1<<31 | uint32(x&0x3ff)<<13 | 0x7f800000)
	}
	return math.Float32frombits(uint32(x)<<16&(1<<31)|uint32(x&0x7fff)<<13) * 0x1p112
}

// unitText is PTX of a warp that loads in registers, runs an instruction on %a and stores out registers from %d.
func unitText(target, version, code, reg string, in, out int) string {
	var s strings.Builder
	size := map[string]int{"b32": 4, "b64": 8}[reg]
	fmt.Fprintf(&s, `.version %s
.target %s
.address_size 64
.visible .entry unit(.param .u64 in, .param .u64 out)
{
	.reg .b32 %%t; .reg .b64 %%i; .reg .b64 %%o; .reg .b64 %%l; .reg .%s %%a<%d>; .reg .%s %%d<%d>;
	ld.param.u64 %%i, [in]; ld.param.u64 %%o, [out];
	mov.u32 %%t, %%ctaid.x; mul.wide.u32 %%l, %%t, %d; add.s64 %%i, %%i, %%l; mul.wide.u32 %%l, %%t, %d; add.s64 %%o, %%o, %%l;
	mov.u32 %%t, %%tid.x; mul.wide.u32 %%l, %%t, %d; add.s64 %%i, %%i, %%l; add.s64 %%o, %%o, %%l;
`, version, target, reg, in+1, reg, out+1, in*32*size, out*32*size, size)
	for k := range in {
		fmt.Fprintf(&s, "	ld.global.%s %%a%d, [%%i+%d];\n", reg, k, 32*size*k)
	}
	s.WriteString(code)
	for k := range out {
		fmt.Fprintf(&s, "	st.global.%s [%%o+%d], %%d%d;\n", reg, 32*size*k, k)
	}
	return s.String() + "	ret;\n}\n"
}

func list(name string, first, n int) string {
	var s []string
	for k := range n {
		s = append(s, fmt.Sprintf("%%%s%d", name, first+k))
	}
	return "{" + strings.Join(s, ",") + "}"
}

// fills are kinds of random numbers, as float64 that a format rounds, or as bits.
var fills = []struct {
	name string
	ab   func(r *rand.Rand) float64
	c    func(r *rand.Rand) float64
	bits bool
}{
	{"normal", (*rand.Rand).NormFloat64, (*rand.Rand).NormFloat64, false},
	{"normal without c", (*rand.Rand).NormFloat64, func(*rand.Rand) float64 { return 0 }, false},
	{"wide", func(r *rand.Rand) float64 { return math.Ldexp(r.NormFloat64(), r.IntN(21)-12) }, func(r *rand.Rand) float64 { return math.Ldexp(r.NormFloat64(), r.IntN(40)-24) }, false},
	{"zeros", func(r *rand.Rand) float64 {
		if r.IntN(3) > 0 {
			return 0
		}
		return math.Ldexp(r.NormFloat64(), r.IntN(25)-14)
	}, func(r *rand.Rand) float64 { return math.Ldexp(r.NormFloat64(), -20) }, false},
	{"small", func(r *rand.Rand) float64 { return math.Ldexp(r.NormFloat64(), -9-r.IntN(14)) }, func(r *rand.Rand) float64 { return math.Ldexp(r.NormFloat64(), -30) }, false},
	{"positive", func(r *rand.Rand) float64 { return r.Float64() }, func(r *rand.Rand) float64 { return 100 * r.Float64() }, false},
	{"bits", nil, nil, true},
}

func encode(kind string, v float64) uint64 {
	switch kind {
	case "f16":
		return uint64(roundHalf(v))
	case "bf16":
		x := math.Float32bits(float32(v))
		return uint64((x + 0x7fff + x>>16&1) >> 16)
	case "f32", "tf32":
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// roundHalf is f16 of v, near enough for a test's operands.
func roundHalf(v float64) uint16 {
	s := math.Float32bits(float32(v)) >> 16 & 0x8000
	x := math.Float32bits(float32(math.Abs(v)) * 0x1p-112)
	return uint16(s | min((x+1<<12)>>13, 0x7bff))
}

type product struct {
	shape, kind, sum string
	regs             [3]int
	least            int
}

var products = []product{
	{"m16n8k8", "f16", "f32", [3]int{2, 1, 4}, 75}, {"m16n8k8", "f16", "f16", [3]int{2, 1, 2}, 75},
	{"m16n8k16", "f16", "f32", [3]int{4, 2, 4}, 80}, {"m16n8k16", "f16", "f16", [3]int{4, 2, 2}, 80},
	{"m16n8k16", "bf16", "f32", [3]int{4, 2, 4}, 80}, {"m16n8k8", "bf16", "f32", [3]int{2, 1, 4}, 80},
	{"m16n8k8", "tf32", "f32", [3]int{4, 2, 4}, 80}, {"m16n8k4", "tf32", "f32", [3]int{2, 1, 4}, 80},
	{"m8n8k4", "f64", "f64", [3]int{1, 1, 2}, 80}, {"m16n8k8", "f64", "f64", [3]int{4, 2, 4}, 90},
	{"m8n8k16", "s8", "s32", [3]int{1, 1, 2}, 75}, {"m16n8k16", "s8", "s32", [3]int{2, 1, 4}, 80}, {"m16n8k32", "s8", "s32", [3]int{4, 2, 4}, 80},
}

// TestProductsOfTensorCores runs each mma.sync on random matrices on the GPU and in the interpreter, and wants the same bits.
func TestProductsOfTensorCores(t *testing.T) {
	g := openGPU(t, 75)
	for _, p := range products {
		if g.capability < p.least {
			continue
		}
		for _, fill := range fills {
			reg, size, word := "b32", 4, 4
			if p.kind == "f64" {
				reg, size, word = "b64", 8, 8
			}
			if p.sum == "f16" {
				word = 2
			}
			in, blocks := p.regs[0]+p.regs[1]+p.regs[2], 128
			code := fmt.Sprintf("	mma.sync.aligned.%s.row.col.%s.%s.%s.%s %s, %s, %s, %s;\n", p.shape, p.sum, p.kind, p.kind, p.sum,
				list("d", 0, p.regs[2]), list("a", 0, p.regs[0]), list("a", p.regs[0], p.regs[1]), list("a", p.regs[0]+p.regs[1], p.regs[2]))
			target, version := fmt.Sprintf("sm_%d", p.least), "7.0"
			if p.least == 90 {
				version = "7.8"
			}
			r := rand.New(rand.NewPCG(3, 5))
			var data []byte
			for range blocks {
				for k := range in {
					kind, number := p.kind, fill.ab
					if k >= p.regs[0]+p.regs[1] {
						kind, number = p.sum, fill.c
					}
					for range 32 {
						x := r.Uint64()
						if !fill.bits && p.kind != "s8" {
							if x = encode(kind, number(r)); kind == "f16" || kind == "bf16" {
								x |= encode(kind, number(r)) << 16
							}
						}
						if size == 4 {
							data = binary.LittleEndian.AppendUint32(data, uint32(x))
						} else {
							data = binary.LittleEndian.AppendUint64(data, x)
						}
					}
				}
			}
			g.compare(fmt.Sprintf("mma %s %s %s %s", p.shape, p.kind, p.sum, fill.name),
				job{text: unitText(target, version, code, reg, in, p.regs[2]), grid: uint32(blocks), threads: 32, in: data, out: blocks * p.regs[2] * 32 * size}, word, 1)
		}
	}
}

// TestFragmentsInSharedMemory moves matrices by ldmatrix, stmatrix and movmatrix on both.
func TestFragmentsInSharedMemory(t *testing.T) {
	g := openGPU(t, 90)
	const store = "	.shared .align 16 .b8 room[512]; .reg .b32 %s; .reg .b32 %x; mov.b32 %s, room; mad.lo.u32 %x, %t, 16, %s;\n"
	for name, code := range map[string]string{
		"ldmatrix":       store + "	st.shared.v4.b32 [%x], {%a0,%a1,%a2,%a3}; bar.sync 0;\n	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%d0,%d1,%d2,%d3}, [%x];\n",
		"ldmatrix trans": store + "	st.shared.v4.b32 [%x], {%a0,%a1,%a2,%a3}; bar.sync 0;\n	ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%d0,%d1,%d2,%d3}, [%x];\n",
		"stmatrix":       store + "	stmatrix.sync.aligned.m8n8.x4.shared.b16 [%x], {%a0,%a1,%a2,%a3}; bar.sync 0;\n	ld.shared.v4.b32 {%d0,%d1,%d2,%d3}, [%x];\n",
		"stmatrix trans": store + "	stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%x], {%a0,%a1,%a2,%a3}; bar.sync 0;\n	ld.shared.v4.b32 {%d0,%d1,%d2,%d3}, [%x];\n",
		"movmatrix":      "	movmatrix.sync.aligned.m8n8.trans.b16 %d0, %a0; mov.b32 %d1, %a1; mov.b32 %d2, %a2; mov.b32 %d3, %a3;\n",
		"halves":         "	fma.rn.f16x2 %d0, %a0, %a1, %a2; fma.rn.bf16x2 %d1, %a0, %a1, %a2; add.rn.f16x2 %d2, %a0, %a1; max.f16x2 %d3, %a0, %a1;\n",
		"packing":        "	cvt.rn.bf16x2.f32 %d0, %a0, %a1; cvt.rn.f16x2.f32 %d1, %a0, %a1; cvt.rna.tf32.f32 %d2, %a0; cvt.rz.bf16x2.f32 %d3, %a2, %a3;\n",
		"bits":           "	lop3.b32 %d0, %a0, %a1, %a2, 0x6b; prmt.b32 %d1, %a0, %a1, %a2; and.b32 %a3, %a3, 0x1f1f; bfi.b32 %d2, %a0, %a1, %a3, 7; bfe.s32 %d3, %a0, %t, 9;\n",
		"more bits":      "	shf.r.wrap.b32 %d0, %a0, %a1, %a2; shf.l.clamp.b32 %d1, %a0, %a1, %t; popc.b32 %d2, %a0; redux.sync.add.s32 %d3, %a0, -1;\n",
	} {
		word := 4
		if name == "halves" || name == "packing" {
			word = 2
		}
		r := rand.New(rand.NewPCG(3, 5))
		var data []byte
		for range 4 * 32 * 16 {
			data = binary.LittleEndian.AppendUint32(data, r.Uint32())
		}
		g.compare(name, job{text: unitText("sm_90", "8.0", code, "b32", 4, 4), grid: 16, threads: 32, in: data, out: 4 * 32 * 16 * 4}, word, 1)
	}
}
