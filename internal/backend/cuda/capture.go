package cuda

import (
	"bytes"
	"sync/atomic"

	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
	"cresset/internal/profile"
)

// capture is a graph in the making. What its goroutine issues to its device is noted instead of done, in the order of issue, which is the
// order of the replays; what other goroutines issue is done as ever.
type capture struct {
	device    *Device
	goroutine uintptr
	pool      *graphPool      // what is allocated meanwhile
	earlier   map[*block]bool // of the pool, which others have allocated
	nodes     []graphNode
	host      []hostStep
	renew     *hostStep // of the next kernel, whose parameters change from replay to replay
	inputs    inputs    // what was allocated before
	kept      []*Buffer // constants of kernels
	hosts     []*Host
	lastOp    uint32
}

// hostStep is what the host does before each replay, in the order of the steps: it did so once in the capture, of which nothing has run.
type hostStep struct {
	do   func() error
	undo func()
	fill func(params []byte) // of a kernel whose parameters follow from do
}

// underway is the capture of the process: there is one at a time.
var underway atomic.Pointer[capture]

// Capture has f run without what it issues to the device, which the graph that is returned does instead, each time that it is replayed. After
// an error of f or of the driver nothing is left of the capture.
func (d *Device) Capture(f func() error) (*Graph, error) { return d.NewGraphPool().Capture(f) }

// Capture is Device.Capture with memory of the pool.
func (p *GraphPool) Capture(f func() error) (*Graph, error) {
	d := p.device
	if err := d.api.Graphs(); err != nil {
		return nil, &CaptureError{What: "this driver has no graphs", Remedy: err.Error() + "; driver 470 or newer has them", Err: err}
	}
	if e := d.failure.Load(); e != nil {
		return nil, e
	}
	c := &capture{device: d, goroutine: profile.Goroutine(), pool: p.memory}
	if !underway.CompareAndSwap(nil, c) {
		return nil, refuseCapture("a capture is under way", "wait until it has ended: a process captures one graph at a time")
	}
	d.alloc.open(c)
	d.epoch.Add(1)
	ended := false
	defer func() {
		if !ended { // a panic, which goes on
			c.abandon()
		}
	}()
	err := f()
	ended = true
	if err == nil && len(c.nodes) == 0 {
		err = refuseCapture("nothing was issued to "+d.name(), "capture on the GPU that holds the tensors")
	}
	if err != nil {
		c.abandon()
		return nil, err
	}
	return c.end()
}

// end takes back what the host did, since nothing has run, and builds the graph.
func (c *capture) end() (*Graph, error) {
	c.stop()
	s, err := c.build()
	if err != nil {
		c.device.alloc.close(c.pool)
		c.letGo()
		return nil, err
	}
	return newGraph(s), nil
}

// abandon ends a capture of which no graph is made.
func (c *capture) abandon() {
	c.stop()
	c.device.alloc.close(c.pool)
	c.letGo()
}

func (c *capture) stop() {
	for i := len(c.host) - 1; i >= 0; i-- {
		c.host[i].undo()
	}
	c.device.epoch.Add(1)
	underway.Store(nil)
}

func (c *capture) letGo() {
	for _, h := range c.hosts {
		h.letGo()
	}
}

// mine reports whether the caller's goroutine captures. It is asked only while there is a capture.
func (c *capture) mine() bool { return profile.Goroutine() == c.goroutine }

// captured returns the capture that the caller's work on the device belongs to, nil for none.
func (d *Device) captured() *capture {
	c := underway.Load()
	if c == nil || c.device.gpu != d.gpu || !c.mine() {
		return nil
	}
	return c
}

// capturedOr is captured, and an error where the caller captures on another device.
func (d *Device) capturedOr() (*capture, error) {
	c := underway.Load()
	switch {
	case c == nil || !c.mine():
		return nil, nil
	case c.device.gpu != d.gpu:
		return nil, refuseCapture("work on "+d.name()+" while "+c.device.name()+" is captured", "capture one graph for each GPU")
	}
	return c, nil
}

