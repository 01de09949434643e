package par

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// withProcs runs the rest of the test with n processors.
func withProcs(t testing.TB, n int) {
	old := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(old) })
}

func TestForVisitsEveryElementOnce(t *testing.T) {
	withProcs(t, 4)
	for _, n := range []int{-1, 0, 1, 2, 3, 7, 64, 255, 256, 257, 1000, 4099} {
		for _, grain := range []int{-1, 0, 1, 2, 3, 64, 1000, 5000} {
			visits := make([]atomic.Int32, max(n, 0))
			For(n, grain, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					visits[i].Add(1)
				}
			})
			for i := range visits {
				if got := visits[i].Load(); got != 1 {
					t.Fatalf("n %d grain %d: element %d visited %d times", n, grain, i, got)
				}
			}
		}
	}
}

func TestChunksFollowFromTheLoopAlone(t *testing.T) {
	bounds := func(n, grain int) []int {
		var mu sync.Mutex
		var los []int
		For(n, grain, func(lo, hi int) {
			mu.Lock()
			defer mu.Unlock()
			los = append(los, lo)
			if n >= grain && hi-lo < grain {
				t.Errorf("n %d grain %d: chunk [%d, %d) is smaller than the grain", n, grain, lo, hi)
			}
			if lo%grain != 0 || (hi%grain != 0 && hi != n) {
				t.Errorf("n %d grain %d: [%d, %d) does not lie on the grain", n, grain, lo, hi)
			}
		})
		slices.Sort(los)
		return los
	}
	for _, n := range []int{1, 5, 100, 999, 100_000} {
		for _, grain := range []int{1, 3, 16, 64} {
			var want []int
			for _, procs := range []int{1, 2, 3, 8} {
				old := runtime.GOMAXPROCS(procs)
				got := bounds(n, grain)
				runtime.GOMAXPROCS(old)
				if want == nil {
					want = got
				}
				if !slices.Equal(got, want) {
					t.Errorf("n %d grain %d: with %d procs chunks start at %v, with one at %v", n, grain, procs, got, want)
				}
			}
			if len(want) > maxChunks {
				t.Errorf("n %d grain %d: %d chunks, more than %d", n, grain, len(want), maxChunks)
			}
		}
	}
}

func TestInline(t *testing.T) {
	for _, tc := range []struct {
		n, grain int
		want     bool
	}{{0, 8, true}, {8, 8, true}, {15, 8, true}, {16, 8, false}, {1, 0, true}, {2, 0, false}} {
		calls := 0
		old := runtime.GOMAXPROCS(1)
		For(tc.n, tc.grain, func(lo, hi int) { calls++ })
		runtime.GOMAXPROCS(old)
		if got := Inline(tc.n, tc.grain); got != tc.want || got != (calls <= 1) {
			t.Errorf("Inline(%d, %d) = %v with %d calls, want %v", tc.n, tc.grain, got, calls, tc.want)
		}
	}
}

func TestDo(t *testing.T) {
	withProcs(t, 4)
	var sum atomic.Int64
	Do(1000, func(i int) { sum.Add(int64(i)) })
	if got, want := sum.Load(), int64(1000*999/2); got != want {
		t.Errorf("sum = %d, want %d", got, want)
	}
}

func TestNestedLoops(t *testing.T) {
	withProcs(t, 4)
	var count atomic.Int64
	For(20, 1, func(lo, hi int) {
		for range hi - lo {
			For(30, 1, func(lo, hi int) {
				Do(hi-lo, func(int) { count.Add(1) })
			})
		}
	})
	if got := count.Load(); got != 600 {
		t.Errorf("inner bodies ran %d times, want 600", got)
	}
}

func TestLoopsFromManyGoroutines(t *testing.T) {
	withProcs(t, 4)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			data := make([]int, 1000)
			for round := range 200 {
				For(len(data), 50, func(lo, hi int) {
					for i := lo; i < hi; i++ {
						data[i] += i + g
					}
				})
				for i, got := range data {
					if want := (i + g) * (round + 1); got != want {
						t.Errorf("goroutine %d round %d: data[%d] = %d, want %d", g, round, i, got, want)
						return
					}
				}
			}
		})
	}
	all.Wait()
}

func TestPanicReachesTheCaller(t *testing.T) {
	withProcs(t, 4)
	boom := errors.New("boom")
	for at := range 16 {
		got := caught(func() {
			Do(16, func(i int) {
				if i == at {
					panic(boom)
				}
			})
		})
		if got != boom {
			t.Fatalf("panic in chunk %d arrived as %v", at, got)
		}
	}
	if workers.busy.Load() || workers.state.Load() != 0 {
		t.Error("a panic left the workers taken")
	}
}

