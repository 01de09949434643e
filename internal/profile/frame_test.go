package profile

import (
	"sync"
	"testing"
	"time"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/op"
)

// TestNothingIsRecordedForFree wants no allocation while nothing records.
func TestNothingIsRecordedForFree(t *testing.T) {
	c := backend.NewCall(op.Add, dtype.Float32)
	defer c.Release()
	allocations := testing.AllocsPerRun(100, func() {
		f := BeginOp(c)
		defer Begin(Gradient, "AddBackward0").End()
		Allocated(0, 1, Held{})
		f.End()
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

// TestFramesLeftByAPanic ends with the frame around them.
func TestFramesLeftByAPanic(t *testing.T) {
	r := Start(Settings{Limit: 10, Now: func() time.Duration { return 0 }})
	outer := Begin(Region, "outer")
	Begin(Op, "left")
	outer.End()
	Begin(Op, "next").End()
	r.Stop()
	events, _ := r.Events()
	if e := events[2]; e.Name != "next" || e.Parent != NoParent || events[1].Timed {
		t.Errorf("got %+v", events)
	}
}

// TestGoroutinesAreToldApart has goroutines that live at once.
func TestGoroutinesAreToldApart(t *testing.T) {
	const n = 8
	var all, met sync.WaitGroup
	met.Add(n)
	var seen sync.Map
	for range n {
		all.Go(func() {
			seen.Store(goroutine(), true)
			met.Done()
			met.Wait()
			if _, ok := seen.Load(goroutine()); !ok {
				t.Error("a goroutine has two identities")
			}
		})
	}
	all.Wait()
	count := 0
	seen.Range(func(any, any) bool { count++; return true })
	if count != n {
		t.Errorf("%d identities of %d goroutines", count, n)
	}
}

func BenchmarkOff(b *testing.B) {
	c := backend.NewCall(op.Add, dtype.Float32)
	defer c.Release()
	for b.Loop() {
		BeginOp(c).End()
	}
}

func BenchmarkOn(b *testing.B) {
	start := time.Now()
	r := Start(Settings{Limit: 1 << 16, Now: func() time.Duration { return time.Since(start) }})
	defer r.Stop()
	c := backend.NewCall(op.Add, dtype.Float32)
	defer c.Release()
	for b.Loop() {
		BeginOp(c).End()
	}
}
