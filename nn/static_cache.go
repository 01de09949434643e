package nn

import (
	"fmt"
	"math"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// StaticKVCache is a KVCache of a fixed size, transformers' StaticCache: keys and values of all layers stay where they are, and where the next token
// belongs lies on the device. A decode step of it can so be compiled by tensor.Compile and captured by cuda.Capture, once the prompt was read; each call and each
// replay writes its token behind those that are there, and attends to these alone. Attention cuts keys by the size of the cache, not by what is in it, so that both
// have the bits of an eager step.
//
// More tokens than it has room for are an error, of a replay too, which then does nothing. A step that Compile or Capture refuses leaves no tokens in it, nor does one
// in which a decoder of package models fails. Layers with a window keep all tokens. Gradients do not reach through it. It is for one goroutine at a time.
type StaticKVCache struct {
	// LastOnly asks for the scores behind the last token of those that are read, not behind each of a prompt.
	LastOnly bool

	batch, room, length int
	seen, first         *tensor.Tensor // [1]: how many tokens there are, and where those of this call begin
	places              *tensor.Tensor // [n]: where the tokens of this call belong
	layers              []keysAndValues
	padding, hidden     *tensor.Tensor // [batch, 1], and what scores of [batch, 1, 1, room] get, where sequences are padded
}

// keysAndValues are those of a layer, [batch, heads, room, size].
type keysAndValues struct{ keys, values *tensor.Tensor }

// NewStaticKVCache returns a cache on a device for up to so many tokens of each of a batch of sequences. A layer's memory is taken when it first attends.
func NewStaticKVCache(dev device.Device, batch, tokens int) *StaticKVCache {
	if batch < 1 || tokens < 1 {
		panic(fault("static cache", fmt.Sprintf("a cache is for one sequence and one token at least, not for %d and %d", batch, tokens)))
	}
	place := tensor.On(dev).As(dtype.Int64)
	return &StaticKVCache{batch: batch, room: tokens, seen: place.Zeros(1), first: place.Zeros(1)}
}

// Reset forgets all tokens and keeps the memory, so that graphs go on with other sequences. Of those that come, padding tells how many tokens at the left end of
// each stand for nothing; none: no token does. A cache has padding from its first Reset on, or never.
func (c *StaticKVCache) Reset(padding ...int) {
	if len(padding) > 0 && len(padding) != c.batch {
		panic(fault("static cache", fmt.Sprintf("the cache is told the padding of %d sequences, not of the %d that it is for", len(padding), c.batch)))
	}
	if padding != nil && c.padding == nil && len(c.layers) > 0 {
		panic(fault("static cache", "the cache has read sequences without padding, which its graphs have none of; Reset it with padding before the first tokens"))
	}
	c.eager("Reset")
	c.length = 0
	c.seen.ZeroInPlace()
	if padding == nil && c.padding == nil {
		return
	}
	lefts, hidden := make([]int64, c.batch), make([]float32, c.batch*c.room)
	for i, n := range padding {
		lefts[i] = int64(n)
		for k := range min(n, c.room) {
			hidden[i*c.room+k] = float32(math.Inf(-1))
		}
	}
	if c.padding == nil {
		place := tensor.On(c.seen.Device())
		c.padding, c.hidden = place.As(dtype.Int64).Zeros(c.batch, 1), place.As(dtype.Float32).Zeros(c.batch, 1, 1, c.room)
	}
	c.padding.CopyInPlace(tensor.FromSlice(lefts, c.batch, 1))
	c.hidden.CopyInPlace(tensor.FromSlice(hidden, c.batch, 1, 1, c.room))
}

// Crop forgets the tokens behind the first so many, transformers' Cache.crop, as after a step that failed half way: the models' decoders do that by themselves.
// It panics within a compiled function or a capture, as Reset does: replays would forget on the device alone.
func (c *StaticKVCache) Crop(tokens int) {
	if tokens < 0 || tokens > c.length {
		panic(fault("static cache", fmt.Sprintf("of %d tokens the cache cannot keep %d", c.length, tokens)))
	}
	c.eager("Crop")
	c.length = tokens
	c.seen.FillInPlace(tokens)
}

// eager panics where what a method of the cache does would be part of a graph or a recording: the device would forget tokens again each time, and the host would not.
func (c *StaticKVCache) eager(method string) {
	what := "forget tokens by " + method + " of a StaticKVCache, which counts them on the host too"
	if g := inner.CaptureOf(c.seen); g != nil {
		panic(&tensor.Error{Op: "static cache", Kind: tensor.ErrDevice, Err: g.Refuse("what would "+what, "call "+method+" before or behind the graph's replays")})
	}
	inner.RefuseRecorded(c.seen, "static cache", what, "call "+method+" outside")
}

// Length returns how many tokens of each sequence the cache has seen, padding among them.
func (c *StaticKVCache) Length() int { return c.length }

// Room implements DevicePast: the most tokens of a sequence.
func (c *StaticKVCache) Room() int { return c.room }

// Positions implements Past.
func (c *StaticKVCache) Positions(n int) [][]int {
	panic(fault("static cache", "positions lie on the device; PositionIDs and Rotary.TablesFor ask for them there"))
}

// PositionIDs implements DevicePast; padding has position 0. Tokens for which there is no room have none.
func (c *StaticKVCache) PositionIDs(n int) *tensor.Tensor {
	if err := c.fits(n); err != nil { // else tables of Room positions would be read beyond their end
		panic(err)
	}
	ids := c.behind(c.seen, n).View(1, n)
	if c.padding != nil {
		ids = ids.Sub(c.padding).Clamp(0, nil)
	}
	return ids
}

// behind returns n numbers from first on.
func (c *StaticKVCache) behind(first *tensor.Tensor, n int) *tensor.Tensor {
	if n == 1 {
		return first
	}
	return first.Add(inner.ConstantOn(tensor.FromSlice(count(0, n), n), first.Device(), dtype.Int64))
}

// Attend implements Past.
func (c *StaticKVCache) Attend(layer int, q, k, v *tensor.Tensor, how Attention) *tensor.Tensor {
	n := q.Size(2)
	if q.Size(0) != c.batch {
		panic(fault("attention", fmt.Sprintf("the cache is for %d sequences, not for %d", c.batch, q.Size(0))))
	}
	if layer == 0 {
		c.begin(n, q)
	}
	l := c.layer(layer, k, v)
	l.keys.IndexCopyInPlace(2, c.places, k.Detach())
	l.values.IndexCopyInPlace(2, c.places, v.Detach())
	var before tensor.AttentionOption = tensor.QueryOffset(c.length - n)
	if inner.CaptureOf(q) != nil || inner.Recorded(q) {
		before = tensor.QueryOffsets(c.first)
	}
	bias := how.bias(l.keys)
	switch {
	case c.hidden != nil && bias != nil:
		bias = bias.Add(c.hidden)
	case c.hidden != nil:
		bias = c.hidden
	}
	opts := []tensor.AttentionOption{tensor.IsCausal(true), before, tensor.SlidingWindow(how.Window), tensor.AttnBias(bias)}
	return tensor.ScaledDotProductAttention(q, l.keys, l.values, append(opts, how.options(q, k)...)...)
}

// fits returns an error where n more tokens do not fit.
func (c *StaticKVCache) fits(n int) error {
	if c.length+n > c.room {
		return fault("attention", fmt.Sprintf("the cache has room for %d tokens and holds %d: %d more do not fit", c.room, c.length, n))
	}
	return nil
}

// begin makes room for the next n tokens, those of queries q. Replays of a graph and calls of a compiled function count on the host as well, which knows when the
// cache is full.
func (c *StaticKVCache) begin(n int, q *tensor.Tensor) {
	take := func() error {
		if err := c.fits(n); err != nil {
			return err
		}
		c.length += n
		return nil
	}
	count := func() {
		if err := take(); err != nil {
			panic(err)
		}
		if g := inner.CaptureOf(c.seen); g != nil {
			g.Host(take, func() { c.length -= n })
		}
	}
	undo := func() {
		if inner.CaptureOf(c.seen) == nil { // else the graph takes it back
			c.length -= n
			c.seen.FillInPlace(c.length)
		}
	}
	count()
	inner.BeforeCalls(q, count, undo)
	inner.Follows(c.seen, q)
	c.first.CopyInPlace(c.seen)
	c.seen.AddScalarInPlace(n)
	c.places = c.behind(c.first, n)
}

// layer returns the memory of a layer.
func (c *StaticKVCache) layer(i int, k, v *tensor.Tensor) keysAndValues {
	if i == len(c.layers) {
		inner.RefuseRecorded(k, "attention", "take memory for the first tokens of a StaticKVCache", "read the prompt before it is compiled")
		if g := inner.CaptureOf(k); g != nil {
			panic(&tensor.Error{Op: "attention", Kind: tensor.ErrDevice, Err: g.Refuse("the first tokens of a StaticKVCache", "read the prompt before the capture")})
		}
		room := func(x *tensor.Tensor) *tensor.Tensor {
			return tensor.On(x.Device()).As(x.DType()).Zeros(c.batch, x.Size(1), c.room, x.Size(3)) // what is not there yet is multiplied by nothing, and must be a number
		}
		c.layers = append(c.layers, keysAndValues{room(k), room(v)})
	}
	return c.layers[i]
}

// Wanted implements Past.
func (c *StaticKVCache) Wanted(x *tensor.Tensor) *tensor.Tensor {
	if c.LastOnly {
		return x.Narrow(1, x.Size(1)-1, 1)
	}
	return x
}
