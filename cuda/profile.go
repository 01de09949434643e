package cuda

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"cresset/internal/profile"
)

// Profile records what a program computes, as torch.profiler.profile does: ops, gradients and named regions on the host, by its clock;
// kernels, copies and memory on GPUs, by the driver's events, which on simulated GPUs tell the modelled time. Each op has the line of the
// program that asked for it.
//
//	p := cuda.NewProfile(cuda.RecordShapes(true))
//	err := p.Run(func() { step(x, y) })
//	fmt.Print(p.KeyAverages().Table(cuda.SortBy("cuda_time_total")))
//	err = p.ExportChromeTrace("trace.json") // for ui.perfetto.dev
//
// One profile runs at a time. While none does an op costs no more than a look at one word; while one does, each op and each kernel takes some
// microseconds more of the host.
type Profile struct {
	options profileOptions

	mu       sync.Mutex
	running  bool
	recorder *profile.Recorder // that records, or has recorded last
	step     int
	frame    profile.Frame // of the step
}

// ProfileOption is an option of NewProfile: RecordShapes, ProfileMemory, MaxEvents, a Schedule, OnTraceReady.
type ProfileOption interface{ profileOption(o *profileOptions) }

type profileOptions struct {
	settings profile.Settings
	schedule *Schedule
	ready    func(*Profile)
}

// RecordShapes keeps the shapes and dtypes of what each op reads.
type RecordShapes bool

// ProfileMemory keeps what is allocated and freed on GPUs.
type ProfileMemory bool

// MaxEvents is how many events a profile keeps, 262,144 unless given; it counts those that come later.
type MaxEvents int

// OnTraceReady is called when the schedule has recorded a cycle, and by Stop for what was recorded since.
type OnTraceReady func(p *Profile)

func (on RecordShapes) profileOption(o *profileOptions)  { o.settings.Shapes = bool(on) }
func (on ProfileMemory) profileOption(o *profileOptions) { o.settings.Memory = bool(on) }
func (n MaxEvents) profileOption(o *profileOptions)      { o.settings.Limit = int(n) }
func (f OnTraceReady) profileOption(o *profileOptions)   { o.ready = f }
func (s Schedule) profileOption(o *profileOptions)       { o.schedule = &s }

// NewProfile returns a profile that has not begun.
func NewProfile(opts ...ProfileOption) *Profile {
	p := &Profile{options: profileOptions{settings: profile.Settings{Limit: 1 << 18, Now: hostClock()}}}
	for _, o := range opts {
		o.profileOption(&p.options)
	}
	return p
}

// hostClock returns a clock; tests replace it.
var hostClock = func() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// active is the profile that runs.
var active atomic.Pointer[Profile]

var (
	//lint:ignore ST1005 PyTorch's text
	errProfiling = errors.New("Profiler is already enabled.")
	//lint:ignore ST1005 PyTorch's text
	errNotProfiling = errors.New("Can't disable profiler when it's not running")
)

// Start begins to record, or what the schedule has for the first step. Where a profile runs already it returns PyTorch's error.
func (p *Profile) Start() error {
	if !active.CompareAndSwap(nil, p) {
		return errProfiling
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running, p.step, p.recorder = true, 0, nil
	p.enter(p.action())
	return nil
}

// Stop ends the profile, once GPUs have done what was recorded. It returns PyTorch's error where the profile does not run.
func (p *Profile) Stop() error {
	p.mu.Lock()
	if !p.running {
		p.mu.Unlock()
		return errNotProfiling
	}
	p.running = false
	p.frame.End()
	recorded := p.recorder != nil && p.action() >= record
	if p.recorder != nil {
		p.recorder.Stop()
	}
	p.mu.Unlock()
	active.Store(nil)
	if recorded {
		p.tellReady()
	}
	return nil
}

// Run records what f does. A panic of f passes on when the profile has ended.
func (p *Profile) Run(f func()) error {
	if err := p.Start(); err != nil {
		return err
	}
	defer p.Stop()
	f()
	return nil
}

// Step says that a step of the training is done, for which the schedule may have something else to do than for the next one.
func (p *Profile) Step() {
	p.mu.Lock()
	if !p.running {
		p.mu.Unlock()
		return
	}
	p.frame.End()
	p.frame = profile.Frame{}
	before := p.action()
	p.step++
	if before == recordAndSave {
		p.recorder.Stop()
	}
	p.mu.Unlock()
	if before == recordAndSave {
		p.tellReady()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running {
		p.follow(before, p.action())
	}
}

// ToggleCollectionDynamic has what follows not recorded, such as a validation between two steps, or recorded again. The step under way ends in the trace
// where it is switched off; the next one begins with Step.
func (p *Profile) ToggleCollectionDynamic(enable bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.running || p.recorder == nil:
	case enable:
		p.recorder.Resume()
	default:
		p.frame.End()
		p.frame = profile.Frame{}
		p.recorder.Pause()
	}
}

func (p *Profile) tellReady() {
	if p.options.ready != nil {
		p.options.ready(p)
	}
}

// follow goes from what one step was recorded for to what the next one is.
func (p *Profile) follow(before, now action) {
	switch {
	case before == warmup && now == warmup, before == record && now >= record:
		p.beginStep()
		return
	case before == warmup, before == record:
		p.recorder.Stop()
	}
	p.enter(now)
}

// enter begins to record where a step is recorded.
func (p *Profile) enter(now action) {
	if now != nothing {
		p.recorder = profile.Start(p.options.settings)
		p.beginStep()
	}
}

// beginStep marks the step where there is a schedule.
func (p *Profile) beginStep() {
	if p.options.schedule != nil {
		p.frame = profile.Begin(profile.Step, "ProfilerStep#"+strconv.Itoa(p.step))
	}
}

// action returns what the step under way is for.
func (p *Profile) action() action {
	if p.options.schedule == nil {
		return record
	}
	return p.options.schedule.action(p.step)
}

// events returns what was recorded last, and how many events were dropped.
func (p *Profile) events() ([]profile.Event, int) {
	p.mu.Lock()
	r := p.recorder
	p.mu.Unlock()
	if r == nil {
		return nil, 0
	}
	return r.Events()
}

// RecordFunction names what the goroutine does until end is called, in profiles that run:
//
//	defer cuda.RecordFunction("forward")()
func RecordFunction(name string) (end func()) {
	if profile.Running() == nil {
		return func() {}
	}
	return profile.Begin(profile.Region, name).End
}
