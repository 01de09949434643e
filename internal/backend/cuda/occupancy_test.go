package cuda

import (
	"testing"

	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/driver"
)

// TestOccupancyIsAskedOnce has a driver that knows, one that knows no clusters, and one that fails. The fake GPU has 20 multiprocessors of 2048 threads.
func TestOccupancyIsAskedOnce(t *testing.T) {
	flat := kernels.Flat(1<<20, 1<<20)
	pairs := kernels.Grid{Blocks: [3]uint32{5000, 1, 1}, Threads: [3]uint32{384, 1, 1}, Cluster: [3]uint32{2, 1, 1}, Shared: 200 << 10}
	for name, c := range map[string]struct {
		grid     kernels.Grid
		blocks   driver.Result
		clusters bool
		want     uint32
	}{
		"blocks":                     {flat, driver.Success, true, 20 * 3},
		"a driver that does not say": {flat, driver.ErrInvalidValue, true, 20 * 8},
		"clusters":                   {pairs, driver.Success, true, 2 * 7},
		"a driver without clusters":  {pairs, driver.Success, false, 20 * 3},
	} {
		f, asked := newFakeDriver(), 0
		f.api.OccupancyMaxActiveBlocks = func(driver.Context, driver.Function, int32, uint64) (int32, driver.Result) {
			asked++
			return 3, c.blocks
		}
		f.api.OccupancyMaxActiveClusters = nil
		if c.clusters {
			f.api.OccupancyMaxActiveClusters = func(driver.Context, driver.Function, *driver.Launch) (int32, driver.Result) {
				asked++
				return 7, driver.Success
			}
		}
		var launched []uint32
		f.api.LaunchKernel = func(_ driver.Context, _ driver.Function, grid, _ driver.Dim, _ uint32, _ driver.Stream, _ []byte) driver.Result {
			launched = append(launched, grid.X)
			return driver.Success
		}
		f.api.LaunchKernelEx = func(_ driver.Context, _ driver.Function, l *driver.Launch, _ driver.Stream, _ []byte) driver.Result {
			launched = append(launched, l.Grid.X)
			return driver.Success
		}
		d := f.device(t)
		for _, walks := range []bool{true, true, false} {
			c.grid.Walks = walks
			if err := launch(d, kernel("add_f32"), c.grid, new(kernels.Elementwise)); err != nil {
				t.Fatal(err)
			}
		}
		if asked != 1 || launched[0] != c.want || launched[1] != c.want || launched[2] != c.grid.Blocks[0] {
			t.Errorf("%s: asked %d times, and launched %d blocks; want %d of those that walk", name, asked, launched, c.want)
		}
	}
}
