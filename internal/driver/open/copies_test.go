package open

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"cresset/internal/driver"
	"cresset/internal/ptx"
)

// memory is the arrays of a launch on the device and in the interpreter, with the same contents.
type memory struct {
	g       *gpu
	device  []driver.Ptr
	regions []ptx.Region
}

// put copies an array to both and returns its number.
func (m *memory) put(data []byte) int {
	p, r := m.g.api.MemAlloc(m.g.ctx, uint64(len(data)))
	m.g.ok(r)
	m.g.Cleanup(func() { m.g.api.MemFree(m.g.ctx, p) })
	m.g.ok(m.g.api.MemcpyHtoDAsync(m.g.ctx, p, data, 0))
	m.g.ok(m.g.api.StreamSynchronize(m.g.ctx, 0))
	m.device = append(m.device, p)
	m.regions = append(m.regions, ptx.Region{Base: uint64(len(m.regions)+1) << 32, Data: bytes.Clone(data)})
	return len(m.device) - 1
}

func (m *memory) Find(addr uint64) ptx.Region {
	if i := int(addr>>32) - 1; i >= 0 && i < len(m.regions) {
		return m.regions[i]
	}
	return ptx.Region{}
}

// array and tiled are parameters: the address of an array, and the map of one.
type array int

type tiled struct {
	array int
	driver.TiledTensor
}

// parameters packs a kernel's parameters for the device, or for the interpreter.
func (m *memory) parameters(device bool, args []any) (out []byte) {
	for _, a := range args {
		switch a := a.(type) {
		case array:
			for len(out)%8 != 0 {
				out = append(out, 0)
			}
			at := uint64(m.device[a])
			if !device {
				at = m.regions[a].Base
			}
			out = binary.LittleEndian.AppendUint64(out, at)
		case tiled:
			for len(out)%64 != 0 {
				out = append(out, 0)
			}
			if device {
				a.Address = m.device[a.array]
				mapped, r := m.g.api.TensorMapEncodeTiled(&a.TiledTensor)
				m.g.ok(r)
				out = append(out, mapped[:]...)
				continue
			}
			t := &a.TiledTensor
			mapped := (&ptx.TensorMap{Type: ptx.TensorMapType(t.Type), Rank: int(t.Rank), Address: m.regions[a.array].Base, Extents: t.Extents, Strides: t.Strides,
				Box: t.Box, Steps: t.Steps, Swizzle: uint32(t.Swizzle), NaNs: t.NaNs}).Encode()
			out = append(out, mapped[:]...)
		default:
			out = binary.LittleEndian.AppendUint32(out, uint32(a.(int)))
		}
	}
	return out
}

// both runs a kernel on the device and in the interpreter and compares all arrays.
func (m *memory) both(file, kernel string, l driver.Launch, args ...any) {
	g := m.g
	g.Helper()
	text, err := os.ReadFile("../../ptx/testdata/" + file)
	if err != nil {
		g.Fatal(err)
	}
	jit := &driver.JIT{Name: file}
	module, r := g.api.ModuleLoadData(g.ctx, text, jit)
	if r != driver.Success {
		g.Errorf("%s: %v: %s", file, r, jit.Errors)
		return
	}
	f, r := g.api.ModuleGetFunction(g.ctx, module, kernel)
	g.ok(r)
	if l.Shared > 48<<10 {
		g.ok(g.api.FuncSetAttribute(g.ctx, f, driver.FuncMaxDynamicShared, int32(l.Shared)))
	}
	if r := g.api.LaunchKernelEx(g.ctx, f, &l, 0, m.parameters(true, args)); r != driver.Success {
		g.Fatal(r)
	}
	if r := g.api.StreamSynchronize(g.ctx, 0); r != driver.Success {
		g.Fatalf("%s: %v", kernel, r)
	}
	parsed, err := ptx.Parse(file, string(text))
	if err != nil {
		g.Fatal(err)
	}
	dim := func(d driver.Dim) [3]uint32 { return [3]uint32{d.X, d.Y, d.Z} }
	_, err = ptx.Launch(parsed.Kernels[kernel], ptx.LaunchConfig{Grid: dim(l.Grid), Block: dim(l.Block), Cluster: dim(l.Cluster), Shared: l.Shared,
		Params: m.parameters(false, args), Memory: m, Capability: g.capability})
	if err != nil {
		g.Errorf("%s: %v", kernel, err)
		return
	}
	words, equal := 0, 0
	for i, region := range m.regions {
		got := make([]byte, len(region.Data))
		g.ok(g.api.MemcpyDtoHAsync(g.ctx, got, m.device[i], 0))
		g.ok(g.api.StreamSynchronize(g.ctx, 0))
		first := true
		for k := 0; k < len(got); k += 4 {
			words++
			if bytes.Equal(got[k:k+4], region.Data[k:k+4]) {
				equal++
			} else if first {
				first = false
				g.Errorf("%s: array %d, word %d: GPU %#x, here %#x", kernel, i, k/4, binary.LittleEndian.Uint32(got[k:]), binary.LittleEndian.Uint32(region.Data[k:]))
			}
		}
	}
	g.Logf("%s %s: %d of %d words equal", g.Name(), kernel, equal, words)
}

