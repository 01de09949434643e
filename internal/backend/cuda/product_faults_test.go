package cuda

import (
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/op"
)

// Parts of the text of product_tcgen05.
const (
	stageWait  = `(mbarrier\.try_wait\S+ p, \[%r\d+\], )(%r\d+)(;[^}]+}[^}]{0,600}tcgen05\.mma)`
	sumsWait   = `(mbarrier\.try_wait\S+ p, \[%r\d+\], )(%r\d+)(;[^}]+}[^}]+cp\.async\.bulk\.wait_group\.read)`
	roomWait   = `(mbarrier\.try_wait\S+ p, \[%r\d+\], )(%r\d+)(;[^}]+}[^}]+}[^}]+}[^}]+tcgen05\.mma)`
	fillWait   = `(mbarrier\.try_wait\S+ p, \[%r\d+\], )(%r\d+)(;[^}]+}[^}]{0,700}arrive\.expect_tx)`
	loadA      = `(cp\.async\.bulk\.tensor\.3d\.shared\S+ \[%r\d+\], \[%rd\d+, \{)(%r\d+), (%r\d+), (%r\d+)(\}\], \[%r\d+\];)`
	storeTile  = `(cp\.async\.bulk\.tensor\.3d\.global\S+ \[%rd\d+, \{)(%r\d+), (%r\d+), (%r\d+)(\}\], \[%r\d+\];)`
	behindSums = `tcgen05\.fence::after_thread_sync;([^}]+cp\.async\.bulk\.wait_group\.read)`
	behindRoom = `tcgen05\.fence::after_thread_sync;([^}]+tcgen05\.mma)`
	beforeRoom = `tcgen05\.fence::before_thread_sync;(\s+bar\.warp\.sync 0xffffffff;[^}]{0,200}mbarrier\.arrive)`
	behindEnd  = `tcgen05\.fence::after_thread_sync;([^}]{0,100}tcgen05\.dealloc)`
	stageEnds  = `tcgen05\.commit\S+ \[%r\d+\];([^}]+setp\.eq\.b32\s+%p\d+, %r\d+, 6;)`
	tileEnds   = `tcgen05\.commit\S+ \[%r\d+\];([^}]+setp\.eq\.b32\s+%p\d+, %r\d+, 2;)`
	product    = `tcgen05\.mma\S+ (\[%r\d+\], %rd\d+, %rd\d+), (%r\d+), p;`
	pairMeets  = `(fence\.proxy\.async\.shared::cta;)\s+bar\.sync\s+%r\d+, 64;`
	room       = `(mov\.b32\s+%r\d+, )4;(\s+mbarrier\.init)`
)

