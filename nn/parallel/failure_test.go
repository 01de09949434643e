package parallel_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/internal/driver"
	"cresset/nn/parallel"
	"cresset/tensor"
)

// errBoom is what a replica panics with.
var errBoom = errors.New("boom")

// TestReplicasThatFail: whatever happens to replicas is one error in the order of the replicas, with nothing left behind, and
// the model goes on.
func TestReplicasThatFail(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(d *devicetest.GPUs, index int) // in each replica
		want []string                            // what the text has, in order
		is   error
	}{
		{"panics", func(_ *devicetest.GPUs, i int) {
			if i == 1 {
				panic("boom")
			}
		}, []string{"Caught panic in replica 1 on device 2.\nOriginal error: boom\n", "failure_test.go"}, tensor.ErrValue},
		{"an error", func(_ *devicetest.GPUs, i int) {
			if i != 1 {
				panic(errBoom)
			}
		}, []string{"Caught panic in replica 0 on device 0.\nOriginal error: boom\n", "Caught panic in replica 2 on device 1.\nOriginal error: boom\n"}, errBoom},
		{"a mistake with the runtime", func(_ *devicetest.GPUs, i int) {
			if i == 2 {
				_ = []int{}[i]
			}
		}, []string{"Caught panic in replica 2 on device 1.\nOriginal error: runtime error: index out of range [2] with length 0"}, tensor.ErrValue},
		{"a mistake with tensors", func(_ *devicetest.GPUs, i int) {
			if i > 0 {
				tensor.Ones(i + 1).Add(tensor.Ones(4))
			}
		}, []string{"Caught RuntimeError in replica 1 on device 2.\nOriginal error: The size of tensor a (2) must match",
			"Caught RuntimeError in replica 2 on device 1.\nOriginal error: The size of tensor a (3) must match"}, tensor.ErrShape},
		{"an index", func(_ *devicetest.GPUs, i int) {
			if i == 1 {
				tensor.Ones(3).Select(0, 7)
			}
		}, []string{"Caught IndexError in replica 1 on device 2.\n"}, tensor.ErrIndex},
		{"leaves", func(_ *devicetest.GPUs, i int) {
			if i == 1 {
				runtime.Goexit()
			}
		}, []string{"Caught panic in replica 1 on device 2.\nOriginal error: the goroutine was ended by runtime.Goexit"}, tensor.ErrValue},
		{"more memory than there is", func(_ *devicetest.GPUs, i int) {
			if i == 1 {
				tensor.On(device.CUDA(2)).Empty(1 << 40)
			}
		}, []string{"Caught OutOfMemoryError in replica 1 on device 2.\nOriginal error: CUDA out of memory. Tried to allocate 4096.00 GiB. GPU 2"}, tensor.ErrMemory},
	} {
		t.Run(c.name, func(t *testing.T) {
			driver := devicetest.Use(t, "3")
			s := newSpy()
			d := wrap(t, s, parallel.DeviceIDs(0, 2, 1))
			step := func(do func(*devicetest.GPUs, int)) error {
				return tensor.Try(func() {
					y := parallel.Call(d, tensor.Ones(6), func(s *spy, x *tensor.Tensor) *tensor.Tensor {
						y := s.Forward(x)
						do(driver, map[device.Device]int{device.CUDA(0): 0, device.CUDA(2): 1, device.CUDA(1): 2}[x.Device()])
						return y
					})
					y.Sum().Backward()
				})
			}
			fine := func(*devicetest.GPUs, int) {}
			if err := step(fine); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond) // workers of the simulator end by themselves
			goroutines, held := runtime.NumGoroutine(), allocated()
			err := step(c.do)
			checkFailure(t, err, c.want, c.is)
			if n := settled(runtime.NumGoroutine, goroutines); n > goroutines {
				t.Errorf("%d goroutines, %d before", n, goroutines)
			}
			for i := range held {
				if n := settled(func() int { return int(cuda.MemoryAllocated(i)) }, int(held[i])); n > int(held[i]) {
					t.Errorf("cuda:%d holds %d bytes, %d before", i, n, held[i])
				}
			}
			s.Scale.SetGrad(nil)
			if err := step(fine); err != nil || s.Scale.Grad().Float64() != 6 {
				t.Errorf("the step after it: %v, the gradient is %v", err, s.Scale.Grad())
			}
		})
	}
}

