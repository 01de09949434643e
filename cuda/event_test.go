package cuda_test

import (
	"math"
	"strings"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/driver"
	"cresset/tensor"
)

func TestEventsTellTheModelledTime(t *testing.T) {
	devicetest.Use(t, "h100:1")
	x := tensor.On(device.CUDA(0)).Ones(4)
	var start, between, end cuda.Event
	record := func(e *cuda.Event) {
		t.Helper()
		if err := e.Record(0); err != nil {
			t.Fatal(err)
		}
	}
	record(&end) // records again below
	record(&start)
	x.Neg()
	record(&between)
	x.Neg().Neg()
	record(&end)
	if err := end.Synchronize(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to *cuda.Event
		want     float64 // 4 us for a kernel
	}{{&start, &between, 0.004}, {&between, &end, 0.008}, {&start, &end, 0.012}, {&end, &start, -0.012}, {&end, &end, 0}} {
		if got, err := c.from.ElapsedTime(c.to); err != nil || math.Abs(got-c.want) > 1e-4 {
			t.Errorf("got %v ms, %v, want %v", got, err, c.want)
		}
	}
	if done, err := end.Query(); !done || err != nil {
		t.Errorf("Query: %v, %v", done, err)
	}
}

// TestEventsMarkCopiesInTheBackground has the event behind a copy that nothing else waits for.
func TestEventsMarkCopiesInTheBackground(t *testing.T) {
	devicetest.Use(t, "h100:1")
	x := tensor.Ones(1 << 16).PinMemory()
	var start, end cuda.Event
	if err := start.Record(); err != nil {
		t.Fatal(err)
	}
	x.To(device.CUDA(0), tensor.NonBlocking(true))
	if err := end.Record(); err != nil {
		t.Fatal(err)
	}
	if err := end.Synchronize(); err != nil {
		t.Fatal(err)
	}
	if got, err := start.ElapsedTime(&end); err != nil || got < 0.004 { // most of the copy, which began before
		t.Errorf("got %v ms, %v", got, err)
	}
}

func TestEventsOfOtherDevices(t *testing.T) {
	devicetest.Use(t, "h100:2")
	var a, b, none cuda.Event
	x := tensor.On(device.CUDA(1)).Ones(4)
	for i, e := range []*cuda.Event{&a, &b} {
		if err := e.Record(i); err != nil {
			t.Fatal(err)
		}
	}
	wrong := func(name string, err error, want string) {
		t.Helper()
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	wrong("Record on another device", a.Record(1), "Event device 0 does not match recording stream's device 1.")
	_, err := a.ElapsedTime(&b)
	wrong("ElapsedTime across devices", err, "CUDA error: invalid resource handle")
	const unrecorded = "Both events must be recorded before calculating elapsed time."
	_, err = a.ElapsedTime(&none)
	wrong("until one that was not recorded", err, unrecorded)
	_, err = none.ElapsedTime(&a)
	wrong("from one that was not recorded", err, unrecorded)
	wrong("Record on no device", none.Record(7), "CUDA error: invalid device ordinal")
	if done, err := none.Query(); !done || err != nil {
		t.Errorf("Query of one that was not recorded: %v, %v", done, err)
	}
	for name, err := range map[string]error{"Synchronize": none.Synchronize(), "Wait": none.Wait(0)} {
		if err != nil {
			t.Errorf("%s of one that was not recorded: %v", name, err)
		}
	}
	if err := a.Wait(1); err != nil {
		t.Error(err)
	}
	if got := x.Sum().Float64(); got != 4 {
		t.Errorf("got %v behind an event of another device, want 4", got)
	}
}

// TestEventsThatAreNotReached wants PyTorch's error while the GPU computes.
func TestEventsThatAreNotReached(t *testing.T) {
	gpus := devicetest.Use(t, "h100:1")
	var start, end cuda.Event
	if err := start.Record(); err != nil {
		t.Fatal(err)
	}
	if err := end.Record(); err != nil {
		t.Fatal(err)
	}
	gpus.Fail("cuEventQuery", 1, driver.ErrNotReady) // as if end was not reached
	_, err := start.ElapsedTime(&end)
	if want := "Both events must be completed before calculating elapsed time."; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	gpus.Fail("cuEventQuery", 0, driver.ErrNotReady)
	if done, err := end.Query(); done || err != nil {
		t.Errorf("Query: %v, %v", done, err)
	}
}

// TestEventsReturnWhatTheDriverRefuses has each call fail once.
func TestEventsReturnWhatTheDriverRefuses(t *testing.T) {
	for _, c := range []struct {
		call string
		do   func(recorded, other, fresh *cuda.Event) error
	}{
		{"cuEventCreate", func(_, _, fresh *cuda.Event) error { return fresh.Record() }},
		{"cuEventRecord", func(_, _, fresh *cuda.Event) error { return fresh.Record() }},
		{"cuEventRecord", func(recorded, _, _ *cuda.Event) error { return recorded.Record() }},
		{"cuEventSynchronize", func(recorded, _, _ *cuda.Event) error { return recorded.Synchronize() }},
		{"cuEventQuery", func(recorded, _, _ *cuda.Event) error { _, err := recorded.Query(); return err }},
		{"cuEventQuery", func(recorded, other, _ *cuda.Event) error { _, err := recorded.ElapsedTime(other); return err }},
		{"cuEventElapsedTime", func(recorded, other, _ *cuda.Event) error { _, err := recorded.ElapsedTime(other); return err }},
		{"cuStreamWaitEvent", func(recorded, _, _ *cuda.Event) error { return recorded.Wait() }},
	} {
		gpus := devicetest.Use(t, "h100:1")
		var recorded, other, fresh cuda.Event
		if err := recorded.Record(); err != nil {
			t.Fatal(err)
		}
		if err := other.Record(); err != nil {
			t.Fatal(err)
		}
		if err := cuda.Synchronize(); err != nil {
			t.Fatal(err)
		}
		gpus.Fail(c.call, 0, driver.ErrInvalidValue)
		if err := c.do(&recorded, &other, &fresh); err == nil || !strings.HasPrefix(err.Error(), "CUDA error: invalid argument") {
			t.Errorf("%s: got %v", c.call, err)
		}
		if err := c.do(&recorded, &other, &fresh); err != nil {
			t.Errorf("%s, again: %v", c.call, err)
		}
	}
}
