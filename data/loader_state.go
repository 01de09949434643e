package data

import (
	"cresset/internal/statedict"
	"cresset/tensor"
)

// StateDict returns where the loop stands that began last: the epochs that were finished, the batches that it has got in this
// one, the generator's state from which its order was drawn and, where the Loader has a Generator, that one's state now. Between
// epochs there is no position and no order. Without a Generator the order of later epochs depends on the CPU's default generator, whose state is
// kept by the caller; so are random numbers that the data set draws itself.
func (l *Loader) StateDict() map[string]any {
	l.mu.Lock()
	defer l.mu.Unlock()
	state := map[string]any{"epoch": l.finished, "position": nil, "batch_size": l.options.batchSize, "samples": l.dataset.Len(),
		"order": nil, "generator": nil}
	if p := l.latest; p != nil {
		state["position"] = p.delivered
		if p.order.drawnFrom != nil {
			state["order"] = tensor.FromSlice(p.order.drawnFrom).Clone()
		}
	}
	if g := l.options.generator; g != nil {
		state["generator"] = tensor.FromSlice(g.State())
	}
	return state
}

// LoadStateDict restores what StateDict gave: the next loop goes on with the batches that the last had not got, and the epochs
// that follow are those that would have followed. The data set and the options have to be the same. Where the state does not fit
// nothing changes, and the error is a *tensor.Error.
func (l *Loader) LoadStateDict(state map[string]any) error {
	d := statedict.Read(state)
	epoch, position, between := d.Int("epoch"), 0, !d.Has("position")
	if !between {
		position = d.Int("position")
	}
	size, samples := d.Int("batch_size"), d.Int("samples")
	order, generator := d.Bytes("order"), d.Bytes("generator")
	own := l.options.generator
	switch {
	case d.Err() != nil:
	case epoch < 0 || position < 0 || position > l.Len():
		d.Refuse("the state dict is of epoch %d, batch %d, and the loader has %d batches", epoch, position, l.Len())
	case samples != l.dataset.Len() || size != l.options.batchSize:
		d.Refuse("the state dict is of %d samples in batches of %d, and the loader has %d in batches of %d",
			samples, size, l.dataset.Len(), l.options.batchSize)
	case !between && (order != nil) != l.options.shuffle:
		d.Refuse("the state dict and the loader differ in whether they shuffle")
	case (generator != nil) != (own != nil):
		d.Refuse("the state dict and the loader differ in whether they have a Generator")
	}
	if d.Err() != nil {
		return d.Err()
	}
	return tensor.Try(func() {
		var p *pass
		if !between {
			p = l.newPass(orderDrawnFrom(order, samples, l.options), position)
			p.restored = true
		}
		if own != nil {
			own.SetState(generator)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.finished, l.latest = epoch, p
	})
}
