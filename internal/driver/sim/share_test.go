package sim

import (
	"testing"
	"testing/synctest"
	"time"

	"cresset/internal/driver"
	"cresset/internal/hardware"
	"cresset/internal/tenants"
)

// neighbours returns two programs at one machine with a GPU.
func neighbours(t *testing.T) (a, b *bench, uuid string) {
	t.Helper()
	m, err := hardware.Preset("t4", 1)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	a = startMachine(t, m, Options{Tenants: tenants.Join(folder)})
	b = startMachine(t, m, Options{Tenants: tenants.Join(folder)})
	return a, b, m.GPUs[0].UUID
}

func TestOthersHoldMemory(t *testing.T) {
	a, b, _ := neighbours(t)
	p := a.alloc(10 << 30)
	_, r := b.api.MemAlloc(b.ctx, 6<<30)
	b.want(driver.ErrOutOfMemory, r)
	b.explained("5368709120 of 16106127360 are free")
	time.Sleep(recent)
	if free, total, _ := b.api.MemGetInfo(b.ctx); free != 5<<30 || total != 15<<30 {
		t.Errorf("got %d of %d", free, total)
	}
	b.ok(b.api.MemFree(b.ctx, b.alloc(5<<30)))
	a.ok(a.api.MemFree(a.ctx, p))
	b.eventually(func() bool {
		free, _, _ := b.api.MemGetInfo(b.ctx)
		return free == 15<<30
	})
}

// TestRelease: a program that gives its context back is off the machine.
func TestRelease(t *testing.T) {
	a, b, _ := neighbours(t)
	a.alloc(1 << 30)
	if all := b.share.table.Others(0); len(all) != 1 || all[0].GPUs[0].Memory != 1<<30 {
		t.Fatalf("got %+v", all)
	}
	a.ok(a.api.DevicePrimaryCtxRelease(0))
	b.eventually(func() bool { return len(b.share.table.Others(0)) == 0 })
}

// TestBusy: others see that kernels run, and that they have ended.
func TestBusy(t *testing.T) {
	a, b, uuid := neighbours(t)
	percent := func() int {
		for _, other := range b.share.table.Others(0) {
			for _, u := range other.GPUs {
				if u.UUID == uuid {
					return u.Utilization
				}
			}
		}
		return -1
	}
	a.ok(a.launch(a.kernel("wait"), 0))
	b.eventually(func() bool { return percent() > 90 })
	close(a.gate)
	b.eventually(func() bool { return percent() == 0 })
}

// TestAlone: without others nothing beats.
func TestAlone(t *testing.T) {
	b := start(t, "t4", 1)
	b.alloc(1 << 30)
	if b.share.ticking || b.share.shown != nil {
		t.Error("a driver of its own machine tells others of itself")
	}
}

// eventually waits for what another program is told within an interval or two.
func (b *bench) eventually(ok func() bool) {
	b.Helper()
	for range 1000 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.Error("it never happened")
}

func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &meter{}
		m.reading()
		step := func(d time.Duration, want int) {
			t.Helper()
			time.Sleep(d)
			if got := m.reading(); got != want {
				t.Errorf("got %d%%, want %d%%", got, want)
			}
		}
		step(time.Second, 0)
		m.begin()
		time.Sleep(time.Second)
		m.begin() // a second stream's
		m.end()
		step(3*time.Second, 100)
		time.Sleep(time.Second)
		m.end()
		step(3*time.Second, 25)
		step(0, 0)
	})
}
