package cuda

import (
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/hardware"
	"cresset/internal/op"
)

// TestAttentionOfWarpgroups is TestAttentionOfHalves by the kernels that the TMA feeds.
func TestAttentionOfWarpgroups(t *testing.T) {
	slowUnderRace(t)
	m, err := hardware.Preset("h100", 1)
	if err != nil {
		t.Fatal(err)
	}
	dev, ran := cardOf(t, m), map[string]bool{}
	for i, a := range groupSettings() {
		a.repeated = i%5 == 0
		a.check(t, dev, halves[i%2])
	}
	noteKernels(t, dev, ran)
	for _, name := range kernels.Names() {
		if strings.HasPrefix(name, "attention_") && strings.Contains(name, "_wgmma_") && !ran[name] {
			t.Errorf("no setting runs %s", name)
		}
	}
}

// TestRowsForTheTMA: what it cannot read is left to kernels that load it themselves.
func TestRowsForTheTMA(t *testing.T) {
	m, err := hardware.Preset("h100", 1)
	if err != nil {
		t.Fatal(err)
	}
	dev := cardOf(t, m)
	for _, c := range []struct {
		strides     [4]int64
		extents     [4]uint64
		head, batch uint32
		ok          bool
	}{
		{[4]int64{256, 128, 64, 1}, [4]uint64{3, 2, 2, 64}, 1, 1, true},
		{[4]int64{256, 64, 128, 1}, [4]uint64{3, 2, 2, 64}, 1, 1, true},   // heads beside each other
		{[4]int64{0, 128, 64, 1}, [4]uint64{3, 2, 2, 64}, 1, 0, true},     // one for all of the batch
		{[4]int64{256, 0, 64, 1}, [4]uint64{3, 2, 2, 40}, 0, 1, true},     // one for all heads
		{[4]int64{3, 128, 5, 1}, [4]uint64{1, 2, 1, 64}, 1, 0, true},      // strides that are not used
		{[4]int64{256, 128, 0, 1}, [4]uint64{3, 2, 2, 64}, 1, 1, false},   // one row for all
		{[4]int64{256, 128, -64, 1}, [4]uint64{3, 2, 2, 64}, 1, 1, false}, // from the last row on
		{[4]int64{256, 128, 60, 1}, [4]uint64{3, 2, 2, 60}, 1, 1, false},
	} {
		var to kernels.TensorMap
		var head, batch uint32
		ok := dev.mapRows(&to, &head, &batch, 1<<20, c.strides, c.extents, 64, dtype.Float16)
		if ok != c.ok || ok && (head != c.head || batch != c.batch) {
			t.Errorf("%v of %v: head %d, batch %d, %t", c.strides, c.extents, head, batch, ok)
		}
	}
}

// groupSettings are those of attention by warpgroups, around the edges of tiles of 128 queries, 64 of a group, and of 128, 96 or 64 keys.
func groupSettings() (all []attends) {
	for i, edge := range []struct{ queries, keys int }{{9, 1}, {65, 390}, {129, 257}, {64, 128}, {127, 97}, {200, 65}} {
		width := int(kernels.MappedAttentionTiles[i].Width)
		a := attends{Attend: op.Attend{Keep: 1}, batch: 1, heads: 1, groups: 1, queries: edge.queries, keys: edge.keys, width: width, outputs: width - i%2*3}
		all = append(all, a)
		a.Causal, a.First, a.width, a.outputs = true, []int{0, 171, 192, 64, -30, 13}[i], a.outputs, width
		all = append(all, a)
	}
	with := func(f func(a *attends)) {
		a := attends{Attend: op.Attend{Keep: 1}, batch: 2, heads: 2, groups: 1, queries: 33, keys: 150, width: 40, outputs: 24}
		f(&a)
		all = append(all, a)
	}
	with(func(a *attends) { a.Window, a.First = 20, 30 })
	with(func(a *attends) { a.Window, a.Causal, a.First, a.queries = 9, true, 200, 100 })
	with(func(a *attends) { a.SoftCap = 1.5 })
	with(func(a *attends) { a.Scale = -0.3 })
	with(func(a *attends) { a.Keep = 0.7 })
	with(func(a *attends) { a.Keep, a.heads, a.groups = 0, 4, 2 })
	with(func(a *attends) { a.masked, a.mask = true, dtype.Bool })
	with(func(a *attends) { a.masked, a.mask, a.Causal, a.First = true, dtype.Float32, true, 37 })
	with(func(a *attends) { a.masked, a.mask, a.heads, a.Keep, a.First = true, dtype.Float32, 1, 0.8, 7 })
	with(func(a *attends) { a.Causal, a.First, a.unaligned, a.queries = true, -5, true, 64 }) // a tile, and then the next head
	with(func(a *attends) { a.SoftCap, a.Keep, a.masked, a.mask, a.Window = 2, 0.5, true, dtype.Float32, 30 })
	with(func(a *attends) { a.Keep, a.width, a.outputs, a.keys = 0.6, 190, 190, 100 })
	return all
}
