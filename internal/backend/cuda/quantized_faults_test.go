package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
)

// Parts of the text of product_quantized_wgmma: copies of rows of x to both blocks, and of rows of the weight.
const (
	loadRowsX = `(cp\.async\.bulk\.tensor\.3d\S+multicast::cluster \[%r\d+\], \[%rd\d+, \{)(%r\d+), (%r\d+), (%r\d+)(\}\], \[%r\d+\], %rs\d+;)`
	loadRowsW = `(cp\.async\.bulk\.tensor\.3d\.shared::cluster\.global\.tile\.mbarrier::complete_tx::bytes \[%r\d+\], \[%rd\d+, \{)(%r\d+), (%r\d+), (%r\d+)(\}\], \[%r\d+\];)`
)

var byteFaults = []plantedFault{
	{"rows of x are those below", loadRowsX, having("add.s32 moved, $3, 1;", "${1}$2, moved, $4$5"), differs, ""},
	{"rows of the weight are those below", loadRowsW, having("add.s32 moved, $3, 1;", "${1}$2, moved, $4$5"), differs, ""},
	{"numbers of the weight are those behind", loadRowsW, having("add.s32 moved, $2, 16;", "${1}moved, $3, $4$5"), differs, ""},
	{"more bytes are announced", announced, having("add.s32 moved, $2, 128;", "${1}moved;"), "deadlock", "128 bytes missing"},
	{"a stage is read before it has come", fullWait, "setp.eq.b32 p, $2, $2$3", "data race", "asynchronous"},
	{"a stage is read at the wrong parity", fullWait, ".reg .b32 moved;\nxor.b32 moved, $2, 1;\n${1}moved$3", "data race", "asynchronous"},
	{"a stage is filled while it is read", emptyWait, "setp.eq.b32 p, $2, $2$3", "misuse", "bytes missing"},
	{"a stage is filled at the wrong parity", emptyWait, ".reg .b32 moved;\nxor.b32 moved, $2, 1;\n${1}moved$3", "deadlock", "waits for the end of a phase"},
	{"a stage is given back while it is multiplied", `wgmma\.wait_group\.sync\.aligned 1;`, "", "data race", "an asynchronous instruction still reads it"},
	{"a stage is given back by half of the warps", arrivals, "${1}8;$2", "data race", ""},
	{"a stage wants one more warp", arrivals, "${1}17;$2", "deadlock", "of 17 arrivals"},
	{"no fence before the products", `wgmma\.fence\.sync\.aligned;`, "", "misuse", "no wgmma.fence"},
	{"sums are read while they are added to", `wgmma\.wait_group\.sync\.aligned 0;`, "", "data race", "a register of the product"},
	{"sums overwrite what the other group multiplies", groupsMeet, "", "data race", ""},
	{"the kernel ahead is not waited for", `griddepcontrol\.wait;`, "", "data race", "no griddepcontrol.wait"},
	{"the second 32 numbers are one chunk further", secondStep, "${1}81;", differs, ""},
}

// TestBytesByWarpgroupsAreWatched plants what can go wrong between a producer of rows of int8, the TMA and its warpgroups, and wants the interpreter or the comparison
// with exact sums to see it, which see nothing without.
func TestBytesByWarpgroupsAreWatched(t *testing.T) {
	slowUnderRace(t)
	watchFaults(t, byteFaults, plantedBytes)
}

// plantedBytes multiplies rows of int8 by a kernel with a fault, in a ring of stages that goes round twice, and returns what is seen of it.
func plantedBytes(t *testing.T, f *plantedFault) string {
	t.Helper()
	const m, n, k = 70, 200, 1680
	tile := slices.IndexFunc(kernels.ByteTiles[:], func(b kernels.ByteTile) bool { return b.Mapped })
	kernel := kernels.ByteTiles[tile].Kernel()
	return seen(t, "h100", kernel+"_f32", f, func(dev *Device) error {
		x, w, ones, scales := make([]byte, m*k), make([]byte, n*k), make([]byte, 8*m), make([]byte, 4*n)
		for i := range x {
			x[i] = byte(i * i % 251)
		}
		for i := range w {
			w[i] = byte(i * i % 241)
		}
		for i := range m {
			binary.LittleEndian.PutUint64(ones[8*i:], math.Float64bits(1))
		}
		for i := range n {
			binary.LittleEndian.PutUint32(scales[4*i:], math.Float32bits(1))
		}
		got := make([]byte, 4*m*n)
		s, p := quantizedParams.begin(dev)
		defer s.free()
		*p = kernels.Quantized{M: m, N: n, K: k, Line: k, X: held(t, dev, x).ptr, W: held(t, dev, w).ptr, Steps: held(t, dev, ones).ptr, Scale: held(t, dev, scales).ptr}
		out := held(t, dev, got)
		p.Out = out.ptr
		q, plan := &quantized{dtype: dtype.Float32}, kernels.PartBytes(p, tile, 1)
		q.tiles[tile] = typed(kernel, q.dtype)
		if done, err := q.multiplyTiles(&s, p, &plan); !done || err != nil {
			return fmt.Errorf("not launched: %w", err)
		}
		if err := dev.CopyOut(got, out, 0); err != nil {
			return err
		}
		for i := range m * n {
			sum := 0
			for l := range k {
				sum += int(int8(x[i/n*k+l])) * int(int8(w[i%n*k+l]))
			}
			if y := math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:])); y != float32(sum) {
				return fmt.Errorf("element %d is %v, want %v", i, y, sum)
			}
		}
		return nil
	})
}

// held is a buffer of the device with these bytes.
func held(t *testing.T, dev *Device, data []byte) *Buffer {
	t.Helper()
	buf, err := dev.Alloc(len(data))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Free(buf) })
	if err := dev.CopyIn(buf, 0, data); err != nil {
		t.Fatal(err)
	}
	return buf.(*Buffer)
}