// random returns n float32 numbers.
func random(n int) []byte {
	r := rand.New(rand.NewPCG(9, uint64(n)))
	var out []byte
	for range n {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(r.NormFloat64())))
	}
	return out
}

// one is a launch of one block.
func one(threads, shared int) driver.Launch {
	return driver.Launch{Grid: driver.Dim{X: 1, Y: 1, Z: 1}, Block: driver.Dim{X: uint32(threads), Y: 1, Z: 1}, Shared: uint32(shared)}
}

// TestCopiesByMaps copies boxes inside and beside tensors of every rank, with every swizzle. Rows start at multiples of 16 bytes: others are
// an illegal instruction, behind which the context is of no use.
func TestCopiesByMaps(t *testing.T) {
	g := openGPU(t, 90)
	for _, c := range []struct {
		kernel           string
		extents, box, at []int
		swizzle          driver.Swizzle
		nans             bool
		kind             driver.TensorType
	}{
		{"load1", []int{100}, []int{32}, []int{88}, 0, false, driver.TensorF32},
		{"load2", []int{36, 20}, []int{32, 16}, []int{-4, -5}, 3, false, driver.TensorF32},
		{"load2", []int{36, 20}, []int{16, 8}, []int{28, 17}, 2, true, driver.TensorF32},
		{"load2", []int{36, 20}, []int{8, 64}, []int{4, 1}, 1, false, driver.TensorF32},
		{"load2", []int{36, 20}, []int{32, 8}, []int{0, 0}, 0, false, driver.TensorTF32},
		{"load3", []int{20, 7, 5}, []int{32, 4, 3}, []int{-8, 2, 3}, 3, false, driver.TensorF32},
		{"load4", []int{8, 6, 5, 4}, []int{8, 3, 2, 2}, []int{0, 4, 1, 3}, 0, false, driver.TensorF32},
		{"load5", []int{8, 6, 5, 4, 3}, []int{8, 3, 2, 2, 2}, []int{4, 4, 1, -1, 2}, 0, true, driver.TensorF32},
		{"store2", []int{36, 20}, []int{32, 16}, []int{-4, -5}, 3, false, driver.TensorF32},
		{"store2", []int{36, 20}, []int{8, 64}, []int{4, 1}, 1, false, driver.TensorF32},
		{"store3", []int{20, 7, 5}, []int{16, 4, 3}, []int{4, 5, -1}, 2, false, driver.TensorF32},
		{"add2", []int{36, 20}, []int{16, 8}, []int{28, 17}, 2, false, driver.TensorF32},
	} {
		t.Run(fmt.Sprintf("%v of %v at %v, swizzle %d, type %d", c.box, c.extents, c.at, c.swizzle, c.kind), func(t *testing.T) {
			g := &gpu{TB: t, api: g.api, ctx: g.ctx, capability: g.capability}
			m := &memory{g: g}
			a := tiled{TiledTensor: driver.TiledTensor{Type: c.kind, Rank: uint32(len(c.extents)), Swizzle: c.swizzle, NaNs: c.nans}}
			stride, box := 4, 1
			for i := range a.Extents {
				a.Extents[i], a.Box[i], a.Steps[i] = 1, 1, 1
				if i < len(c.extents) {
					a.Extents[i], a.Box[i] = uint64(c.extents[i]), uint32(c.box[i])
					if i > 0 {
						a.Strides[i-1] = uint64(stride)
					}
					stride = (stride*c.extents[i] + 15) / 16 * 16
					box *= c.box[i]
				}
			}
			a.array = m.put(random(stride / 4))
			args := []any{a, array(m.put(random(box))), 4 * box}
			for i := range 5 {
				at := 0
				if i < len(c.at) {
					at = c.at[i]
				}
				args = append(args, at)
			}
			m.both("sm_90/boxes.ptx", c.kernel, one(32, 16384), args...)
		})
	}
}

