package cuda

import (
	"fmt"
	"strings"
	"time"

	"cresset/internal/profile"
)

// FunctionEventAvg is the sum over the events of one name, and of one shape or line where they are told apart.
type FunctionEventAvg struct {
	Key         string
	Count       int
	InputShapes string // "[[64, 784], [784, 10]]", where the profile has shapes and GroupByInputShape is given
	Site        Site   // where GroupBySite is given

	SelfCPUTimeTotal, CPUTimeTotal   time.Duration // without and with what happened inside
	SelfCUDATimeTotal, CUDATimeTotal time.Duration // of the kernels and copies that it led to
	SelfCUDAMemory, CUDAMemory       int64         // bytes allocated less bytes freed
	OnGPU                            bool          // a kernel, a copy or a memset itself
	untimed                          int
}

// Averages are the sums of a profile, in the order in which their names came first.
type Averages struct {
	Events []FunctionEventAvg

	memory   bool // is told
	modelled bool // GPUs are simulated
	dropped  int
}

// AveragesOption is an option of KeyAverages: GroupByInputShape, GroupBySite.
type AveragesOption interface{ averagesOption(g *grouping) }

// GroupByInputShape tells ops of other shapes apart.
type GroupByInputShape bool

// GroupBySite tells ops of other lines of the program apart.
type GroupBySite bool

type grouping struct{ shape, site bool }

func (on GroupByInputShape) averagesOption(g *grouping) { g.shape = bool(on) }
func (on GroupBySite) averagesOption(g *grouping)       { g.site = bool(on) }

// KeyAverages adds up what was recorded so far, by name.
func (p *Profile) KeyAverages(opts ...AveragesOption) Averages {
	var by grouping
	for _, o := range opts {
		o.averagesOption(&by)
	}
	events, dropped := p.events()
	a := Averages{memory: p.options.settings.Memory, dropped: dropped, modelled: modelled(events)}
	rows := map[FunctionEventAvg]int{}
	sums := sumsOf(events)
	for i := range events {
		e, s := &events[i], &sums[i]
		if e.Kind.OnHost() && !e.Timed || e.Kind == profile.Memory && e.Parent != profile.NoParent {
			continue
		}
		key := by.key(e)
		at, ok := rows[key]
		if !ok {
			at = len(a.Events)
			rows[key] = at
			a.Events = append(a.Events, key)
		}
		a.Events[at].add(s)
		if !e.Timed {
			a.Events[at].untimed++
		}
	}
	return a
}

// key is a row without sums.
func (by grouping) key(e *profile.Event) FunctionEventAvg {
	key := FunctionEventAvg{Key: e.Name, OnGPU: !e.Kind.OnHost() && e.Kind != profile.Memory}
	if by.shape && e.Inputs != nil {
		key.InputShapes = shapesText(e.Inputs)
	}
	if by.site && e.Kind.OnHost() {
		key.Site = e.Site
	}
	return key
}

func shapesText(inputs []profile.Operand) string {
	shapes := make([]string, len(inputs))
	for i, in := range inputs {
		shapes[i] = strings.ReplaceAll(fmt.Sprint(in.Shape), " ", ", ")
	}
	return "[" + strings.Join(shapes, ", ") + "]"
}

// sums are the times and bytes of one event.
type sums struct {
	selfCPU, cpu, selfCUDA, cuda time.Duration
	selfMemory, memory           int64
}

// sumsOf adds to each event what happened inside: an event's parent stands before it.
func sumsOf(events []profile.Event) []sums {
	all := make([]sums, len(events))
	for i := len(events) - 1; i >= 0; i-- {
		e, s := &events[i], &all[i]
		switch {
		case e.Kind == profile.Memory:
			s.selfMemory = e.Bytes
		case !e.Timed:
		case e.Kind.OnHost():
			s.selfCPU += e.Took
			s.cpu = e.Took
		default:
			s.selfCUDA = e.Took
		}
		s.cuda, s.memory = s.cuda+s.selfCUDA, s.memory+s.selfMemory
		if e.Parent != profile.NoParent {
			all[e.Parent].holds(e, s)
		}
	}
	return all
}

// holds adds what an event inside took. A parent's own share lacks the frames in it, and has what it gave to GPUs.
func (p *sums) holds(e *profile.Event, s *sums) {
	p.selfCPU -= s.cpu
	if e.Kind.OnHost() {
		p.cuda, p.memory = p.cuda+s.cuda, p.memory+s.memory
		return
	}
	p.selfCUDA, p.selfMemory = p.selfCUDA+s.cuda, p.selfMemory+s.memory
}

func (a *FunctionEventAvg) add(s *sums) {
	a.Count++
	a.SelfCPUTimeTotal, a.CPUTimeTotal = a.SelfCPUTimeTotal+s.selfCPU, a.CPUTimeTotal+s.cpu
	a.SelfCUDATimeTotal, a.CUDATimeTotal = a.SelfCUDATimeTotal+s.selfCUDA, a.CUDATimeTotal+s.cuda
	a.SelfCUDAMemory, a.CUDAMemory = a.SelfCUDAMemory+s.selfMemory, a.CUDAMemory+s.memory
}

// modelled reports whether times of GPUs are those of a model.
func modelled(events []profile.Event) bool {
	for i := range events {
		if !events[i].Kind.OnHost() {
			p, err := DeviceProperties(events[i].Device)
			return err == nil && p.Simulated
		}
	}
	return false
}
