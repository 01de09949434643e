package tensor

import (
	"slices"
	"sync"
)

// Compilable is what Compile takes: functions of one, two or three tensors with one result, or of any number with any number.
type Compilable interface {
	func(x *Tensor) *Tensor | func(x, y *Tensor) *Tensor | func(x, y, z *Tensor) *Tensor | func(xs ...*Tensor) []*Tensor
}

// Compile returns f as a function that is recorded when it is first called and then runs without Go code: what follows each other element
// by element, with casts and broadcasts between, becomes one kernel on a GPU and one walk through the caches on the CPU, and what lies
// between is not stored. Results and gradients have the bits of f. It is PyTorch's torch.compile.
//
// A recording holds for inputs of the same shapes, strides, dtypes and devices, of which those track gradients that did, and the same Autocast
// of each, for scopes follow data within f too. Others make f run again; the 64 recordings used last are kept, and those that differ by sizes
// share their kernels.
//
// What f does to tensors is recorded and nothing else: a Go value that it reads is what it was when f ran. So a layer goes on in the mode of
// the recording: compile again after nn.Eval or nn.Train. Tensors that f reads without being given them, such as the parameters of a layer,
// are read anew in each call and get gradients where they are leaves. They are those that f read when it ran: optimizers, nn.To and SetData
// change them in place, which is seen, while an assignment to a field, as l.Weight = w, is not until f is compiled again. Random numbers are
// drawn anew; a generator that f makes is made once and goes on. Changes in place of inputs are repeated, where nothing tracks gradients. An
// input on which a result does not depend gets zeros from it where f's own gradient would be none. A function may return no tensors, for what
// it changes.
//
// It panics with ErrCompile where f reads values of what it computes, as by Item, moves them to another device, or calls Backward. Gradients
// of a compiled function have no gradients of their own. A call inside of another compiled function is recorded as a part of that.
func Compile[F Compilable](f F) F {
	var compiled any
	switch f := any(f).(type) {
	case func(x *Tensor) *Tensor:
		c := newCompiled(func(xs []*Tensor) []*Tensor { return []*Tensor{f(xs[0])} })
		compiled = func(x *Tensor) *Tensor { return c.call([]*Tensor{x})[0] }
	case func(x, y *Tensor) *Tensor:
		c := newCompiled(func(xs []*Tensor) []*Tensor { return []*Tensor{f(xs[0], xs[1])} })
		compiled = func(x, y *Tensor) *Tensor { return c.call([]*Tensor{x, y})[0] }
	case func(x, y, z *Tensor) *Tensor:
		c := newCompiled(func(xs []*Tensor) []*Tensor { return []*Tensor{f(xs[0], xs[1], xs[2])} })
		compiled = func(x, y, z *Tensor) *Tensor { return c.call([]*Tensor{x, y, z})[0] }
	case func(xs ...*Tensor) []*Tensor:
		c := newCompiled(func(xs []*Tensor) []*Tensor { return f(xs...) })
		compiled = func(xs ...*Tensor) []*Tensor { return c.call(xs) }
	}
	return compiled.(F)
}

// compiled is a function with its recordings.
type compiled struct {
	f    func(xs []*Tensor) []*Tensor
	mu   sync.Mutex
	kept map[string]*recording
	used []string // keys of kept, the latest last
}

// mostRecordings is how many recordings a function keeps.
const mostRecordings = 64

func newCompiled(f func(xs []*Tensor) []*Tensor) *compiled {
	return &compiled{f: f, kept: map[string]*recording{}}
}

// call runs what was recorded for such inputs, or records it.
func (c *compiled) call(xs []*Tensor) []*Tensor {
	refuseNilIn("compile", xs)
	for _, x := range xs {
		x.alive()
	}
	if len(xs) == 0 || partOfOther(xs) {
		return c.f(xs)
	}
	key := signatureOf(xs)
	if r := c.find(key); r != nil {
		return r.apply(xs, nil)
	}
	r, t := c.record(xs)
	c.keep(key, r)
	return r.apply(xs, t)
}

// partOfOther reports whether f is to run as it is: inside of another function that is recorded, where gradients are differentiated, and
// without data.
func partOfOther(xs []*Tensor) bool {
	t := recordingNow.Load()
	return slices.ContainsFunc(xs, func(x *Tensor) bool {
		return x.storage.device.IsMeta() || x.scope != nil && x.scope.watched || t != nil && t.derives(x)
	})
}

// find returns the recording for a key, where nothing that it captured has been replaced.
func (c *compiled) find(key string) *recording {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.kept[key]
	if r == nil || !r.holds() {
		return nil
	}
	at := slices.Index(c.used, key)
	c.used = append(slices.Delete(c.used, at, at+1), key)
	return r
}

// keep keeps a recording, and drops that which has not been used for longest where there are too many.
func (c *compiled) keep(key string, r *recording) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := slices.Index(c.used, key); at >= 0 {
		c.used = slices.Delete(c.used, at, at+1)
	}
	if len(c.used) == mostRecordings {
		delete(c.kept, c.used[0])
		c.used = slices.Delete(c.used, 0, 1)
	}
	c.kept[key], c.used = r, append(c.used, key)
}
