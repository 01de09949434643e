package nn

import (
	"fmt"

	"cresset/tensor"
)

// KVCache keeps the keys and values of all layers for a batch of sequences, so that each token is read once. Its zero value is an empty one that
// grows by doubling. Gradients do not reach through it. It is for one goroutine at a time.
type KVCache struct {
	// Room is the most tokens of a sequence. Memory for all of them is taken at once, and more are an error; 0 sets no limit.
	Room int
	// Padding tells how many tokens at the left end of each sequence stand for nothing, so that sequences of several lengths end together; nil: none.
	Padding []int
	// LastOnly asks for the scores behind the last token of those that are read, not behind each of a prompt.
	LastOnly bool

	layers []*layerCache
	masks  map[maskKey]*tensor.Tensor // of the layers of one call, which are mostly alike
}

// Length returns how many tokens of each sequence the cache has seen, padding among them.
func (c *KVCache) Length() int {
	if len(c.layers) == 0 {
		return 0
	}
	return c.layers[0].seen
}

// Crop forgets the tokens behind the first so many, transformers' DynamicCache.crop, as after a step that failed half way: the models' decoders do that by themselves.
// A layer with a window has forgotten what lies before it, so that it can go back to before its last call, and not always further.
func (c *KVCache) Crop(tokens int) {
	if tokens < 0 || tokens > c.Length() {
		panic(fault("cache", fmt.Sprintf("of %d tokens the cache cannot keep %d", c.Length(), tokens)))
	}
	for i, l := range c.layers {
		if !l.reaches(tokens) {
			panic(fault("cache", fmt.Sprintf("layer %d sees %d tokens and keeps the last %d of %d: it cannot go back to %d", i, l.window, l.used, l.seen, tokens)))
		}
	}
	for _, l := range c.layers {
		forgotten := max(l.seen-tokens, 0) // a layer behind the one that failed has not seen them
		l.seen, l.used = l.seen-forgotten, l.used-forgotten
	}
}

// Positions returns the positions of the next n tokens; padding has position 0.
func (c *KVCache) Positions(n int) [][]int {
	past := c.Length()
	if c.Padding == nil {
		return [][]int{count(past, n)}
	}
	rows := make([][]int, len(c.Padding))
	for i, padding := range c.Padding {
		rows[i] = count(past-padding, n)
		for j := range rows[i] {
			rows[i][j] = max(rows[i][j], 0)
		}
	}
	return rows
}

// Attend implements Past. A layer with a window forgets what no later token sees.
func (c *KVCache) Attend(layer int, q, k, v *tensor.Tensor, how Attention) *tensor.Tensor {
	if c := inner.CaptureOf(q); c != nil {
		panic(&tensor.Error{Op: "attention", Kind: tensor.ErrDevice, Err: c.Refuse("a KVCache counts tokens on the host, which a graph would not do",
			"capture a step of a StaticKVCache")})
	}
	inner.RefuseRecorded(q, "attention", "count the tokens of a cache on the host", "compile what lies between the layers' attention")
	for len(c.layers) <= layer {
		c.layers = append(c.layers, &layerCache{})
	}
	if layer == 0 {
		c.masks = make(map[maskKey]*tensor.Tensor)
	}
	if c.Padding != nil && len(c.Padding) != q.Size(0) {
		panic(fault("attention", fmt.Sprintf("the cache is told the padding of %d sequences, not of the %d that it gets", len(c.Padding), q.Size(0))))
	}
	l := c.layers[layer]
	if c.Room > 0 && l.seen+k.Size(2) > c.Room {
		panic(fault("attention", fmt.Sprintf("the cache has room for %d tokens and holds %d: %d more do not fit", c.Room, l.seen, k.Size(2))))
	}
	past := l.seen
	keys, values := l.append(k, v, how.Window, c.Room)
	first := past + q.Size(2) - keys.Size(2) // the token of the first key that is kept
	return how.Attend(q, keys, values, c.mask(maskKey{q.Size(2), keys.Size(2), past, how.Window}, q), past-first)
}

