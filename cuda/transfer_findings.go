package cuda

import (
	"cmp"
	"fmt"
	"slices"

	"cresset/device"
	"cresset/internal/backend"
)

// Finding is something about transfers that a change of the program would save.
type Finding struct {
	Kind   FindingKind   `json:"kind"`
	Site   Site          `json:"site"`           // the line that copies
	Left   *Site         `json:"left,omitempty"` // the line that copied there what comes back; of ping-pong only
	From   device.Device `json:"from"`
	To     device.Device `json:"to"`
	Advice string        `json:"advice"`
	Tally                // what would be saved or hidden
}

// FindingKind is what is wrong with transfers.
type FindingKind string

// The kinds of findings.
const (
	PingPong FindingKind = "ping-pong" // memory goes to a device and comes back, again and again
	Loop     FindingKind = "loop"      // the same elements go the same way although nothing has changed
	Exposed  FindingKind = "exposed"   // copies to a GPU for which kernels wait, although they could run beside them
)

// String tells the finding and the advice in one sentence.
func (f Finding) String() string { return f.Advice }

// What is worth a word.
const (
	manyReturns = 2       // of the same way out and back
	manyCopies  = 3       // of the same elements, or of equal shape for copies that could be hidden
	largeBytes  = 1 << 16 // of a copy: below it the latency counts, not the bytes
)

// What keeps a copy to a GPU from running in the background.
const (
	pageable     = iota // memory that is not pinned
	pageableYet         // as well, although NonBlocking was asked for
	pinnedWaited        // pinned, without NonBlocking
)

// hideable reports whether kernels wait for a copy to a GPU that could run beside them, and why.
func hideable(c *backend.Transfer) (why int, ok bool) {
	if c.Background || !c.From.IsCPU() || c.Bytes < largeBytes {
		return 0, false
	}
	switch {
	case c.Pinned && c.NonBlocking:
		return 0, false // cast or reordered on the way
	case c.Pinned:
		return pinnedWaited, true
	case c.NonBlocking:
		return pageableYet, true
	default:
		return pageable, true
	}
}

// findings returns what can be saved.
func (t *Transfers) findings() []Finding {
	out := []Finding{}
	for key, r := range t.routes {
		if r.most >= manyCopies {
			out = append(out, loopFinding(key, r))
		}
		for why, sum := range r.hideable {
			if sum.Copies > 0 && mostOf(r.sizes) >= manyCopies {
				out = append(out, exposedFinding(key, why, sum))
			}
		}
	}
	for key, sum := range t.trips {
		if sum.Copies >= manyReturns {
			out = append(out, pingPongFinding(key, *sum))
		}
	}
	slices.SortFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Kind, b.Kind), compareSites(a.Site, b.Site),
			cmp.Compare(a.From.String(), b.From.String()), cmp.Compare(a.To.String(), b.To.String()), cmp.Compare(a.Advice, b.Advice))
	})
	return out
}

func mostOf(counts map[string]int) int {
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	return most
}

func loopFinding(key routeKey, r *route) Finding {
	return Finding{
		Kind: Loop, Site: key.site, From: key.from, To: key.to, Tally: r.again,
		Advice: fmt.Sprintf("%s went from %s to %s %d times at %s and had not changed; move it once, before the loop",
			r.operand, key.from, key.to, r.most, key.site),
	}
}

func exposedFinding(key routeKey, why int, sum Tally) Finding {
	do := [...]string{
		pageable:     "PinMemory, then To with tensor.NonBlocking(true), lets kernels run meanwhile",
		pageableYet:  "NonBlocking does nothing for memory that is not pinned: PinMemory first",
		pinnedWaited: "the memory is pinned: To with tensor.NonBlocking lets kernels run meanwhile",
	}[why]
	return Finding{
		Kind: Exposed, Site: key.site, From: key.from, To: key.to, Tally: sum,
		Advice: fmt.Sprintf("kernels on %s wait for %d copies, %s in %s, at %s; %s",
			key.to, sum.Copies, bytesText(sum.Bytes), secondsText(sum.Seconds), key.site, do),
	}
}

func pingPongFinding(key tripKey, sum Tally) Finding {
	return Finding{
		Kind: PingPong, Site: key.back, Left: &key.out, From: key.at, To: key.home, Tally: sum,
		Advice: fmt.Sprintf("what went from %s to %s at %s came back at %s, %d times; keep it on one device",
			key.home, key.at, key.out, key.back, sum.Copies),
	}
}
