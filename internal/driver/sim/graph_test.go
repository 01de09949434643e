package sim

import (
	"bytes"
	"encoding/binary"
	"testing"

	"cresset/internal/driver"
	"cresset/internal/hardware"
)

// graphs builds graphs for tests.
type graphs struct {
	*bench
	g    driver.Graph
	last driver.GraphNode
}

func (b *bench) graph() *graphs {
	b.Helper()
	g, r := b.api.GraphCreate(b.ctx, 0)
	b.ok(r)
	return &graphs{bench: b, g: g}
}

var single = &driver.Launch{Grid: one, Block: one}

func pack(params ...uint64) (packed []byte) {
	for _, p := range params {
		packed = binary.LittleEndian.AppendUint64(packed, p)
	}
	return packed
}

// kernelNode adds a kernel behind the node before it.
func (g *graphs) kernelNode(f driver.Function, params ...uint64) driver.GraphNode {
	g.Helper()
	n, r := g.api.GraphAddKernelNode(g.ctx, g.g, g.last, f, single, pack(params...))
	g.ok(r)
	g.last = n
	return n
}

func (g *graphs) instantiate() driver.GraphExec {
	g.Helper()
	e, r := g.api.GraphInstantiate(g.ctx, g.g, 0)
	g.ok(r)
	return e
}

// TestGraphsRunInOrder: a launch runs kernels, copies and zeros in their order, with the parameters that it found.
func TestGraphsRunInOrder(t *testing.T) {
	b := start(t, "a100", 1)
	s, list, other := b.stream(1), b.alloc(16), b.alloc(16)
	b.ok(b.api.MemsetD8Async(b.ctx, other, 9, 16, s))
	g := b.graph()
	add := b.kernel("append")
	var r driver.Result
	g.last, r = b.api.GraphAddMemsetNode(b.ctx, g.g, 0, list, 0, 16)
	b.ok(r)
	first := g.kernelNode(add, uint64(list), 5)
	g.kernelNode(add, uint64(list), 6)
	g.last, r = b.api.GraphAddCopyNode(b.ctx, g.g, g.last, &driver.GraphCopy{Dst: other, Src: list, Bytes: 3})
	b.ok(r)
	g.kernelNode(add, uint64(list), 7)
	e := g.instantiate()
	b.ok(b.api.GraphUpload(b.ctx, e, s))
	for _, n := range []uint64{5, 8} {
		b.ok(b.api.GraphExecKernelNodeSetParams(b.ctx, e, first, add, single, pack(uint64(list), n)))
		b.ok(b.api.GraphLaunch(b.ctx, e, s))
		if got, want := b.read(list, 4), []byte{3, byte(n), 6, 7}; !bytes.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got, want := b.read(other, 4), []byte{2, byte(n), 6, 9}; !bytes.Equal(got, want) {
			t.Errorf("the copy is %v, want %v", got, want)
		}
	}
	b.ok(b.api.GraphDestroy(b.ctx, g.g))
	b.ok(b.api.GraphLaunch(b.ctx, e, s)) // an executable graph outlives the one that it was made of
	b.ok(b.api.GraphExecDestroy(b.ctx, e))
	b.want(driver.ErrInvalidHandle, b.api.GraphLaunch(b.ctx, e, s))
}

// TestGraphsKeepTime: a node takes less than a launch, and its work as long as ever.
func TestGraphsKeepTime(t *testing.T) {
	b := start(t, "a100", 1)
	s := b.stream(1)
	work := b.kernel("work")
	gpu := hardware.GPU{}
	for _, v := range b.devices {
		gpu = *v.gpu
	}
	g := b.graph()
	for range 10 {
		g.kernelNode(work, 1<<20, 0)
	}
	e := g.instantiate()
	before := b.Now()
	b.ok(b.api.GraphLaunch(b.ctx, e, s))
	want := launchCost + 10*(nodeCost+duration(1<<20, gpu.Bandwidth))
	if got := float64(b.Now() - before); got < want-20 || got > want+20 {
		t.Errorf("got %v ns, want %v", got, want)
	}
}

// TestGraphsThatAreRefused: what a graph cannot have is refused when it is added.
func TestGraphsThatAreRefused(t *testing.T) {
	b := start(t, "h200", 1)
	touch, at := b.kernel("touch"), b.alloc(8)
	g, h := b.graph(), b.graph()
	n := g.kernelNode(touch, uint64(at))
	_, r := b.api.GraphAddKernelNode(b.ctx, h.g, n, touch, single, pack(uint64(at)))
	b.want(driver.ErrInvalidValue, r)
	b.explained("of another graph")
	_, r = b.api.GraphAddKernelNode(b.ctx, g.g, n, touch, single, nil)
	b.want(driver.ErrInvalidValue, r)
	_, r = b.api.GraphAddCopyNode(b.ctx, g.g, n, &driver.GraphCopy{Dst: at, Src: at + 1<<40, Bytes: 8})
	b.want(driver.ErrInvalidValue, r)
	_, r = b.api.GraphAddCopyNode(b.ctx, g.g, n, &driver.GraphCopy{Dst: at, SrcHost: make([]byte, 7), Bytes: 8})
	b.want(driver.ErrInvalidValue, r)
	_, r = b.api.GraphAddMemsetNode(b.ctx, g.g, n, at, 0, 9)
	b.want(driver.ErrInvalidValue, r)
	zeros, r := b.api.GraphAddMemsetNode(b.ctx, g.g, n, at, 0, 8)
	b.ok(r)
	b.want(driver.ErrInvalidValue, b.api.GraphKernelNodeSetCluster(b.ctx, zeros, one))
	b.want(driver.ErrInvalidCluster, b.api.GraphKernelNodeSetCluster(b.ctx, n, driver.Dim{X: 2, Y: 1, Z: 1}))
	b.ok(b.api.GraphKernelNodeSetCluster(b.ctx, n, one))
	e := g.instantiate()
	b.want(driver.ErrInvalidValue, b.api.GraphExecKernelNodeSetParams(b.ctx, e, zeros, touch, single, pack(uint64(at))))
	b.want(driver.ErrInvalidHandle, b.api.GraphUpload(b.ctx, e, 77))
	_, r = b.api.GraphInstantiate(b.ctx, g.g, 1)
	b.want(driver.ErrInvalidValue, r)
	b.want(driver.ErrInvalidHandle, b.api.GraphDestroy(b.ctx, 77))
}

// TestGraphsTouchFreedMemory: a graph does not keep the memory of its nodes, which a launch finds out.
func TestGraphsTouchFreedMemory(t *testing.T) {
	b := start(t, "a100", 1)
	at := b.alloc(8)
	g := b.graph()
	_, r := b.api.GraphAddMemsetNode(b.ctx, g.g, 0, at, 0, 8)
	b.ok(r)
	e := g.instantiate()
	b.ok(b.api.MemFree(b.ctx, at))
	s := b.stream(1)
	b.ok(b.api.GraphLaunch(b.ctx, e, s))
	b.want(driver.ErrIllegalAddress, b.api.StreamSynchronize(b.ctx, s))
	b.explained("has been freed")
}

// TestGraphsOfOldDrivers: before CUDA 11.4 a driver has none.
func TestGraphsOfOldDrivers(t *testing.T) {
	m, err := hardware.Preset("a100", 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := New(m, Options{}).API.Graphs(); err != nil {
		t.Errorf("got %v", err)
	}
	m.CUDA = 11030
	if err := New(m, Options{}).API.Graphs(); err == nil {
		t.Error("CUDA 11.3 has graphs")
	}
}
