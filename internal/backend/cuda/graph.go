package cuda

import (
	"runtime"
	"sync"

	"cresset/internal/driver"
	"cresset/internal/profile"
)

// Graph is captured work, which the device does at once each time that it is replayed.
type Graph struct{ state *graphState }

// graphState is apart from Graph, so that the collector finds a Graph that nobody uses.
type graphState struct {
	*capture // what was captured

	mu     sync.Mutex
	graph  driver.Graph
	exec   driver.GraphExec
	places map[*kernelNode]driver.GraphNode // of kernels whose parameters change
	closed bool
}

func newGraph(s *graphState) *Graph {
	g := &Graph{s}
	runtime.AddCleanup(g, func(s *graphState) { _ = s.close() }, s)
	return g
}

// graphNode is a piece of a graph's work.
type graphNode interface {
	// add adds the node to the graph of s, behind another.
	add(s *graphState, after driver.GraphNode) (driver.GraphNode, driver.Result)
}

// kernelNode is a launch.
type kernelNode struct {
	function driver.Function
	shape    driver.Launch
	params   []byte
	changes  bool
}

func (n *kernelNode) add(s *graphState, after driver.GraphNode) (driver.GraphNode, driver.Result) {
	d := s.device
	at, r := d.api.GraphAddKernelNode(d.ctx, s.graph, after, n.function, &n.shape, n.params)
	if r == driver.Success && n.shape.Cluster.Count() > 0 {
		if d.api.GraphKernelNodeSetCluster == nil {
			return 0, driver.ErrNotSupported
		}
		r = d.api.GraphKernelNodeSetCluster(d.ctx, at, n.shape.Cluster)
	}
	if n.changes {
		s.places[n] = at
	}
	return at, r
}

// copyNode is a copy.
type copyNode driver.GraphCopy

func (n *copyNode) add(s *graphState, after driver.GraphNode) (driver.GraphNode, driver.Result) {
	return s.device.api.GraphAddCopyNode(s.device.ctx, s.graph, after, (*driver.GraphCopy)(n))
}

// zeroNode sets bytes to 0.
type zeroNode struct {
	at    driver.Ptr
	bytes uint64
}

func (n *zeroNode) add(s *graphState, after driver.GraphNode) (driver.GraphNode, driver.Result) {
	return s.device.api.GraphAddMemsetNode(s.device.ctx, s.graph, after, n.at, 0, n.bytes)
}

// build makes the nodes a graph of the driver's, each behind the one before it, and prepares its first launch.
func (c *capture) build() (*graphState, error) {
	d := c.device
	s := &graphState{capture: c, places: map[*kernelNode]driver.GraphNode{}}
	err := d.roomFor(func() (r driver.Result) {
		s.graph, r = d.api.GraphCreate(d.ctx, 0)
		return r
	})
	var last driver.GraphNode
	for i := 0; i < len(c.nodes) && err == nil; i++ {
		err = d.roomFor(func() (r driver.Result) {
			n, r := c.nodes[i].add(s, last)
			if r == driver.Success {
				last = n
			}
			return r
		})
	}
	if err == nil {
		err = d.roomFor(func() (r driver.Result) {
			s.exec, r = d.api.GraphInstantiate(d.ctx, s.graph, 0)
			return r
		})
	}
	if err == nil {
		err = d.roomFor(func() driver.Result { return d.api.GraphUpload(d.ctx, s.exec, d.streams[compute]) })
	}
	if err != nil {
		_ = s.destroy() // err has the cause
		return nil, err
	}
	return s, nil
}

// roomFor makes a call of the driver, once more where it found no memory and some was given back.
func (d *Device) roomFor(call func() driver.Result) error {
	err := d.result(call())
	if d.madeRoom(err) {
		err = d.result(call())
	}
	return err
}

// Replay issues the graph's work by one launch, behind what was issued before.
func (g *Graph) Replay() error {
	defer runtime.KeepAlive(g)
	s := g.state
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.device
	if s.closed {
		return &ReplayError{"it is closed"}
	}
	if e := d.failure.Load(); e != nil {
		return e
	}
	if err := d.uncaptured("the replay of a graph", "replay it outside of the capture"); err != nil {
		return err
	}
	if err := s.inputs.check(d.alloc); err != nil {
		return err
	}
	if err := s.launch(); err != nil {
		return err
	}
	d.epoch.Add(1)
	d.lastOp.Store(s.lastOp)
	if d.blocking {
		return d.waitFor(compute)
	}
	return nil
}

// launch does what the host does before a replay, and launches. An error takes all of it back.
func (s *graphState) launch() (err error) {
	done := 0
	defer func() {
		for ; err != nil && done > 0; done-- {
			s.host[done-1].undo()
		}
	}()
	for _, step := range s.host {
		if err := step.do(); err != nil {
			return err
		}
		done++
	}
	if err := s.set(); err != nil {
		return err
	}
	d := s.device
	part, err := d.join()
	if err != nil {
		return err
	}
	if err = d.roomFor(func() driver.Result {
		w := d.watch(compute, profile.Kernel, "cudaGraphLaunch", 0)
		r := d.api.GraphLaunch(d.ctx, s.exec, d.streams[compute])
		w.end(r == driver.Success)
		return r
	}); err != nil {
		return err
	}
	done = 0 // it runs
	return part()
}

// set gives kernels the parameters that the host has changed. Launches under way keep theirs.
func (s *graphState) set() error {
	d := s.device
	for n, at := range s.places {
		if r := d.api.GraphExecKernelNodeSetParams(d.ctx, s.exec, at, n.function, &n.shape, n.params); r != driver.Success {
			return d.fail(r)
		}
	}
	return nil
}

// Nodes returns how many kernels, copies and fills the graph has.
func (g *Graph) Nodes() int { return len(g.state.nodes) }

// Close waits for the last replay and gives the graph's memory back, for reuse. What tensors still hold of it stays theirs.
func (g *Graph) Close() error {
	defer runtime.KeepAlive(g)
	s := g.state
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return nil
	}
	d := s.device
	if err := d.uncaptured("the end of a graph", "close it outside of the capture"); err != nil {
		return err
	}
	err := d.waitFor(compute)
	if failed := s.close(); err == nil {
		err = failed
	}
	return err
}

// close ends the graph without waiting: a replay under way keeps what it needs, and memory is reused behind it.
func (s *graphState) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.destroy()
	s.device.alloc.close(s.pool)
	s.letGo()
	s.inputs, s.kept, s.host, s.places = nil, nil, nil, nil
	return err
}

// destroy gives back what the driver has of the graph.
func (s *graphState) destroy() error {
	d := s.device
	r := driver.Success
	if s.exec != 0 {
		r = d.api.GraphExecDestroy(d.ctx, s.exec)
	}
	if s.graph != 0 {
		if other := d.api.GraphDestroy(d.ctx, s.graph); r == driver.Success {
			r = other
		}
	}
	return d.result(r)
}
