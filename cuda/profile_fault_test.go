package cuda_test

import (
	"math"
	"strings"
	"sync"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/driver"
	"cresset/tensor"
)

// TestProfilesSurviveTheDriver has each call that a profile makes fail, once and always: results stay, and what has no time is told.
func TestProfilesSurviveTheDriver(t *testing.T) {
	for _, call := range []string{"cuEventCreate", "cuEventRecord", "cuEventElapsedTime", "cuEventSynchronize", "cuEventQuery"} {
		for _, always := range []bool{false, true} {
			gpus := devicetest.Use(t, "h100:1")
			x := tensor.On(device.CUDA(0)).Ones(100)
			if err := cuda.Synchronize(0); err != nil {
				t.Fatal(err)
			}
			got := 0.0
			p := cuda.NewProfile()
			err := p.Run(func() {
				if always {
					gpus.Break(call, driver.ErrInvalidValue)
				} else {
					gpus.Fail(call, 0, driver.ErrInvalidValue)
				}
				got = x.MulScalar(3).Sum().Float64()
			})
			if err != nil || got != 300 {
				t.Errorf("%s, always %v: %v, got %v, want 300", call, always, err, got)
			}
			if count(p, "mul") != 1 || count(p, "sum") != 1 {
				t.Errorf("%s, always %v: got\n%s", call, always, p.KeyAverages().Table())
			}
			untimed := strings.Contains(p.KeyAverages().Table(), "have no time")
			if want := always && call != "cuEventQuery" && call != "cuEventSynchronize"; want && !untimed {
				t.Errorf("%s fails, and nobody says that times are missing:\n%s", call, p.KeyAverages().Table())
			}
		}
	}
}

// TestProfileOfAFailedLaunch wants the op's own error, and records what comes later.
func TestProfileOfAFailedLaunch(t *testing.T) {
	gpus := devicetest.Use(t, "h100:1")
	x := tensor.On(device.CUDA(0)).Ones(100)
	p := cuda.NewProfile()
	err := p.Run(func() {
		gpus.Fail("cuLaunchKernel", 0, driver.ErrInvalidValue)
		if err := tensor.Try(func() { x.Neg() }); err == nil || !strings.Contains(err.Error(), "invalid argument") {
			t.Errorf("got %v", err)
		}
		x.Neg()
	})
	if err != nil || count(p, "neg") != 2 || count(p, "neg_f32") != 1 {
		t.Errorf("%v\n%s", err, p.KeyAverages().Table())
	}
}

// TestProfileOfADeadGPU ends with a device that ends.
func TestProfileOfADeadGPU(t *testing.T) {
	devicetest.Use(t, "h100:1")
	x := tensor.On(device.CUDA(0)).Ones(4, 2)
	index := tensor.Of([]int{9}).CUDA(0)
	p := cuda.NewProfile()
	err := p.Run(func() {
		y := tensor.Embedding(x, index)
		if err := tensor.Try(func() { y.CPU() }); err == nil {
			t.Error("an index out of range is no error")
		}
	})
	if err != nil || count(p, "embedding") != 1 {
		t.Errorf("%v\n%s", err, p.KeyAverages().Table())
	}
}

// TestProfilesAmongGoroutines profiles what many goroutines do on two GPUs, while others look at it.
func TestProfilesAmongGoroutines(t *testing.T) {
	devicetest.Use(t, "h100:2")
	const goroutines, ops = 4, 300 // enough to settle in between
	for round := range 3 {
		p := cuda.NewProfile(cuda.RecordShapes(true), cuda.ProfileMemory(true))
		err := p.Run(func() {
			var all sync.WaitGroup
			for g := range goroutines {
				all.Go(func() {
					end := cuda.RecordFunction("goroutine")
					x := tensor.On(device.CUDA(g % 2)).Ones(4)
					for range ops {
						x = x.Neg()
					}
					end()
				})
			}
			all.Go(func() { p.KeyAverages().Table() })
			all.Wait()
		})
		if err != nil {
			t.Fatal(err)
		}
		kernels := 0.0
		for _, e := range p.KeyAverages().Events {
			switch e.Key {
			case "neg_f32":
				kernels = e.SelfCUDATimeTotal.Seconds()
				fallthrough
			case "neg":
				if e.Count != goroutines*ops {
					t.Errorf("round %d: %d times %s, want %d", round, e.Count, e.Key, goroutines*ops)
				}
			}
		}
		if want := goroutines * ops * 4e-6; math.Abs(kernels-want) > 0.01*want { // 4 us each, by the model
			t.Errorf("round %d: kernels took %g s, want %g", round, kernels, want)
		}
	}
}