// uncaptured returns the error of what a capture cannot have, where the caller captures.
func (d *Device) uncaptured(what, remedy string) error {
	if c := underway.Load(); c != nil && c.mine() {
		return refuseCapture(what, remedy)
	}
	return nil
}

// launch notes a kernel. A programmatic one starts when those before it have ended, which its wait finds at once.
func (c *capture) launch(f driver.Function, g *kernels.Grid, params []byte) error {
	n := &kernelNode{
		function: f, params: bytes.Clone(params),
		shape: driver.Launch{Grid: dim(g.Blocks), Block: dim(g.Threads), Shared: g.Shared, Cluster: dim(g.Cluster)},
	}
	c.nodes = append(c.nodes, n)
	c.lastOp = c.device.lastOp.Load()
	if r := c.renew; r != nil {
		c.renew, n.changes = nil, true
		do := r.do
		r.do = func() error {
			err := do()
			if err == nil {
				r.fill(n.params)
			}
			return err
		}
		c.host = append(c.host, *r)
	}
	return nil
}

// fetch notes a copy of bytes of pinned memory to a new buffer: each replay copies what lies there then.
func (c *capture) fetch(src *Host, offset, bytes int) (*Buffer, error) {
	b, err := c.device.alloc.alloc(bytes, compute)
	if err != nil || bytes == 0 {
		return b, err
	}
	c.nodes = append(c.nodes, &copyNode{Dst: driver.Ptr(b.ptr), SrcHost: src.Bytes()[offset : offset+bytes], Bytes: uint64(bytes)})
	c.holdHost(src)
	return b, nil
}

// send notes a copy that fills pinned memory from an address on.
func (c *capture) send(dst *Host, from driver.Ptr) {
	c.nodes = append(c.nodes, &copyNode{DstHost: dst.Bytes(), Src: from, Bytes: uint64(dst.size)})
	c.holdHost(dst)
}

// holdHost keeps pinned memory for the graph. Who waits for the memory waits for replays.
func (c *capture) holdHost(h *Host) {
	h.hold()
	h.usedBy(c.device, compute)
	c.hosts = append(c.hosts, h)
}

// constant returns memory with bytes that kernels of the graph read in every replay: it is filled now, and lies outside of the graph's pool, in
// which what ran before could write over it.
func (c *capture) constant(words []byte) (*Buffer, error) {
	a := c.device.alloc
	b, err := a.allocFrom(&a.pools, len(words), compute)
	if err != nil {
		return nil, err
	}
	c.kept = append(c.kept, b)
	return b, c.device.copyNow(driver.Ptr(b.ptr), words, b)
}

// Constant returns memory of the graph that is filled with bytes now and keeps them. To free it does nothing.
func (c *capture) Constant(words []byte) (backend.Buffer, error) {
	if len(words) == 0 {
		return &Buffer{}, nil
	}
	b, err := c.constant(words)
	if err != nil {
		return nil, err
	}
	return c.device.Slice(b, 0, len(words)), nil
}

// enter returns the capture that a call belongs to, nil for none, and an error where it can belong to none.
func (d *Device) enter(call *backend.Call) (*capture, error) {
	c := underway.Load()
	if c == nil {
		return nil, nil
	}
	if !c.mine() {
		if c.device.gpu == d.gpu {
			return nil, c.foreign(call)
		}
		return nil, nil
	}
	if _, err := d.capturedOr(); err != nil {
		return nil, err
	}
	c.renew = nil // of a launch that failed
	c.uses(call)
	return c, nil
}

// Host has do called before each replay, in the order in which the capture got there; undo takes back what do did, where the replay fails, and
// once what the program did when it was captured.
func (c *capture) Host(do func() error, undo func()) {
	c.host = append(c.host, hostStep{do: do, undo: undo})
}

// Refuse returns the error of what a graph cannot have, and what to do instead.
func (c *capture) Refuse(what, remedy string) error { return refuseCapture(what, remedy) }

// Capturing returns the capture that the caller's work belongs to, nil for none.
func (d *Device) Capturing() backend.Capture {
	if c := d.captured(); c != nil {
		return c
	}
	return nil
}

// Epoch is another number once a capture began or ended, or a graph was replayed.
func (d *Device) Epoch() uint64 { return d.epoch.Load() }
