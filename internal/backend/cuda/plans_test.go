package cuda

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"cresset/internal/backend/cuda/kernels"
)

// somePlanned returns a product of halves whose shape, strides and addresses are random.
func somePlanned(r *rand.Rand) *kernels.Product {
	extent := func() uint64 { return 1 + r.Uint64N(2048) }
	p := &kernels.Product{Count: 1 + r.Uint64N(2), M: extent(), N: extent(), K: extent()}
	along := func(across, line uint64) [3]int64 {
		pitch := int64(line + r.Uint64N(2)*8)
		s := [3]int64{int64(across) * pitch * int64(r.IntN(2)), pitch, 1}
		if r.IntN(2) == 0 {
			s[1], s[2] = 1, int64(across)
		}
		return s
	}
	p.AStrides, p.BStrides, p.OutStrides = along(p.M, p.K), along(p.K, p.N), along(p.M, p.N)
	p.A, p.B, p.Out = 1<<20+2*r.Uint64N(9), 2<<20+2*r.Uint64N(9), 3<<20+2*r.Uint64N(9)
	return p
}

// A plan that is remembered has to be that of the product at hand: the key holds all that it depends on.
func TestPlansAreThoseOfTheProduct(t *testing.T) {
	d, r := &Device{gpu: &gpu{properties: Properties{Multiprocessors: 132}}}, rand.New(rand.NewPCG(1, 2))
	halves := uint(0)
	for i := range kernels.ProductTiles {
		if kernels.ProductTiles[i].Of == kernels.Half {
			halves |= 1 << i
		}
	}
	for range 4 * mostKept {
		p := somePlanned(r)
		for _, change := range []func(){
			func() {},
			func() { p.A += 2 },
			func() { p.B += 2 },
			func() { p.Out += 2 },
			func() { p.AStrides[0]++ },
			func() { p.BStrides[0]++ },
			func() { p.OutStrides[1]++ },
		} {
			change()
			want := kernels.PlanTiles(p, halves, 132)
			if first, again := *d.planTiles(p, halves), *d.planTiles(p, halves); first != want || again != want {
				t.Fatalf("%+v: planned %+v, then %+v, want %+v", *p, first, again, want)
			}
		}
		if len(d.plans.kept) > mostKept {
			t.Fatalf("%d plans are kept, want at most %d", len(d.plans.kept), mostKept)
		}
	}
}

// someConvolution returns a convolution whose extents are random, and some tiles for it.
func someConvolution(r *rand.Rand) convolutionKey {
	extent := func(most uint32) uint32 { return 1 + r.Uint32N(most) }
	pair := func(most uint32) [2]uint32 { return [2]uint32{extent(most), extent(most)} }
	return convolutionKey{
		extents: kernels.TiledConvolution{
			Images: extent(8), Groups: extent(2), Rows: extent(512), Channels: extent(512), InSize: pair(64), OutSize: pair(64), Window: pair(3), Stride: pair(2),
			Padding: pair(2), Dilation: pair(2), Phases: [2]uint32{1, 1},
		},
		weights: r.IntN(2) == 0, half: r.IntN(2) == 0, tiles: kernels.MappedConvolutions | uint(r.Uint32N(1<<len(kernels.ConvolutionTiles))),
	}
}

// So has the plan of a convolution.
func TestPlansAreThoseOfTheConvolution(t *testing.T) {
	newDevice := func() *Device { return &Device{gpu: &gpu{properties: Properties{Multiprocessors: 132}}} }
	d, r := newDevice(), rand.New(rand.NewPCG(1, 2))
	for range mostKept / 4 {
		key := someConvolution(r)
		want, first, again := newDevice().planConvolution(key), d.planConvolution(key), d.planConvolution(key)
		if !reflect.DeepEqual(first, want) || again != first {
			t.Fatalf("%+v: planned %+v, then %+v, want %+v", key, first, again, want)
		}
	}
}

// BenchmarkPlan times a plan that is made, and one that is remembered.
func BenchmarkPlan(b *testing.B) {
	d, p := &Device{gpu: &gpu{properties: Properties{Multiprocessors: 132}}}, somePlanned(rand.New(rand.NewPCG(1, 2)))
	key := someConvolution(rand.New(rand.NewPCG(1, 2)))
	b.Run("convolution, made", func(b *testing.B) {
		for b.Loop() {
			kernels.PlanConvolution(&key.extents, key.weights, key.tiles, 132)
		}
	})
	b.Run("convolution, kept", func(b *testing.B) {
		for b.Loop() {
			d.planConvolution(key)
		}
	})
	const all = 1<<len(kernels.ProductTiles) - 1
	b.Run("made", func(b *testing.B) {
		for b.Loop() {
			kernels.PlanTiles(p, all&kernels.Overlapped, 132)
		}
	})
	b.Run("kept", func(b *testing.B) {
		for b.Loop() {
			d.planTiles(p, all&kernels.Overlapped)
		}
	})
}
