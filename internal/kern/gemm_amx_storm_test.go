//go:build unix

package kern

import (
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"

	"cresset/dtype"
	"cresset/internal/kern/vec"
)

// TestAMXSurvivesSignals multiplies on more goroutines than there are cores, while the process gets the signal by which Go preempts goroutines, and the collector stops
// them: threads change in the midst of a micro-kernel, goroutines change threads between two of them, and the system saves the tile registers for the signal's
// handler. Each product has the bits that it has undisturbed.
func TestAMXSurvivesSignals(t *testing.T) {
	needAMX(t)
	const goroutines, products = 8, 12
	rng := rand.New(rand.NewPCG(21, 22))
	stop := disturb(t)
	defer stop()
	var all sync.WaitGroup
	for g := range goroutines {
		m, n, k := 40+g, 33+16*g, 600+g // with tiles of all heights, columns in part, and several blocks of k
		a, b := halves(randomMatrix[float32](rng, m, k, 0)), halves(randomMatrix[float32](rng, k, n, 0))
		all.Go(func() {
			var want []dtype.BF16
			for range products {
				c := make([]dtype.BF16, m*n)
				p := amxProduct[dtype.BF16]{m: m, n: n, k: k, a: a, b: b, c: c, ldc: n}
				p.run(inline)
				if want == nil {
					want = c
				}
				if !slices.Equal(c, want) {
					t.Errorf("goroutine %d: bits have changed", g)
				}
				runtime.Gosched()
			}
			for _, at := range []int{0, m*n - 1} { // in Go, which has no registers to lose
				if got := amxElementInGo(a, b, at/n, at%n, k); want[at] != got {
					t.Errorf("goroutine %d: element %d is %v, want %v", g, at, want[at].Float32(), got.Float32())
				}
			}
		})
	}
	all.Wait()
}

// TestByteTilesSurviveSignals is that for products with int8 weights, whose bits are those of another level.
func TestByteTilesSurviveSignals(t *testing.T) {
	if !vec.HasByteTiles() {
		t.Skip("this machine, at this level, has no tiles of bytes")
	}
	const goroutines, products, m, n, k = 4, 12, 18, 75, 1100
	rng := rand.New(rand.NewPCG(23, 24))
	_, x := fixedRows(t, rng, m, k, 3, false)
	p := Int8Linear{X: x, N: n, W: randomInt8(rng, n*k), Scale: randomFloats(rng, n), Y: make([]float32, m*n)}
	p.rows(0, n)
	stop := disturb(t)
	defer stop()
	var all sync.WaitGroup
	for g := range goroutines {
		p := p
		want := p.Y
		p.Y = make([]float32, m*n)
		all.Go(func() {
			for range products {
				clear(p.Y)
				p.runTiles(inline)
				if !slices.Equal(p.Y, want) {
					t.Errorf("goroutine %d: bits have changed", g)
				}
				runtime.Gosched()
			}
		})
	}
	all.Wait()
}

// disturb sends the process signals, and has the collector stop it, until the function that it returns is called.
func disturb(t *testing.T) (stop func()) {
	disturbed := make(chan struct{})
	var noise sync.WaitGroup
	noise.Go(func() {
		for {
			select {
			case <-disturbed:
				return
			default:
				if err := syscall.Kill(os.Getpid(), syscall.SIGURG); err != nil {
					t.Error(err)
					return
				}
				runtime.GC()
			}
		}
	})
	return func() {
		close(disturbed)
		noise.Wait()
	}
}

// amxElementInGo is an element of a product by the description of the micro-kernel's arithmetic.
func amxElementInGo(a, b Matrix[dtype.BF16], i, j, k int) dtype.BF16 {
	var sum float32
	row, column := make([]dtype.BF16, vec.AMXSteps), make([]dtype.BF16, vec.AMXSteps)
	for l := 0; l < k; l += vec.AMXSteps {
		clear(row)
		clear(column)
		for h := range min(vec.AMXSteps, k-l) {
			row[h], column[h] = a.Data[i*a.Row+(l+h)*a.Col], b.Data[(l+h)*b.Row+j*b.Col]
		}
		sum = amxStep(sum, row, column)
	}
	return dtype.ToBF16(sum)
}
