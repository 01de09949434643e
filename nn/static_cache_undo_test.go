package nn_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cresset/cuda"
	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

// holds tells how many tokens a cache counts, on the host and on its device.
func holds(c *nn.StaticKVCache, dev device.Device) string {
	return fmt.Sprint(c.Length(), tensor.Values[int64](nn.PositionIDs(c, 1, dev)))
}

// TestStaticCacheForgetsRefusedRecordings: tokens of a recording that is refused are not the cache's, so that the step can be taken eagerly.
func TestStaticCacheForgetsRefusedRecordings(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		tensor.ManualSeed(1)
		prompt, token := tensor.On(dev).Randn(1, 2, 5, 4), tensor.On(dev).Randn(1, 2, 1, 4)
		fresh, cache := nn.NewStaticKVCache(dev, 1, 8), nn.NewStaticKVCache(dev, 1, 8)
		attend := func(c *nn.StaticKVCache, x *tensor.Tensor) *tensor.Tensor {
			return c.Attend(0, x, x, x, nn.Attention{})
		}
		refused := func(what string, f func(x *tensor.Tensor) *tensor.Tensor, x *tensor.Tensor, want string) {
			t.Helper()
			if err := tensor.Try(func() { tensor.Compile(f)(x) }); !errors.Is(err, tensor.ErrCompile) {
				t.Errorf("%s: %v", what, err)
			}
			if got := holds(cache, dev); got != want {
				t.Errorf("%s: the cache holds %s, not %s", what, got, want)
			}
			if got, want := attend(cache, x), attend(fresh, x); !got.Equal(want) {
				t.Errorf("%s, then eager: %v, not %v", what, got, want)
			}
		}
		refused("a prompt", func(x *tensor.Tensor) *tensor.Tensor { return attend(cache, x.AddScalar(0)) }, prompt, "0 [0]")
		refused("a step half of which is recorded", func(x *tensor.Tensor) *tensor.Tensor {
			y := attend(cache, x)
			_ = attend(cache, y).Max().Item()
			return y
		}, token, "5 [5]")
	})
}

// TestStaticCacheForgetsFailedCalls: a call of a compiled step that fails behind the cache's count changes no cache, in a graph's capture neither.
func TestStaticCacheForgetsFailedCalls(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		x := tensor.On(dev).Ones(1, 1, 1, 4)
		wide, narrow := nn.NewStaticKVCache(dev, 1, 8), nn.NewStaticKVCache(dev, 1, 2)
		step := func(x *tensor.Tensor) *tensor.Tensor {
			return narrow.Attend(0, wide.Attend(0, x, x, x, nn.Attention{}), x, x, nn.Attention{})
		}
		step(x)
		compiled := tensor.Compile(step)
		compiled(x)
		fails := func() {
			t.Helper()
			if err := tensor.Try(func() { compiled(x) }); err == nil || !strings.Contains(err.Error(), "room for 2 tokens and holds 2") {
				t.Errorf("a call for a full cache: %v", err)
			}
		}
		fails()
		if dev.IsCUDA() {
			if _, err := cuda.Capture(func() error { fails(); return errors.New("given up") }); err == nil {
				t.Error("the capture has made a graph")
			}
		}
		if got := holds(wide, dev); got != "2 [2]" || narrow.Length() != 2 {
			t.Errorf("the wide cache holds %s, the narrow one %d", got, narrow.Length())
		}
	})
}

// TestStaticCacheChecksRoomFirst: rotary tables end where the cache does, so that what does not fit is refused before it is looked up there, with nothing changed.
func TestStaticCacheChecksRoomFirst(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		r, cache := &nn.Rotary{Size: 4, Theta: 100}, nn.NewStaticKVCache(dev, 1, 8)
		read := func(n int) error {
			return tensor.Try(func() {
				x := tensor.On(dev).Ones(1, 1, n, 4)
				cos, sin := r.TablesFor(cache, n, x)
				q := nn.Rotate(x, cos, sin)
				cache.Attend(0, q, q, x, nn.Attention{})
			})
		}
		refused := func(n int, text string) {
			t.Helper()
			if err := read(n); !errors.Is(err, tensor.ErrValue) || !strings.Contains(err.Error(), text) {
				t.Errorf("%v does not say %q", err, text)
			}
		}
		refused(9, "the cache has room for 8 tokens and holds 0: 9 more do not fit")
		if got := holds(cache, dev); got != "0 [0]" { // and the device computes
			t.Errorf("a refused prompt leaves %s", got)
		}
		if err := read(8); err != nil {
			t.Fatal(err)
		}
		refused(1, "the cache has room for 8 tokens and holds 8: 1 more do not fit")
		cache.Reset()
		if got := holds(cache, dev); got != "0 [0]" {
			t.Errorf("after Reset it holds %s", got)
		}
	})
}

// TestStaticCacheForgetsOutsideOfGraphs: Crop and Reset within a capture or a recording are refused, since replays would forget tokens on the device alone. The refused
// step leaves no tokens.
func TestStaticCacheForgetsOutsideOfGraphs(t *testing.T) {
	devicetest.Simulate(t)
	for _, dev := range []device.Device{device.CPU, device.CUDA(0)} {
		x := tensor.On(dev).Ones(1, 2, 1, 4)
		for name, forget := range map[string]func(c *nn.StaticKVCache){
			"Crop":  func(c *nn.StaticKVCache) { c.Crop(c.Length() - 1) },
			"Reset": func(c *nn.StaticKVCache) { c.Reset() },
		} {
			c := nn.NewStaticKVCache(dev, 1, 8)
			c.Attend(0, x, x, x, nn.Attention{})
			step := func(x *tensor.Tensor) *tensor.Tensor {
				y := c.Attend(0, x, x, x, nn.Attention{})
				forget(c)
				return y
			}
			if err := tensor.Try(func() { tensor.Compile(step)(x) }); !errors.Is(err, tensor.ErrCompile) || !strings.Contains(err.Error(), "by "+name) {
				t.Errorf("%s compiled on %s: %v", name, dev, err)
			}
			if dev.IsCUDA() {
				_, err := cuda.Capture(func() error { return tensor.Try(func() { step(x) }) })
				if !errors.Is(err, tensor.ErrDevice) || !strings.Contains(err.Error(), "by "+name) {
					t.Errorf("%s captured: %v", name, err)
				}
			}
			if got := holds(c, dev); got != "1 [1]" {
				t.Errorf("%s on %s leaves %s, not what was there", name, dev, got)
			}
		}
	}
}
