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

// failing is a cache whose second layer fails while it is told to.
type failing struct {
	*nn.StaticKVCache
	fails bool
}

var errLayer = errors.New("the second layer has failed")

func (f *failing) Attend(layer int, q, k, v *tensor.Tensor, how nn.Attention) *tensor.Tensor {
	if f.fails && layer == 1 {
		panic(&tensor.Error{Op: "attention", Kind: tensor.ErrValue, Err: errLayer})
	}
	return f.StaticKVCache.Attend(layer, q, k, v, how)
}

// TestFailedStepsLeaveNoTokens has steps fail behind the first layer, of a prompt and of a token, and takes them again: with the scores of a cache that has seen no failure.
func TestFailedStepsLeaveNoTokens(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		for _, name := range []string{"gpt2", "llama_rope3", "gemma2"} {
			m := nn.Frozen(load(t, name, models.On(dev)).(models.Decoder))
			cache, sound := &failing{StaticKVCache: nn.NewStaticKVCache(dev, 1, 6)}, nn.NewStaticKVCache(dev, 1, 6)
			seen := 0
			for _, ids := range [][]int64{{3, 5, 2}, {7}} {
				x := tensor.Of([][]int64{ids}).To(dev)
				cache.fails = true
				if err := tensor.Try(func() { m.Read(x, cache) }); !errors.Is(err, errLayer) {
					t.Fatalf("%s: got %v", name, err)
				}
				if cache.Length() != seen {
					t.Errorf("%s: behind a failure the cache counts %d tokens, not %d", name, cache.Length(), seen)
				}
				cache.fails = false
				if got, want := m.Read(x, cache), m.Read(x, sound); !got.Equal(want) {
					t.Errorf("%s, %d tokens: the scores are %v, want %v", name, len(ids), got, want)
				}
				seen += len(ids)
			}
		}
	})
}

// TestCropKeepsTheFirstTokens reads other tokens behind those that are kept.
func TestCropKeepsTheFirstTokens(t *testing.T) {
	devicetest.Run(t, func(t *testing.T, dev device.Device) {
		m := nn.Frozen(load(t, "gpt2", models.On(dev)).(models.Decoder))
		cache, other := nn.NewStaticKVCache(dev, 1, 6), nn.NewStaticKVCache(dev, 1, 6)
		read := func(c *nn.StaticKVCache, ids ...int64) *tensor.Tensor {
			return m.Read(tensor.Of([][]int64{ids}).To(dev), c)
		}
		read(cache, 3, 5, 2)
		cache.Crop(2)
		read(other, 3, 5)
		if got, want := read(cache, 7), read(other, 7); !got.Equal(want) {
			t.Errorf("the scores are %v, want %v", got, want)
		}
		for _, n := range []int{-1, 4} {
			if err := tensor.Try(func() { cache.Crop(n) }); !errors.Is(err, tensor.ErrValue) {
				t.Errorf("%d tokens: %v", n, err)
			}
		}
	})
}