var tensorFaults = []plantedFault{
	{"a box of a is a row below", loadA, having("add.s32 moved, $3, 1;", "${1}$2, moved, $4$5"), differs, ""},
	{"a box of a is of the next steps", loadA, having("add.s32 moved, $2, 64;", "${1}moved, $3, $4$5"), differs, ""},
	{"a tile is stored a row below", storeTile, having("add.s32 moved, $3, 1;", "${1}$2, moved, $4$5"), differs, ""},
	{"a stage is multiplied before it has come", stageWait, "setp.eq.b32 p, $2, $2$3", "data race", "an asynchronous copy into it"},
	{"a stage is multiplied at the wrong parity", stageWait, ".reg .b32 moved;\nxor.b32 moved, $2, 1;\n${1}moved$3", "data race", "an asynchronous copy into it"},
	{"a stage is filled while it is multiplied", fillWait, "setp.eq.b32 p, $2, $2$3", "misuse", "bytes missing"},
	{"a stage is not given back", stageEnds, "$1", "deadlock", "arrivals"},
	{"more bytes are announced", announced, having("add.s32 moved, $2, 128;", "${1}moved;"), "deadlock", "128 bytes missing"},
	{"sums are loaded before they are there", sumsWait, "setp.eq.b32 p, $2, $2$3", "data race", "no product has been added up there"},
	{"sums are loaded at the wrong parity", sumsWait, ".reg .b32 moved;\nxor.b32 moved, $2, 1;\n${1}moved$3", "data race", "no product has been added up there"},
	{"sums are overwritten before they are loaded", roomWait, "setp.eq.b32 p, $2, $2$3", "data race", "of tensor memory"},
	{"sums are never told of", tileEnds, "$1", "deadlock", "1 of 1 arrivals"},
	{"sums are given back by one warp of four", room, "${1}1;$2", "deadlock", "arrivals"},
	{"sums are given back by five warps", room, "${1}5;$2", "deadlock", "1 of 5 arrivals"},
	{"no fence between the sums' barrier and the loads", behindSums, "$1", "data race", "no tcgen05.fence::after_thread_sync"},
	{"no fence between the loads and the barrier", beforeRoom, "$1", "data race", "no tcgen05.fence::before_thread_sync stands between the access by warp"},
	{"no fence between the barriers and the products", behindRoom, "$1", "data race", "no tcgen05.fence::after_thread_sync"},
	{"registers are read while they are loaded", `tcgen05\.wait::ld\.sync\.aligned;`, "", "data race", "a register of tcgen05.ld"},
	{"no fence behind the last loads", behindEnd, "$1", "data race", "no tcgen05.fence::after_thread_sync"},
	{"columns are kept", `tcgen05\.dealloc\S+ %r\d+, 256;`, "", "misuse", "the block ends with 256 columns"},
	{"half of the columns are allocated", `(tcgen05\.alloc\S+ \[%r\d+\], )256;`, "${1}128;", "misuse", "are not in one allocation"},
	{"the address of the columns is taken for 0", `ld\.volatile\.shared\.b32\s+(%r\d+), \[\S+\];`, "mov.b32 $1, 0;", "misuse", ""},
	{"a lies across", product, having("xor.b32 moved, $2, 32768;", "tcgen05.mma.cta_group::1.kind::f16 $1, moved, p;"), differs, ""},
	{"operands are of float16", product, having("xor.b32 moved, $2, 1152;", "tcgen05.mma.cta_group::1.kind::f16 $1, moved, p;"), differs, ""},
	{"the second step of b is one chunk further", `(add\.s64\s+%rd\d+, %rd\d+, 46117566620830270)72;`, "${1}73;", differs, ""},
	{"no fence before the TMA stores", `(fence\.proxy\.async\.shared::cta;)`, "", "data race", "no fence.proxy.async"},
	{"a box is stored before both warps wrote it", pairMeets, "$1", "data race", ""},
	{"a box is overwritten while it is stored", `cp\.async\.bulk\.wait_group\.read 1;`, "", "data race", "an asynchronous instruction still reads it"},
	{"no fence behind the barriers' first values", `fence\.mbarrier_init\.release\.cluster;`, "", "data race", "no fence.mbarrier_init"},
	{"the kernel ahead is not waited for", `griddepcontrol\.wait;`, "", "data race", "no griddepcontrol.wait"},
}

// TestProductsInTensorMemoryAreWatched plants what can go wrong between a product's producer, the tensor cores and the warps that load their sums, and wants the
// interpreter or the comparison to see it, which see nothing without.
func TestProductsInTensorMemoryAreWatched(t *testing.T) {
	slowUnderRace(t)
	watchFaults(t, tensorFaults, plantedProduct)
}

// plantedProduct multiplies by a kernel with a fault, in one block that walks over six tiles by a ring of stages that goes round, and returns what is seen of it.
func plantedProduct(t *testing.T, f *plantedFault) string {
	t.Helper()
	const m, n, k = 300, 136, 456
	tile := slices.IndexFunc(kernels.ProductTiles[:], func(p kernels.ProductTile) bool { return p.Kernel(0, 0) == "product_128x128_tcgen05_kk" })
	return seen(t, "b200", kernels.ProductTiles[tile].Kernel(kernels.Along, kernels.Across)+"_bf16", f, productOf(t, m, n, k, false, func(dev *Device, s *scratch, p *kernels.Product) error {
		plan := kernels.PlanTiles(p, 1<<tile, dev.properties.Multiprocessors)
		plan.Divide(p, 1)
		plan.Grid.Blocks[0], plan.Grid.Walks = 1, false
		if done, err := newMultiplier(dtype.BFloat16).issueMapped(s, p, &plan, dtype.BFloat16); !done || err != nil {
			t.Errorf("not launched: %v", err)
		}
		return nil
	}))
}

// productOf returns what has run multiply matrices of bfloat16, and compares their product.
func productOf(t *testing.T, m, n, k int, turned bool, run func(dev *Device, s *scratch, p *kernels.Product) error) func(dev *Device) error {
	return func(dev *Device) error {
		c := backend.NewCall(op.MM, dtype.BFloat16)
		defer c.Release()
		a, b := filled(t, dev, c.AddIn(), m, k, false, 0, c.DType), filled(t, dev, c.AddIn(), k, n, turned, 0, c.DType)
		filled(t, dev, c.AddOut(), m, n, false, 0, c.DType)
		s, p := productParams.begin(dev)
		defer s.free()
		describeProduct(p, c)
		if err := run(dev, &s, p); err != nil {
			return err
		}
		return wrong(dev, c, k, func(i, l int) float64 { return a(i/n, l) * b(l, i%n) })
	}
}
