package sim

import (
	"fmt"
	"maps"
	"slices"

	"cresset/internal/driver"
)

// context is a device's primary context, from the first retain to the last release.
type context struct {
	handle    driver.Context
	dev       *device
	destroyed bool
	legacy    *stream           // stream 0
	streams   []*stream         // all others
	peers     map[*context]bool // whose memory it can use
	why       error             // about the last call that was refused
	owned     []*allocation     // freed with it
}

// refuse keeps what Explain tells and returns r.
func (c *context) refuse(r driver.Result, format string, args ...any) driver.Result {
	c.why = fmt.Errorf(format, args...)
	return r
}

// explain returns what is known about the last failure in a context.
func (d *Driver) explain(h driver.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, ok := d.contexts[h]
	switch {
	case !ok:
		return nil
	case c.dev.failed != nil:
		return c.dev.failed.why
	}
	return c.why
}

func (d *Driver) primaryRetain(h driver.Device) (driver.Context, driver.Result) {
	dev, r := d.device(h)
	defer d.mu.Unlock()
	if r != driver.Success {
		return 0, r
	}
	if dev.failed != nil {
		return 0, dev.failed.result
	}
	if dev.retained == 0 {
		c := &context{handle: driver.Context(d.newHandle()), dev: dev, peers: map[*context]bool{}}
		c.legacy = &stream{ctx: c}
		dev.primary = c
		d.contexts[c.handle] = c
	}
	dev.retained++
	d.announce()
	return dev.primary.handle, driver.Success
}

// primaryRelease destroys the context with its last release.
func (d *Driver) primaryRelease(h driver.Device) driver.Result {
	dev, r := d.device(h)
	defer d.mu.Unlock()
	if r != driver.Success {
		return r
	}
	if dev.retained == 0 {
		return driver.ErrInvalidContext
	}
	dev.retained--
	if dev.retained == 0 {
		c := dev.primary
		dev.primary, c.destroyed = nil, true
		d.dismantle(c)
		d.announce()
	}
	return driver.Success
}

// dismantle frees what a context owns. Its handle stays known as a destroyed one.
func (d *Driver) dismantle(c *context) {
	d.retire(slices.Clone(c.owned)...)
	maps.DeleteFunc(d.streams, func(_ driver.Stream, s *stream) bool { return s.ctx == c })
	maps.DeleteFunc(d.events, func(_ driver.Event, e *event) bool { return e.ctx == c })
	maps.DeleteFunc(d.modules, func(_ driver.Module, m *module) bool { return m.ctx == c })
	maps.DeleteFunc(d.graphs, func(_ driver.Graph, g *graph) bool { return g.ctx == c })
	maps.DeleteFunc(d.nodes, func(_ driver.GraphNode, n *graphNode) bool { return n.graph.ctx == c })
	maps.DeleteFunc(d.execs, func(_ driver.GraphExec, e *graphExec) bool { return e.ctx == c })
	maps.DeleteFunc(d.functions, func(_ driver.Function, f *function) bool { return f.module.ctx == c })
	for _, other := range d.contexts {
		delete(other.peers, c)
	}
}

func (d *Driver) ctxSynchronize(h driver.Context) driver.Result {
	c, r := d.enter(h)
	if r != driver.Success {
		d.mu.Unlock()
		return r
	}
	return d.finish(c, c.pending())
}

func (d *Driver) ctxEnablePeerAccess(h, peer driver.Context, flags uint32) driver.Result {
	return d.in(h, func(c *context) driver.Result {
		p, ok := d.contexts[peer]
		switch {
		case !ok || p.destroyed:
			return c.refuse(driver.ErrInvalidContext, "no context %#x to be a peer", peer)
		case flags != 0:
			return c.refuse(driver.ErrInvalidValue, "the flags of peer access are %#x, and must be 0", flags)
		case p.dev == c.dev:
			return c.refuse(driver.ErrInvalidDevice, "a device is not its own peer")
		case !d.machine.CanAccess(c.dev.physical, p.dev.physical):
			return c.refuse(driver.ErrPeerAccessUnsupported, "%s has no path to the memory of %s", c.dev.gpu.Bus, p.dev.gpu.Bus)
		case c.peers[p]:
			return driver.ErrPeerAccessAlreadyEnabled
		}
		c.peers[p] = true
		return driver.Success
	})
}
