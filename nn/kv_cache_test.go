package nn_test

import (
	"fmt"
	"strings"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/nn"
	"cresset/tensor"
)

// TestCachedAttentionIsAttention reads a batch in pieces, by caches of all kinds, and compares what each token sees with what it sees when all are read
// at once.
func TestCachedAttentionIsAttention(t *testing.T) {
	const tokens = 13
	devicetest.RunValues(t, func(t *testing.T, dev device.Device) {
		tensor.ManualSeed(1)
		place := tensor.On(dev)
		q, k, v := place.Randn(2, 4, tokens, 8), place.Randn(2, 2, tokens, 8), place.Randn(2, 2, tokens, 6)
		for _, how := range []nn.Attention{{}, {Window: 1}, {Window: 3}, {Window: 20}, {Scale: 0.3, SoftCap: 2}, {Window: 6, ALiBi: &nn.ALiBi{Heads: 4}}} {
			for _, padding := range [][]int{nil, {0, 4}} {
				whole := (&nn.KVCache{Padding: padding}).Attend(0, q, k, v, how)
				if padding == nil {
					same(t, fmt.Sprintf("%+v: an empty cache", how), whole, nn.NoPast.Attend(0, q, k, v, how))
				}
				for _, pieces := range [][]int{{5, 1, 1, 6}, {1, 12}, {12, 1}, {6, 6, 1}} {
					for _, room := range []int{0, tokens, 64} {
						cache, at := &nn.KVCache{Padding: padding, Room: room}, 0
						for _, n := range pieces {
							part := func(x *tensor.Tensor) *tensor.Tensor { return x.Narrow(2, at, n) }
							got := cache.Attend(0, part(q), part(k), part(v), how)
							same(t, fmt.Sprintf("%+v, padding %v, pieces %v, room %d, tokens from %d on", how, padding, pieces, room, at), got, part(whole))
							at += n
						}
						if cache.Length() != tokens {
							t.Errorf("the cache has seen %d tokens, not %d", cache.Length(), tokens)
						}
					}
				}
			}
		}
	})
}

// same compares to within float32's rounding of sums.
func same(t *testing.T, what string, got, want *tensor.Tensor) {
	t.Helper()
	if worst := got.Sub(want).Abs().Max().Float64(); !(worst <= 1e-5) {
		t.Fatalf("%s: off by %v", what, worst)
	}
}

// TestCacheRefuses names what does not fit a cache.
func TestCacheRefuses(t *testing.T) {
	x := tensor.Ones(2, 1, 3, 4)
	full := &nn.KVCache{Room: 4}
	full.Attend(0, x, x, x, nn.Attention{})
	for text, f := range map[string]func(){
		"room for 4 tokens and holds 3: 3 more":    func() { full.Attend(0, x, x, x, nn.Attention{}) },
		"the padding of 3 sequences, not of the 2": func() { (&nn.KVCache{Padding: []int{0, 0, 1}}).Attend(0, x, x, x, nn.Attention{}) },
	} {
		if err := tensor.Try(f); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v does not say %q", err, text)
		}
	}
}

// TestPositionsBesidePadding counts positions from the first token on.
func TestPositionsBesidePadding(t *testing.T) {
	cache := &nn.KVCache{Padding: []int{0, 2}}
	x := tensor.Ones(2, 1, 3, 4)
	if got := fmt.Sprint(cache.Positions(3)); got != "[[0 1 2] [0 0 0]]" {
		t.Error(got)
	}
	cache.Attend(0, x, x, x, nn.Attention{})
	if got := fmt.Sprint(cache.Positions(2)); got != "[[3 4] [1 2]]" {
		t.Error(got)
	}
	if got := fmt.Sprint(nn.NoPast.Positions(2)); got != "[[0 1]]" {
		t.Error(got)
	}
}

// TestCropBesideAWindow goes back to before a call, and no further where a layer with a window has forgotten what it would see there.
func TestCropBesideAWindow(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		tensor.ManualSeed(1)
		x := tensor.On(dev).Randn(1, 2, 20, 4)
		how := nn.Attention{Window: 3}
		read := func(c *nn.KVCache, first, n int) *tensor.Tensor {
			part := x.Narrow(2, first, n)
			return c.Attend(0, part, part, part, how)
		}
		cropped, straight := &nn.KVCache{}, &nn.KVCache{}
		for at := range 12 {
			read(cropped, at, 1)
			read(cropped, at+1, 5) // tokens that are taken back
			cropped.Crop(at + 1)
			read(straight, at, 1)
			if cropped.Length() != at+1 {
				t.Fatalf("the cache holds %d tokens, not %d", cropped.Length(), at+1)
			}
		}
		if got, want := read(cropped, 12, 4), read(straight, 12, 4); !got.Equal(want) {
			t.Errorf("behind tokens that were taken back it is %v, not %v", got, want)
		}
		err := tensor.Try(func() { cropped.Crop(1) })
		if want := "layer 0 sees 3 tokens and keeps the last "; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
		if cropped.Length() != 16 {
			t.Errorf("a crop that is refused leaves %d tokens", cropped.Length())
		}
	})
}
