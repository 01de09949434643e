package cuda_test

import (
	"errors"
	"testing"

	"cresset/cuda"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestGraphsShareAPool captures a function for two sizes of a batch: in a common pool they need the memory of the larger one, and in whatever order they are replayed each computes
// what its ops do.
func TestGraphsShareAPool(t *testing.T) {
	devicetest.Use(t, "h100:1")
	tensor.ManualSeed(4)
	type sized struct {
		x, y *tensor.Tensor
		g    *cuda.Graph
	}
	forward := func(x *tensor.Tensor) *tensor.Tensor { // of columns that take segments of 20 MiB
		s := tensor.NewScope()
		defer s.Close()
		return s.Keep(s.Enter(x).Expand(-1, 2100).AddScalar(1).MulScalar(3).SumAxes([]int{1}))
	}
	batches := []int{160, 130}
	capture := func(pool func() *cuda.GraphPool) (all []*sized, bytes int64) {
		if err := cuda.EmptyCache(); err != nil {
			t.Fatal(err)
		}
		before := cuda.MemoryReserved()
		for _, n := range batches {
			c := &sized{x: tensor.On(gpu).Randn(n, 1)}
			var err error
			if c.g, err = pool().Capture(func() error { c.y = forward(c.x); return nil }); err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
		return all, cuda.MemoryReserved() - before
	}
	own := func() *cuda.GraphPool {
		p, err := cuda.GraphPoolHandle()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	apart, private := capture(own)
	for _, c := range apart {
		if err := c.g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	pool := own()
	shared, common := capture(func() *cuda.GraphPool { return pool })
	if common*4 > private*3 {
		t.Errorf("two graphs hold %d bytes in one pool, %d in two", common, private)
	}
	for _, i := range []int{0, 1, 0} {
		c := shared[i]
		c.x.NormalInPlace(0, 1)
		if err := c.g.Replay(); err != nil {
			t.Fatal(err)
		}
		for k, other := range shared {
			if want := forward(other.x); k == i && !other.y.Equal(want) {
				t.Errorf("the graph of %d rows computes other bits after the other's replay", batches[k])
			}
		}
	}
	kept := shared[1].y.Clone()
	if err := shared[0].g.Close(); err != nil { // the pool goes on
		t.Fatal(err)
	}
	others := tensor.On(gpu).Full([]int{160, 2100}, 7)
	if err := shared[1].g.Replay(); err != nil {
		t.Fatal(err)
	}
	if !shared[1].y.Equal(kept) || others.Min().Float64() != 7 || others.Max().Float64() != 7 {
		t.Error("after the other graph was closed, memory of the pool is somebody else's")
	}
	if err := shared[1].g.Close(); err != nil {
		t.Fatal(err)
	}
	if held := cuda.MemoryReserved(); cuda.EmptyCache() != nil || cuda.MemoryReserved() >= held {
		t.Errorf("%d bytes stay reserved of %d", cuda.MemoryReserved(), held)
	}
}

// TestGraphsOfAPoolReadEachOther: what a graph has left is an input of those that follow, and its release is noticed.
func TestGraphsOfAPoolReadEachOther(t *testing.T) {
	devicetest.Use(t, "h100:1")
	x := tensor.On(gpu).Ones(4)
	var y, z *tensor.Tensor
	first := captured(t, func() { y = x.AddScalar(1) })
	second, err := first.Pool().Capture(func() error { z = y.MulScalar(3).AddScalar(1); return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	for _, v := range []float32{1, 5} { // in the order of their captures
		x.FillInPlace(v)
		if err := first.Replay(); err != nil {
			t.Fatal(err)
		}
		w := 3*(v+1) + 1
		equal(t, "the second graph", replay(t, second, z), w, w, w, w)
	}
	y.Release()
	var gone *cuda.ReplayError
	if err := second.Replay(); !errors.As(err, &gone) || !contains(err, "was released after the capture") {
		t.Errorf("what another graph had left was released: %v", err)
	}
}
