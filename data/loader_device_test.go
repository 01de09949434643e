package data

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/backend"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestLoaderCopiesAhead: batches are on the GPU when the loop gets them, and a scope gives back the copies, those too that no loop took.
func TestLoaderCopiesAhead(t *testing.T) {
	devicetest.Simulate(t)
	gpu := device.CUDA(0)
	kept := tensor.On(gpu).Ones(1) // so that the GPU is open
	defer runtime.KeepAlive(kept)
	before := cuda.MemoryAllocated(0)
	for _, workers := range []int{0, 3} {
		for _, pin := range []bool{false, true} {
			for _, most := range []int{2, 5} {
				l := NewLoader(&numbers{n: 20}, BatchSize(4), Workers(workers), PinMemory(pin), To(gpu), Scopes(true))
				taken := 0
				for b, err := range l.All(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}
					if b.Inputs.Device() != gpu || b.Targets.Device() != gpu || b.Scope == nil {
						t.Errorf("%d workers, pinned %t: a batch on %v and %v", workers, pin, b.Inputs.Device(), b.Targets.Device())
					}
					want := []float32{float32(4 * taken), float32(4*taken + 1), float32(4*taken + 2), float32(4*taken + 3)}
					if got := tensor.Values[float32](b.Inputs.AddScalar(1).CPU()); !slices.Equal(got, []float32{want[0] + 1, want[1] + 1, want[2] + 1, want[3] + 1}) {
						t.Errorf("%d workers, pinned %t: batch %d is %v", workers, pin, taken, got)
					}
					if taken++; taken == most {
						break
					}
				}
				if after := cuda.MemoryAllocated(0); after != before {
					t.Errorf("%d workers, pinned %t, %d batches: %d bytes are left on the GPU", workers, pin, taken, after-before)
				}
			}
		}
	}
}

// TestLoaderPinsWhatGoesToAGPU has the default, and what a program says in its place, by the copies that were made.
func TestLoaderPinsWhatGoesToAGPU(t *testing.T) {
	devicetest.Simulate(t)
	const copies = 6 // three batches of inputs and targets
	for _, c := range []struct {
		name                 string
		opts                 []LoaderOption
		pinned, inBackground int
	}{
		{"by default", []LoaderOption{To(device.CUDA(0))}, copies, copies},
		{"with workers", []LoaderOption{To(device.CUDA(0)), Workers(2)}, copies, copies},
		{"asked not to", []LoaderOption{To(device.CUDA(0)), PinMemory(false)}, 0, 0},
		{"on the CPU", []LoaderOption{To(device.CPU)}, 0, 0},
	} {
		var mu sync.Mutex
		pinned, inBackground := 0, 0
		stop := backend.Watch(func(tr *backend.Transfer) {
			mu.Lock()
			defer mu.Unlock()
			if tr.Pinned {
				pinned++
			}
			if tr.Background {
				inBackground++
			}
		})
		for _, err := range NewLoader(&numbers{n: 3}, c.opts...).All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
		}
		stop()
		if pinned != c.pinned || inBackground != c.inBackground {
			t.Errorf("%s: %d copies out of pinned memory and %d in the background, want %d and %d", c.name, pinned, inBackground, c.pinned, c.inBackground)
		}
	}
}

// TestLoaderPins: without a device the batches stay in pinned memory; what cannot be pinned or moved is an error of the loop.
func TestLoaderPins(t *testing.T) {
	devicetest.Simulate(t)
	for _, workers := range []int{0, 2} {
		for b, err := range NewLoader(&numbers{n: 3}, Workers(workers), PinMemory(true)).All(t.Context()) {
			if err != nil || !b.Inputs.IsPinned() || !b.Targets.IsPinned() {
				t.Errorf("got %v, %v", b.Inputs, err)
			}
		}
		there := FromTensors(tensor.On(device.CUDA(0)).Ones(2, 2), nil)
		for _, err := range NewLoader(there, Workers(workers), PinMemory(true), Scopes(true)).All(t.Context()) {
			if !errors.Is(err, tensor.ErrDevice) {
				t.Errorf("got %v", err)
			}
		}
		for _, err := range NewLoader(there, Workers(workers), To(device.CUDA(99))).All(t.Context()) {
			if !errors.Is(err, tensor.ErrDevice) {
				t.Errorf("got %v", err)
			}
		}
	}
}