func TestPanicOnAWorker(t *testing.T) {
	withProcs(t, 2)
	boom := errors.New("boom")
	met := make(chan struct{})
	var first atomic.Bool
	got := caught(func() {
		// The caller's chunk ends only after another thread has begun, and only that one panics.
		Do(2, func(int) {
			if first.CompareAndSwap(false, true) {
				<-met
				return
			}
			close(met)
			panic(boom)
		})
	})
	if got != boom {
		t.Errorf("got %v, want %v", got, boom)
	}
}

func TestGoexitOnAWorkerDoesNotHang(t *testing.T) {
	withProcs(t, 2)
	caller := make(chan any, 1)
	go func() {
		defer func() { caller <- recover() }()
		self := make(chan struct{})
		var first atomic.Bool
		Do(2, func(int) {
			if first.CompareAndSwap(false, true) {
				<-self
				return
			}
			defer close(self)
			runtime.Goexit()
		})
	}()
	// Whichever thread got the fatal chunk, the loop ends: on a worker with the error, on the caller's own goroutine with
	// its exit.
	if got := <-caller; got != nil && got != errGoexit {
		t.Errorf("got %v, want %v or nothing", got, errGoexit)
	}
	TestDo(t)
}

func caught(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestWorkersSleepAndWake(t *testing.T) {
	withProcs(t, 2)
	for range 20 {
		var sum atomic.Int64
		Do(8, func(i int) { sum.Add(int64(i)) })
		if got := sum.Load(); got != 28 {
			t.Fatalf("sum = %d, want 28", got)
		}
		time.Sleep(2 * spinFor)
	}
}

func TestNumThreads(t *testing.T) {
	withProcs(t, 3)
	defer SetNumThreads(0)
	for _, tc := range []struct{ set, want int }{{0, 3}, {1, 1}, {2, 2}, {9, 3}, {-4, 3}} {
		SetNumThreads(tc.set)
		if got := NumThreads(); got != tc.want {
			t.Errorf("after SetNumThreads(%d): %d threads, want %d", tc.set, got, tc.want)
		}
	}
}

func TestThreadsStayWithinTheLimit(t *testing.T) {
	withProcs(t, 4)
	Do(8, func(int) {}) // the pool of four exists
	for _, limit := range []int{1, 2, 3} {
		SetNumThreads(limit)
		var now, most atomic.Int32
		Do(64, func(int) {
			n := now.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			time.Sleep(20 * time.Microsecond)
			now.Add(-1)
		})
		if got := int(most.Load()); got > limit {
			t.Errorf("%d bodies ran at once with %d threads", got, limit)
		}
	}
	SetNumThreads(0)
}

func TestForDoesNotAllocate(t *testing.T) {
	data := make([]float32, 1<<10)
	body := func(lo, hi int) {
		for i := lo; i < hi; i++ {
			data[i]++
		}
	}
	for _, procs := range []int{1, 2} {
		for _, grain := range []int{64, len(data)} {
			old := runtime.GOMAXPROCS(procs)
			For(len(data), grain, body)
			got := testing.AllocsPerRun(100, func() { For(len(data), grain, body) })
			runtime.GOMAXPROCS(old)
			if got >= 1 {
				t.Errorf("%d procs, grain %d: %v allocations", procs, grain, got)
			}
		}
	}
}

// BenchmarkForkJoin is the cost of a loop whose chunks do nothing, with the workers awake.
func BenchmarkForkJoin(b *testing.B) {
	for _, chunks := range []int{1, 2, 8} {
		b.Run(fmt.Sprint(chunks), func(b *testing.B) {
			b.ReportAllocs()
			body := func(lo, hi int) {}
			for b.Loop() {
				For(chunks, 1, body)
			}
		})
	}
}

// BenchmarkWork is two pieces of about 20 us each: 20 us is ideal, 40 serial. After a gap the workers sleep.
func BenchmarkWork(b *testing.B) {
	var sink [2]struct {
		sum float64
		_   [56]byte
	}
	body := func(lo, hi int) {
		for i := lo; i < hi; i++ {
			x := 1.0
			for range 12_000 {
				x = x*1.0000001 + 1e-9
			}
			sink[i].sum = x
		}
	}
	b.Run("serial", func(b *testing.B) {
		for b.Loop() {
			body(0, 2)
		}
	})
	b.Run("hot", func(b *testing.B) {
		for b.Loop() {
			For(2, 1, body)
		}
	})
	b.Run("gap", func(b *testing.B) {
		var busy time.Duration
		for b.Loop() {
			for start := time.Now(); time.Since(start) < 500*time.Microsecond; {
			}
			start := time.Now()
			For(2, 1, body)
			busy += time.Since(start)
		}
		b.ReportMetric(float64(busy.Nanoseconds())/float64(b.N), "work-ns/op")
	})
}
