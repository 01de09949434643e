package optim

import (
	"cresset/internal/friend"
	"cresset/tensor"
)

// capturing returns the graph in the making that a step belongs to, nil for none.
func (a *Algorithm) capturing() friend.Capture {
	for _, g := range a.groups {
		if c := inner.CaptureOf(g.Params[0]); c != nil {
			return c
		}
	}
	return nil
}

// captured has each replay begin as the step did.
func (a *Algorithm) captured(c friend.Capture) {
	if a.form.composed {
		refuseCaptured(c, "the step of "+a.form.class+" is made of ops with numbers of the host, which would stay as they are in a graph",
			"capture forward and backward, and step between replays")
	}
	c.Host(func() error { a.settle(); return nil }, func() {})
}

// warm refuses a parameter's first step in a graph, where the state would begin anew with each replay.
func (a *Algorithm) warm(c friend.Capture, p *tensor.Tensor, g *Group) {
	s := a.states[p]
	missing := s == nil
	for _, t := range a.form.tensors(&g.figures) {
		missing = missing || s.tensors[t.name] == nil
	}
	if missing {
		refuseCaptured(c, "the first step of a parameter, whose state would begin anew with each replay", "take a step before the capture")
	}
}

// refuseCaptured panics with what a graph cannot have, and what to do instead.
func refuseCaptured(c friend.Capture, what, remedy string) {
	panic(&tensor.Error{Op: "optimizer", Kind: tensor.ErrDevice, Err: c.Refuse(what, remedy)})
}
