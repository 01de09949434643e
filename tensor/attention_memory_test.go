package tensor_test

import (
	"fmt"
	"runtime"
	"testing"

	"cresset/internal/mem"
	"cresset/internal/race"
	"cresset/tensor"
)

// TestAttentionMemoryGrowsWithLength refuses memory beyond a bound while a head of 32 Ki tokens attends to itself and is differentiated, by
// any number of threads: its scores alone would fill 4 GiB. A window bounds the work of the test, not the memory.
func TestAttentionMemoryGrowsWithLength(t *testing.T) {
	const tokens, width, bound = 32 << 10, 64, 256 << 20
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, threads := range []int{1, 16, 64} {
		if race.Enabled && threads != 16 {
			continue
		}
		runtime.GOMAXPROCS(threads)
		x := tensor.Rand(1, 1, tokens, width).SetRequiresGrad(true)
		mem.Collect()
		before := mem.ReadStats().Allocated
		mem.SetFault(func(bytes int) error {
			if held := mem.ReadStats().Allocated - before + int64(bytes); held > bound {
				return fmt.Errorf("%d bytes beside the operands, of which %d are asked for", held, bytes)
			}
			return nil
		})
		defer mem.SetFault(nil)
		y := tensor.ScaledDotProductAttention(x, x, x, tensor.IsCausal(true), tensor.SlidingWindow(256))
		y.Sum().Backward()
		if got := x.Grad().Shape(); got[2] != tokens {
			t.Errorf("%d threads: a gradient of shape %v", threads, got)
		}
	}
}
