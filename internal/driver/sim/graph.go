package sim

import (
	"bytes"

	"cresset/internal/driver"
)

// graph is work that is described node by node.
type graph struct {
	ctx   *context
	nodes []*graphNode
}

// graphNode is a piece of a graph's work: a kernel, or something else to do.
type graphNode struct {
	graph  *graph
	after  *graphNode
	kernel *function
	launch *driver.Launch
	params []byte
	plain  func() (work, driver.Result) // of a node that is no kernel, once its memory is found
}

// graphExec is a graph that can be launched: its nodes as they were, and where the graph's are among them.
type graphExec struct {
	ctx   *context
	nodes []graphNode
	place map[*graphNode]int
}

// nodeCost is what a node takes beside its work, in nanoseconds: less than a launch, of which the whole graph is one.
const nodeCost = 1_000

func (d *Driver) graphCreate(h driver.Context, flags uint32) (driver.Graph, driver.Result) {
	return answer(d, h, func(c *context) (driver.Graph, driver.Result) {
		if flags != 0 {
			return 0, c.refuse(driver.ErrInvalidValue, "the flags of a graph are %#x, and must be 0", flags)
		}
		handle := driver.Graph(d.newHandle())
		d.graphs[handle] = &graph{ctx: c}
		return handle, driver.Success
	})
}

func (d *Driver) graphDestroy(h driver.Context, gh driver.Graph) driver.Result {
	return d.in(h, func(c *context) driver.Result {
		g, r := find(c, d.graphs, gh, "graph")
		if r != driver.Success {
			return r
		}
		delete(d.graphs, gh)
		for handle, n := range d.nodes {
			if n.graph == g {
				delete(d.nodes, handle)
			}
		}
		return r
	})
}

// find finds a graph, a node or a graph that can be launched by its handle.
func find[H ~uintptr, T any](c *context, all map[H]*T, h H, what string) (*T, driver.Result) {
	if v, ok := all[h]; ok {
		return v, driver.Success
	}
	return nil, c.refuse(driver.ErrInvalidHandle, "no %s %#x", what, h)
}

// addNode adds a node to a graph, whose after is 0 or the handle of another of its nodes.
func (d *Driver) addNode(c *context, gh driver.Graph, after driver.GraphNode, n *graphNode) (driver.GraphNode, driver.Result) {
	g, r := find(c, d.graphs, gh, "graph")
	if r == driver.Success && after != 0 {
		n.after, r = find(c, d.nodes, after, "node")
	}
	if r != driver.Success {
		return 0, r
	}
	if n.after != nil && n.after.graph != g {
		return 0, c.refuse(driver.ErrInvalidValue, "node %#x is of another graph", after)
	}
	n.graph = g
	g.nodes = append(g.nodes, n)
	handle := driver.GraphNode(d.newHandle())
	d.nodes[handle] = n
	return handle, driver.Success
}

func (d *Driver) graphAddKernelNode(h driver.Context, g driver.Graph, after driver.GraphNode, fh driver.Function, l *driver.Launch, params []byte) (driver.GraphNode, driver.Result) {
	return answer(d, h, func(c *context) (driver.GraphNode, driver.Result) {
		n, r := d.kernelNode(c, fh, l, params)
		if r != driver.Success {
			return 0, r
		}
		return d.addNode(c, g, after, n)
	})
}

// kernelNode checks and describes a kernel's launch.
func (d *Driver) kernelNode(c *context, fh driver.Function, l *driver.Launch, params []byte) (*graphNode, driver.Result) {
	f, r := d.function(c, fh)
	if r != driver.Success {
		return nil, r
	}
	shape := *l
	shape.Programmatic, shape.Cluster = false, driver.Dim{}
	if r := c.checkLaunch(f, &shape, params); r != driver.Success {
		return nil, r
	}
	return &graphNode{kernel: f, launch: &shape, params: bytes.Clone(params)}, driver.Success
}

func (d *Driver) graphKernelNodeSetCluster(h driver.Context, nh driver.GraphNode, cluster driver.Dim) driver.Result {
	return d.in(h, func(c *context) driver.Result {
		n, r := find(c, d.nodes, nh, "node")
		switch {
		case r != driver.Success:
			return r
		case n.kernel == nil:
			return c.refuse(driver.ErrInvalidValue, "node %#x is no kernel's", nh)
		}
		shape := *n.launch
		shape.Cluster = cluster
		if r := c.checkLaunch(n.kernel, &shape, n.params); r != driver.Success {
			return r
		}
		n.launch = &shape
		return driver.Success
	})
}

// graphAddCopyNode finds the memory now, as CUDA does, and again with each launch.
func (d *Driver) graphAddCopyNode(h driver.Context, g driver.Graph, after driver.GraphNode, p *driver.GraphCopy) (driver.GraphNode, driver.Result) {
	copied := *p
	return d.addPlain(h, g, after, func(c *context) (work, driver.Result) {
		to, r := d.sideOf(c, copied.Dst, copied.DstHost, copied.Bytes)
		if r != driver.Success {
			return nil, r
		}
		from, r := d.sideOf(c, copied.Src, copied.SrcHost, copied.Bytes)
		if r != driver.Success {
			return nil, r
		}
		nanoseconds := nodeCost + duration(2*copied.Bytes, c.dev.gpu.Bandwidth)
		if copied.DstHost != nil || copied.SrcHost != nil {
			nanoseconds = nodeCost + duration(copied.Bytes, c.dev.gpu.Link)
		}
		return d.move(to, from, nanoseconds), driver.Success
	})
}

// sideOf returns the memory of one side of a copy.
func (d *Driver) sideOf(c *context, at driver.Ptr, host []byte, bytes uint64) ([]byte, driver.Result) {
	switch {
	case host == nil:
		return d.bytes(c, at, bytes)
	case uint64(len(host)) < bytes:
		return nil, c.refuse(driver.ErrInvalidValue, "a copy of %d bytes, and the host has %d", bytes, len(host))
	}
	return host[:bytes], driver.Success
}

func (d *Driver) graphAddMemsetNode(h driver.Context, g driver.Graph, after driver.GraphNode, dst driver.Ptr, value uint8, n uint64) (driver.GraphNode, driver.Result) {
	return d.addPlain(h, g, after, func(c *context) (work, driver.Result) {
		to, r := d.bytes(c, dst, n)
		switch {
		case r != driver.Success:
			return nil, r
		case n == 0:
			return nil, c.refuse(driver.ErrInvalidValue, "no bytes to set at %#x", dst)
		}
		return func() (float64, *failure) {
			if failed := d.back(to); failed != nil {
				return 0, failed
			}
			fill(to, value)
			return nodeCost + duration(n, c.dev.gpu.Bandwidth), nil
		}, driver.Success
	})
}

// addPlain adds a node that is no kernel; prepare finds its memory.
func (d *Driver) addPlain(h driver.Context, g driver.Graph, after driver.GraphNode, prepare func(c *context) (work, driver.Result)) (driver.GraphNode, driver.Result) {
	return answer(d, h, func(c *context) (driver.GraphNode, driver.Result) {
		if _, r := prepare(c); r != driver.Success {
			return 0, r
		}
		return d.addNode(c, g, after, &graphNode{plain: func() (work, driver.Result) { return prepare(c) }})
	})
}