func checkFailure(t *testing.T, err error, want []string, is error) {
	t.Helper()
	var failed *tensor.Error
	var replica *parallel.ReplicaError
	if !errors.As(err, &failed) || !errors.As(err, &replica) || !errors.Is(err, is) {
		t.Fatalf("got %v, want a tensor.Error that leads to a ReplicaError and to %v", err, is)
	}
	rest := err.Error()
	if !strings.HasPrefix(rest, want[0]) {
		t.Errorf("got %s\nwant it to begin with %s", rest, want[0])
	}
	for _, w := range want {
		_, after, ok := strings.Cut(rest, w)
		if !ok {
			t.Errorf("got %s\nwant then %s", rest, w)
		}
		rest = after
	}
}

// settled returns what read comes to when the simulator's workers have ended and the collector took its turn.
func settled(read func() int, want int) int {
	n := read()
	for range 200 {
		if n <= want {
			break
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
		n = min(n, read())
	}
	return n
}

func allocated() []int64 {
	held := make([]int64, cuda.DeviceCount())
	for i := range held {
		held[i] = cuda.MemoryAllocated(i)
	}
	return held
}

// TestEveryCallMayFail has each call of a step fail in turn: that is an error, and the next step is as if nothing had been.
func TestEveryCallMayFail(t *testing.T) {
	for _, symbol := range []string{"cuLaunchKernel", "cuMemcpy*", "cuEvent*", "cuStreamWaitEvent"} {
		t.Run(symbol, func(t *testing.T) { everyCall(t, symbol) })
	}
}

func everyCall(t *testing.T, symbol string) {
	faulty := devicetest.Use(t, "2")
	s := newSpy()
	d := wrap(t, s)
	step := func() error {
		s.Scale.SetGrad(nil)
		return tensor.Try(func() {
			s.Scale.Detach().FillInPlace(1) // so that it is copied again
			d.Forward(tensor.Ones(6)).Sum().Backward()
		})
	}
	for failures := 0; ; failures++ {
		if err := step(); err != nil || s.Scale.Grad().Float64() != 6 {
			t.Fatalf("after %d failures: %v, the gradient is %v", failures, err, s.Scale.Grad())
		}
		faulty.Fail(symbol, failures, driver.ErrInvalidValue)
		if step() != nil {
			continue
		}
		if failures == 0 {
			t.Error("nothing failed")
		}
		return
	}
}

// TestEveryAllocationMayFail does the same with what the first step takes from devices.
func TestEveryAllocationMayFail(t *testing.T) {
	for failures := 0; ; failures++ {
		faulty := devicetest.Use(t, "2")
		s := newSpy()
		d := wrap(t, s)
		step := func() error { return tensor.Try(func() { d.Forward(tensor.Ones(6)).Sum().Backward() }) }
		faulty.Fail("cuMem*Alloc*", failures, driver.ErrInvalidValue)
		if step() == nil {
			if failures == 0 {
				t.Error("nothing failed")
			}
			return
		}
		s.Scale.SetGrad(nil)
		if err := step(); err != nil || s.Scale.Grad().Float64() != 6 {
			t.Fatalf("after %d failures: %v, the gradient is %v", failures, err, s.Scale.Grad())
		}
	}
}

// TestLostDevice: what is lost is told, and the others go on without it.
func TestLostDevice(t *testing.T) {
	driver := devicetest.Use(t, "3")
	s := newSpy()
	d := wrap(t, s)
	forward := func(d *parallel.DataParallel[*spy]) error {
		return tensor.Try(func() {
			y := d.Forward(tensor.Arange(0, 6, 1).Float())
			y.Sum().Backward()
			if got := tensor.Values[int64](y.Detach()); !slices.Equal(got, []int64{0, 1, 2, 3, 4, 5}) {
				t.Errorf("got %v", got)
			}
		})
	}
	if err := forward(d); err != nil {
		t.Fatal(err)
	}
	driver.Lose(1)
	for range 2 {
		if err := forward(d); err == nil || !strings.Contains(err.Error(), "CUDA error") || !errors.Is(err, tensor.ErrDevice) {
			t.Errorf("got %v, want the loss of a device", err)
		}
	}
	if err := forward(wrap(t, s, parallel.DeviceIDs(0, 2))); err != nil {
		t.Errorf("the other devices: %v", err)
	}
}
