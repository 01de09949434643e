package sim

import (
	"testing"

	"cresset/internal/driver"
)

func TestLostDevice(t *testing.T) {
	b := start(t, "t4", 2)
	s := b.stream(0)
	b.ok(b.launch(b.kernel("wait"), s))
	b.Lose(0)
	close(b.gate)
	b.want(driver.ErrUnknown, b.api.StreamSynchronize(b.ctx, s))
	b.explained("the GPU at 00000000:01:00.0 has been lost")
	b.ok(b.api.CtxSynchronize(b.retain(1)))
	if n, _ := b.api.DeviceGetCount(); n != 2 {
		t.Errorf("got %d devices: a lost one keeps its number", n)
	}
}
