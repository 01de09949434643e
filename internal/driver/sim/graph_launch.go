package sim

import (
	"bytes"

	"cresset/internal/driver"
)

// graphInstantiate makes a graph one that can be launched. Later changes of the graph leave it alone.
func (d *Driver) graphInstantiate(h driver.Context, gh driver.Graph, flags uint64) (driver.GraphExec, driver.Result) {
	return answer(d, h, func(c *context) (driver.GraphExec, driver.Result) {
		g, r := find(c, d.graphs, gh, "graph")
		switch {
		case r != driver.Success:
			return 0, r
		case flags != 0:
			return 0, c.refuse(driver.ErrInvalidValue, "the flags of an instantiation are %#x, and must be 0", flags)
		}
		handle := driver.GraphExec(d.newHandle())
		e := &graphExec{ctx: g.ctx, place: map[*graphNode]int{}}
		for i, n := range g.nodes {
			e.nodes, e.place[n] = append(e.nodes, *n), i
		}
		d.execs[handle] = e
		return handle, driver.Success
	})
}

func (d *Driver) graphExecDestroy(h driver.Context, eh driver.GraphExec) driver.Result {
	return d.in(h, func(c *context) driver.Result {
		_, r := find(c, d.execs, eh, "executable graph")
		delete(d.execs, eh)
		return r
	})
}

// graphExecKernelNodeSetParams changes a kernel for the launches that follow: those that are queued have what they were given.
func (d *Driver) graphExecKernelNodeSetParams(h driver.Context, eh driver.GraphExec, nh driver.GraphNode, fh driver.Function, l *driver.Launch, params []byte) driver.Result {
	return d.in(h, func(c *context) driver.Result {
		e, r := find(c, d.execs, eh, "executable graph")
		if r != driver.Success {
			return r
		}
		n, r := find(c, d.nodes, nh, "node")
		if r != driver.Success {
			return r
		}
		at, ok := e.place[n]
		if !ok || n.kernel == nil {
			return c.refuse(driver.ErrInvalidValue, "node %#x is no kernel of this graph", nh)
		}
		changed, r := d.kernelNode(c, fh, l, params)
		if r == driver.Success {
			changed.launch.Cluster = e.nodes[at].launch.Cluster
			e.nodes[at] = *changed
		}
		return r
	})
}

// graphUpload checks what a launch checks; there is nothing to upload.
func (d *Driver) graphUpload(h driver.Context, eh driver.GraphExec, sh driver.Stream) driver.Result {
	return d.in(h, func(c *context) driver.Result {
		_, r := find(c, d.execs, eh, "executable graph")
		if r == driver.Success {
			_, r = d.ownStream(c, sh)
		}
		return r
	})
}

// graphLaunch queues all nodes as one task, in the order in which they were added: each stands behind those that it follows.
func (d *Driver) graphLaunch(h driver.Context, eh driver.GraphExec, sh driver.Stream) driver.Result {
	c, s, r := d.enterStream(h, sh)
	var e *graphExec
	if r == driver.Success {
		e, r = find(c, d.execs, eh, "executable graph")
	}
	if r != driver.Success {
		d.mu.Unlock()
		return r
	}
	all := make([]work, len(e.nodes))
	for i, n := range e.nodes {
		all[i] = d.nodeWork(c, n)
	}
	t := d.put(s, func() (float64, *failure) {
		sum := float64(launchCost)
		for _, do := range all {
			nanoseconds, failed := do()
			if sum += nanoseconds; failed != nil {
				return sum, failed
			}
		}
		return sum, nil
	})
	d.stir()
	if d.blocking {
		return d.after(c, t)
	}
	return d.after(c, nil)
}

// nodeWork returns a node's work in one launch.
func (d *Driver) nodeWork(c *context, n graphNode) work {
	if n.kernel != nil {
		return func() (float64, *failure) {
			l := &Launch{Launch: *n.launch, Params: bytes.Clone(n.params)}
			for _, a := range n.kernel.module.globals {
				l.Globals = append(l.Globals, a.base)
			}
			nanoseconds, failed := d.execute(c, n.kernel, l)
			return max(nanoseconds-launchCost, 0) + nodeCost, failed
		}
	}
	return func() (float64, *failure) {
		d.mu.Lock()
		do, r := n.plain()
		why := c.why
		d.mu.Unlock()
		if r != driver.Success { // the memory has been freed since
			return 0, &failure{driver.ErrIllegalAddress, why}
		}
		return do()
	}
}
