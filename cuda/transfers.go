package cuda

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"cresset/device"
	"cresset/internal/backend"
)

// Site is a line of source code: the first outside of cresset that led to a copy.
type Site = backend.Site

// Transfers counts copies between devices from TraceTransfers on until Stop. It may be used from many goroutines.
type Transfers struct {
	stop func()

	mu      sync.Mutex
	stopped bool
	routes  map[routeKey]*route
	trips   map[tripKey]*Tally
	pending []pending
}

// Tally is the sum over copies: how many, of how many bytes, in how much time on the devices' clocks.
type Tally struct {
	Copies  int     `json:"copies"`
	Bytes   int64   `json:"bytes"`
	Seconds float64 `json:"seconds"`
}

func (t *Tally) add(bytes int) {
	t.Copies++
	t.Bytes += int64(bytes)
}

// routeKey is a line that copies from one device to another.
type routeKey struct {
	site     Site
	from, to device.Device
}

// route is what went one way from one line.
type route struct {
	Tally
	again    Tally // copies of what had gone this way unchanged
	most     int   // copies of the elements that went most often
	operand  string
	hideable [3]Tally       // by what keeps them from the background
	sizes    map[string]int // hideable copies by operand
}

// tripKey is a way out and the way back.
type tripKey struct {
	out, back Site
	home, at  device.Device
}

// pending is a copy whose time is not known yet, and the sums that it belongs to.
type pending struct {
	timer backend.Timer
	sums  [4]*Tally
}

// TraceTransfers counts every copy between devices, with the line of the program that asked for it, until Stop:
//
//	transfers := cuda.TraceTransfers()
//	train()
//	fmt.Println(transfers.Stop())
//
// Several may count at once. While none does a copy costs no more than a look at one word.
func TraceTransfers() *Transfers {
	t := &Transfers{routes: make(map[routeKey]*route), trips: make(map[tripKey]*Tally)}
	t.stop = backend.Watch(t.note)
	return t
}

// Stop ends the count and returns the report; a second Stop returns it again. Stop of nil does nothing.
func (t *Transfers) Stop() TransferReport {
	if t == nil {
		return TransferReport{}
	}
	t.stop()
	t.mu.Lock()
	t.stopped = true
	t.mu.Unlock()
	return t.Report()
}

// maxPending is how many copies may wait for their time to be known before the count waits for the oldest.
const maxPending = 256

// note counts one copy.
func (t *Transfers) note(c *backend.Transfer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return
	}
	key := routeKey{c.Site, c.From, c.To}
	r := t.routes[key]
	if r == nil {
		r = &route{sizes: make(map[string]int)}
		t.routes[key] = r
	}
	p := pending{timer: c.Timer}
	p.sums[0] = &r.Tally
	if c.Repeat > 0 {
		p.sums[1] = &r.again
		if c.Repeat >= r.most {
			r.most, r.operand = c.Repeat+1, c.Operand
		}
	}
	if why, ok := hideable(c); ok {
		p.sums[2] = &r.hideable[why]
		if len(r.sizes) < maxPending {
			r.sizes[c.Operand]++
		}
	}
	if c.Returns {
		p.sums[3] = t.trip(tripKey{c.Left, c.Site, c.To, c.From})
	}
	for _, s := range p.sums {
		if s != nil {
			s.add(c.Bytes)
		}
	}
	if c.Timer != nil {
		t.pending = append(t.pending, p)
		t.settle(len(t.pending) > maxPending)
	}
}

func (t *Transfers) trip(key tripKey) *Tally {
	if t.trips[key] == nil {
		t.trips[key] = new(Tally)
	}
	return t.trips[key]
}

// settle adds the times of copies that are done, the oldest first; of the oldest half it may wait for those that are not.
func (t *Transfers) settle(wait bool) {
	must := 0
	if wait {
		must = len(t.pending) / 2
	}
	done := 0
	for i, p := range t.pending {
		took, ok := p.timer.Elapsed(i < must)
		if !ok && i >= must {
			break
		}
		p.add(took)
		done++
	}
	t.pending = slices.Delete(t.pending, 0, done)
}

func (p *pending) add(took time.Duration) {
	for _, s := range p.sums {
		if s != nil {
			s.Seconds += took.Seconds()
		}
	}
}

// Report returns what was counted so far. It waits for the copies under way, whose time it tells.
func (t *Transfers) Report() TransferReport {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.pending {
		took, _ := p.timer.Elapsed(true)
		p.add(took)
	}
	t.pending = nil
	r := TransferReport{Clock: "measured", Ways: []Way{}, Routes: []Route{}, Findings: t.findings()}
	ways := make(map[Direction]*Way)
	for key, c := range t.routes {
		d := directionOf(key.from, key.to)
		if ways[d] == nil {
			ways[d] = &Way{Direction: d}
		}
		w := ways[d]
		w.Copies, w.Bytes, w.Seconds = w.Copies+c.Copies, w.Bytes+c.Bytes, w.Seconds+c.Seconds
		r.Routes = append(r.Routes, Route{Site: key.site, From: key.from, To: key.to, Direction: d, Tally: c.Tally})
		if simulated(key.from) || simulated(key.to) {
			r.Clock = "modelled"
		}
	}
	for _, d := range slices.Sorted(maps.Keys(ways)) {
		r.Ways = append(r.Ways, *ways[d])
	}
	slices.SortFunc(r.Routes, func(a, b Route) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(b.Bytes, a.Bytes), compareSites(a.Site, b.Site),
			cmp.Compare(a.From.String(), b.From.String()), cmp.Compare(a.To.String(), b.To.String()))
	})
	return r
}

func compareSites(a, b Site) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}

func simulated(dev device.Device) bool {
	index, _ := dev.Index()
	p, err := DeviceProperties(index)
	return dev.IsCUDA() && err == nil && p.Simulated
}