// matrixMap describes the rows of a matrix, and the boxes that copies take.
func matrixMap(a int, kind driver.TensorType, size, cols, rows, boxCols, boxRows int, s driver.Swizzle) tiled {
	return tiled{a, driver.TiledTensor{Type: kind, Rank: 2, Extents: [5]uint64{uint64(cols), uint64(rows), 1, 1, 1}, Strides: [4]uint64{uint64(size * cols)},
		Box: [5]uint32{uint32(boxCols), uint32(boxRows), 1, 1, 1}, Steps: [5]uint32{1, 1, 1, 1, 1}, Swizzle: s}}
}

// halves returns n bfloat16 numbers.
func halves(n int) []byte {
	full := random(n)
	out := make([]byte, 0, 2*n)
	for i := 0; i < len(full); i += 4 {
		out = append(out, full[i+2], full[i+3])
	}
	return out
}

// TestKernelsOfTheInterpreter runs the kernels that the interpreter is tested by.
func TestKernelsOfTheInterpreter(t *testing.T) {
	g := openGPU(t, 90)
	run := func(name string, f func(m *memory)) {
		t.Run(name, func(t *testing.T) { f(&memory{g: &gpu{TB: t, api: g.api, ctx: g.ctx, capability: g.capability}}) })
	}
	run("pipeline", func(m *memory) {
		in, out := m.put(random(16*32*7)), m.put(random(16*32*7))
		m.both("sm_90/pipeline.ptx", "pipeline", one(96, 8192), matrixMap(in, driver.TensorF32, 4, 32, 16*7, 32, 16, 0), matrixMap(out, driver.TensorF32, 4, 32, 16*7, 32, 16, 0), 7)
	})
	clusters := func(threads, shared int) driver.Launch {
		l := one(threads, shared)
		l.Grid.X, l.Cluster = 4, driver.Dim{X: 2, Y: 1, Z: 1}
		return l
	}
	run("share", func(m *memory) {
		in, out := m.put(random(1024*3)), m.put(random(4*1024*3))
		m.both("sm_90/cluster.ptx", "share", clusters(64, 4096), matrixMap(in, driver.TensorF32, 4, 32, 32*3, 32, 16, 0), array(out), 3)
	})
	run("neighbour", func(m *memory) {
		m.both("sm_90/cluster.ptx", "neighbour", clusters(32, 4096), array(m.put(random(128))), 0)
	})
	run("message", func(m *memory) { m.both("sm_90/cluster.ptx", "message", clusters(32, 4096), array(m.put(random(128)))) })
	run("linear", func(m *memory) {
		m.both("sm_90/boxes.ptx", "linear", one(32, 4096), array(m.put(random(64))), array(m.put(random(64))), 64)
	})
	run("gemm of 8.0", func(m *memory) {
		const M, N, K = 136, 200, 520
		c, a, b := m.put(random(M*N)), m.put(halves(M*K)), m.put(halves(K*N))
		l := one(128, 24576)
		l.Grid = driver.Dim{X: (N + 63) / 64, Y: (M + 63) / 64, Z: 1}
		m.both("sm_80/gemm.ptx", "gemm", l, array(c), array(a), array(b), M, N, K)
	})
	run("gemm of 9.0", func(m *memory) {
		const M, N, K = 300, 200, 520
		c, a, b := m.put(random(M*N)), m.put(halves(M*K)), m.put(halves(N*K))
		l := clusters(384, 3*(128+64)*64*2+64)
		l.Grid = driver.Dim{X: (M + 255) / 256 * 2, Y: (N + 63) / 64, Z: 1}
		m.both("sm_90a/gemm.ptx", "gemm", l, matrixMap(a, driver.TensorBF16, 2, K, M, 64, 128, 3), matrixMap(b, driver.TensorBF16, 2, K, N, 64, 32, 3), array(c), M, N, K)
	})
}
