package sim

import (
	"testing"

	"cresset/internal/driver"
)

func TestOccupancy(t *testing.T) {
	b := start(t, "h100", 1)
	tile := b.kernel("tile") // 1 KiB of static shared memory, as the kernel's bounds allow it registers
	b.known = func(kernel string, capability int) int {
		if kernel != "tile" || capability != 90 {
			t.Errorf("asked for %s on %d", kernel, capability)
		}
		return 64
	}
	for _, c := range []struct {
		threads int32
		shared  uint64
		want    int32
	}{{256, 0, 4}, {128, 0, 8}, {128, 99 << 10, 2}, {128, 226 << 10, 1}, {128, 227 << 10, 0}} {
		if n, r := b.api.OccupancyMaxActiveBlocks(b.ctx, tile, c.threads, c.shared); n != c.want || r != driver.Success {
			t.Errorf("%d threads, %d bytes: got %d, %v, want %d", c.threads, c.shared, n, r, c.want)
		}
	}
	_, r := b.api.OccupancyMaxActiveBlocks(b.ctx, tile, 0, 0)
	b.want(driver.ErrInvalidValue, r)
	_, r = b.api.OccupancyMaxActiveBlocks(b.ctx, 0, 256, 0)
	b.want(driver.ErrInvalidHandle, r)
	pairs := &driver.Launch{Grid: driver.Dim{X: 400, Y: 1, Z: 1}, Block: driver.Dim{X: 256, Y: 1, Z: 1}, Shared: 110 << 10, Cluster: driver.Dim{X: 2, Y: 1, Z: 1}}
	if n, r := b.api.OccupancyMaxActiveClusters(b.ctx, tile, pairs); n != 2*66 || r != driver.Success {
		t.Errorf("clusters: got %d, %v", n, r)
	}
	b.known = nil
	if n, r := b.api.OccupancyMaxActiveBlocks(b.ctx, tile, 256, 0); n != 8 || r != driver.Success {
		t.Errorf("a kernel without bounds: got %d, %v", n, r)
	}
}
