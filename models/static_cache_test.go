package models_test

import (
	"errors"
	"testing"

	"cresset/device"
	"cresset/internal/devicetest"
	"cresset/models"
	"cresset/nn"
	"cresset/tensor"
)

// cache is a past that tokens can be taken back from.
type cache interface {
	nn.Past
	Length() int
	Crop(tokens int)
}

// caches make one of each kind, for a sequence of up to so many tokens.
var caches = map[string]func(dev device.Device, tokens int) cache{
	"KVCache":       func(device.Device, int) cache { return &nn.KVCache{} },
	"StaticKVCache": func(dev device.Device, tokens int) cache { return nn.NewStaticKVCache(dev, 1, tokens) },
}

var errLayer = errors.New("the second layer has failed")

// failure makes the second layer of a cache fail while it is true.
type failure bool

func (f *failure) strike(layer int) {
	if *f && layer == 1 {
		panic(&tensor.Error{Op: "attention", Kind: tensor.ErrValue, Err: errLayer})
	}
}

// failingStatic and failingGrowing are the two caches with a failure.
type (
	failingStatic struct {
		*nn.StaticKVCache
		*failure
	}
	failingGrowing struct {
		*nn.KVCache
		*failure
	}
)

func (f failingStatic) Attend(layer int, q, k, v *tensor.Tensor, how nn.Attention) *tensor.Tensor {
	f.strike(layer)
	return f.StaticKVCache.Attend(layer, q, k, v, how)
}

func (f failingGrowing) Attend(layer int, q, k, v *tensor.Tensor, how nn.Attention) *tensor.Tensor {
	f.strike(layer)
	return f.KVCache.Attend(layer, q, k, v, how)
}

// withFailure returns a cache that fails while the failure is true.
func withFailure(c cache, f *failure) cache {
	if static, ok := c.(*nn.StaticKVCache); ok {
		return failingStatic{static, f}
	}
	return failingGrowing{c.(*nn.KVCache), f}
}

// TestFailedStepsLeaveNoTokens has steps fail behind the first layer, of prompts and of tokens, and takes them again: with the scores of a cache that has seen no failure.
func TestFailedStepsLeaveNoTokens(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, name := range []string{"gpt2", "llama_rope3", "gemma2"} {
			m := nn.Frozen(load(t, name, models.On(dev)).(models.Decoder))
			for kind, empty := range caches {
				var fails failure
				failing, sound := withFailure(empty(dev, 12), &fails), empty(dev, 12)
				seen := 0
				for _, ids := range [][]int64{{3, 5, 2}, {7}, {1, 4}, {6}, {2}, {3, 3, 3}} {
					x := tensor.Of([][]int64{ids}).To(dev)
					fails = true
					if err := tensor.Try(func() { m.Read(x, failing) }); !errors.Is(err, errLayer) {
						t.Fatalf("%s: got %v", name, err)
					}
					if failing.Length() != seen {
						t.Errorf("%s: behind a failure the %s counts %d tokens, not %d", name, kind, failing.Length(), seen)
					}
					fails = false
					if got, want := m.Read(x, failing), m.Read(x, sound); !got.Equal(want) {
						t.Errorf("%s, %s, %d tokens behind %d: the scores are %v, want %v", name, kind, len(ids), seen, got, want)
					}
					seen += len(ids)
				}
			}
		}
	})
}

// TestCropKeepsTheFirstTokens reads other tokens behind those that are kept.
func TestCropKeepsTheFirstTokens(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		m := nn.Frozen(load(t, "gpt2", models.On(dev)).(models.Decoder))
		for kind, empty := range caches {
			cropped, other := empty(dev, 6), empty(dev, 6)
			read := func(c cache, ids ...int64) *tensor.Tensor {
				return m.Read(tensor.Of([][]int64{ids}).To(dev), c)
			}
			read(cropped, 3, 5, 2)
			cropped.Crop(2)
			read(other, 3, 5)
			if got, want := read(cropped, 7), read(other, 7); !got.Equal(want) {
				t.Errorf("%s: the scores are %v, want %v", kind, got, want)
			}
			for _, n := range []int{-1, 4} {
				if err := tensor.Try(func() { cropped.Crop(n) }); !errors.Is(err, tensor.ErrValue) {
					t.Errorf("%s, %d tokens: %v", kind, n, err)
				}
			}
		}
	})
}