// Wanted implements Past.
func (c *KVCache) Wanted(x *tensor.Tensor) *tensor.Tensor {
	if c.LastOnly {
		return x.Narrow(1, x.Size(1)-1, 1)
	}
	return x
}

// maskKey tells masks apart: queries for tokens past to past+queries, and the last keys up to there.
type maskKey struct{ queries, keys, past, window int }

// mask returns which keys each query sees, [sequences, 1, queries, keys], where sequences are padded; nil where they are not.
func (c *KVCache) mask(m maskKey, like *tensor.Tensor) *tensor.Tensor {
	if c.Padding == nil {
		return nil
	}
	if t, ok := c.masks[m]; ok {
		return t
	}
	sees := make([]bool, 0, len(c.Padding)*m.queries*m.keys)
	first := m.past + m.queries - m.keys
	for _, left := range c.Padding {
		for q := m.past; q < m.past+m.queries; q++ {
			for k := first; k < first+m.keys; k++ {
				within := k <= q && k >= left && (m.window == 0 || k > q-m.window)
				sees = append(sees, within || k == q) // padding sees itself, so that it stays a number
			}
		}
	}
	t := tensor.FromSlice(sees, len(c.Padding), 1, m.queries, m.keys).To(like.Device())
	c.masks[m] = t
	return t
}

// layerCache keeps the keys and values of a layer in buffers [batch, heads, room, size], of which the first used tokens are in use.
type layerCache struct {
	keys, values *tensor.Tensor
	used, seen   int // with a window, the oldest of those seen are forgotten
	window       int // of the layer; 0: none
}

// reaches reports whether the layer keeps all that the token behind the first so many sees.
func (l *layerCache) reaches(tokens int) bool {
	first := tokens
	if l.window > 0 {
		first = min(tokens, l.window-1)
	}
	return l.seen <= tokens || l.used-(l.seen-tokens) >= first
}

// append adds the keys and values of further tokens, and returns all that their queries may see.
func (l *layerCache) append(k, v *tensor.Tensor, window, room int) (keys, values *tensor.Tensor) {
	n := k.Size(2)
	keep := l.used
	if window > 0 {
		keep = min(keep, window-1)
	}
	l.reserve(k, v, keep, n, window, room)
	l.keys.Narrow(2, l.used, n).CopyInPlace(k.Detach())
	l.values.Narrow(2, l.used, n).CopyInPlace(v.Detach())
	l.used, l.seen, l.window = l.used+n, l.seen+n, window // only now, so that a copy that fails leaves the tokens of before
	if keep == 0 {
		return k, v // gradients reach these
	}
	return l.keys.Narrow(2, l.used-keep-n, keep+n), l.values.Narrow(2, l.used-keep-n, keep+n)
}

// reserve makes room for n more tokens behind the last keep ones.
func (l *layerCache) reserve(k, v *tensor.Tensor, keep, n, window, room int) {
	if l.keys != nil && l.used+n <= l.keys.Size(2) {
		return
	}
	size := 2 * (keep + n)
	switch {
	case room > 0 && window > 0:
		size = max(min(room, 2*window), keep+n)
	case room > 0:
		size = room
	}
	keys, values := l.keys, l.values
	if keys == nil || size > keys.Size(2) {
		keys, values = roomFor(k, size), roomFor(v, size)
	}
	if keep > 0 {
		lastKeys, lastValues := l.keys.Narrow(2, l.used-keep, keep).Clone(), l.values.Narrow(2, l.used-keep, keep).Clone()
		keys.Narrow(2, 0, keep).CopyInPlace(lastKeys)
		values.Narrow(2, 0, keep).CopyInPlace(lastValues)
	}
	l.keys, l.values, l.used = keys, values, keep
}

// roomFor returns memory for the keys or values of some tokens like those in x.
func roomFor(x *tensor.Tensor, tokens int) *tensor.Tensor {
	return tensor.Like(x).Empty(x.Size(0), x.Size(1), tokens, x.Size(3))
}
