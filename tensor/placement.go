package tensor

import (
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"cresset/device"
	"cresset/internal/backend"
)

// TracePlacement turns on or off that tensors remember where in the user's code they were made and moved, which the hints of
// errors about devices then tell. The environment variable CRESSET_DEBUG=placement turns it on from the start. Off it costs
// nothing; on, each new tensor costs a look at the stack.
func TracePlacement(on bool) { placement.on.Store(on) }

// SetName gives x a name by which hints call it while placement is traced, and returns x. Package nn names parameters as it
// walks a model, "0.weight"; of several names the longest counts.
func (x *Tensor) SetName(name string) *Tensor {
	if placement.on.Load() {
		placement.change(x.storage, func(t *trace) {
			if len(name) > len(t.name) {
				t.name = name
			}
		})
	}
	return x
}

// placement holds the traces.
var placement = newTracer(os.Getenv("CRESSET_DEBUG"))

type tracer struct {
	on atomic.Bool
	sideTable[trace]
}

// trace is the way of some memory through the user's code.
type trace struct {
	name  string
	op    string        // that made it; empty where To did
	from  device.Device // that To copied it from
	site  backend.Site  // where that was
	moves []move        // what To made of it, the last for each device
}

// move is a copy on another device.
type move struct {
	to   device.Device
	site backend.Site
}

// newTracer returns a tracer that is on where the list of words names placement.
func newTracer(words string) *tracer {
	p := new(tracer)
	p.on.Store(slices.Contains(strings.Split(words, ","), "placement"))
	return p
}

// find returns a copy of what is known of some memory, nothing where placement is not traced.
func (p *tracer) find(s *storage) (t trace) {
	if !p.on.Load() {
		return t
	}
	p.read(s, func(known *trace) {
		t = *known
		t.moves = slices.Clone(known.moves)
	})
	return t
}

// made notes the op that made some memory.
func (p *tracer) made(s *storage, op string) {
	site := backend.UserSite()
	p.change(s, func(t *trace) { t.op, t.site = op, site })
}

// moved notes on both sides that To made out of x.
func (p *tracer) moved(x, out *storage) {
	if x.device == out.device {
		return
	}
	site := backend.UserSite()
	p.change(out, func(t *trace) { t.op, t.from, t.site = "", x.device, site })
	p.change(x, func(t *trace) {
		t.moves = slices.DeleteFunc(t.moves, func(m move) bool { return m.to == out.device })
		t.moves = append(t.moves, move{out.device, site})
	})
}

// renamed notes that a tensor lies in other memory now.
func (p *tracer) renamed(old, now *storage) {
	if name := p.find(old).name; name != "" {
		p.change(now, func(t *trace) { t.name = name })
	}
}

// String says where the memory came from; it is empty where that is not known.
func (t trace) String() string {
	switch {
	case t.site.Line == 0:
		return ""
	case t.op == "":
		return "copied from " + t.from.String() + " at " + t.site.String()
	default:
		return "made by " + t.op + " at " + t.site.String()
	}
}
