package hub

import (
	"cresset/nn"
	"cresset/tensor"
)

// cropped is a past that can forget the tokens that came last: a *nn.KVCache or a *nn.StaticKVCache, whose Length grows when the first layer attends.
type cropped interface {
	Length() int
	Crop(tokens int)
}

// ForgetFailed returns what a decoder defers while it reads ids: where it ends without scores, since a layer failed, a past that can forgets their tokens. Recordings and
// captures that fail take back by themselves what their steps did.
func ForgetFailed(past nn.Past, ids *tensor.Tensor) func(scores **tensor.Tensor) {
	c, ok := past.(cropped)
	if !ok || inner.Recorded(ids) || inner.CaptureOf(ids) != nil {
		return func(**tensor.Tensor) {}
	}
	before := c.Length()
	return func(scores **tensor.Tensor) {
		if *scores == nil && c.Length() > before {
			_ = tensor.Try(func() { c.Crop(before) }) // where the device has failed, that is the error to tell
		}
	}
}
