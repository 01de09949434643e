package data

import (
	"cresset/internal/statedict"
	"cresset/tensor"
)

// StateDict returns where the loop stands that began last: the epochs that were finished, the batches that it has got in this
// one, the seed of its samples, the generator's state from which its order was drawn and, where the Loader has a Generator or a
// Sampler, their states now. Between epochs there is no position, no seed and no order. Without a Generator later epochs depend on
// the CPU's default generator, whose state is kept by the caller; so are random numbers that the data set draws from elsewhere.
func (l *Loader[B]) StateDict() map[string]any {
	l.mu.Lock()
	defer l.mu.Unlock()
	state := map[string]any{"epoch": l.finished, "position": nil, "batch_size": l.batchSize(), "samples": l.samples(),
		"seed": nil, "order": nil, "generator": stateOf(l.options.generator)}
	if p := l.latest; p != nil {
		state["position"], state["seed"] = p.delivered, p.seed
		if p.order != nil && p.order.drawnFrom != nil {
			state["order"] = tensor.FromSlice(p.order.drawnFrom).Clone()
		}
	}
	if l.ownSampler() {
		state["sampler"] = l.batches.sampler.StateDict()
	}
	if s := l.shares(); s != nil {
		state["replicas"], state["had"] = s.replicas, 0
		if l.latest != nil {
			state["had"] = l.latest.had
		}
	}
	return state
}

// shares returns how the sampler divides samples among processes, nil where it does not.
func (l *Loader[B]) shares() *shares {
	if l.batches == nil {
		return nil
	}
	return l.batches.sampler.shares
}

// ownSampler reports whether the sampler was given, and so has a state of its own.
func (l *Loader[B]) ownSampler() bool { return l.options.sampler != nil || l.options.batches != nil }

// samples returns how many samples there are, None for a stream.
func (l *Loader[B]) samples() any {
	if l.dataset == nil {
		return nil
	}
	return l.dataset.Len()
}

func (l *Loader[B]) batchSize() int {
	if l.batches == nil {
		return or(l.options.batchSize, 1)
	}
	return l.batches.size
}

// LoadStateDict restores what StateDict gave: the next loop goes on with the batches that the last had not got, and the epochs
// that follow are those that would have followed. The data set and the options have to be the same, but for the number of workers, and with a
// distributed sampler for the number of replicas and the BatchSize: then the processes share what is left of the epoch.
// Where the state does not fit nothing changes, and the error is a *tensor.Error.
func (l *Loader[B]) LoadStateDict(state map[string]any) error {
	d := statedict.Read(state)
	epoch, generator := d.Int("epoch"), d.Bytes("generator")
	size := d.Int("batch_size")
	divided := l.shares() != nil && d.Has("replicas") && size > 0 && l.batchSize() > 0
	if !d.Is("samples", l.samples()) || size != l.batchSize() && !divided {
		d.Refuse("the state dict is of %v samples in batches of %d, and the loader has %v in batches of %d",
			d.Value("samples"), size, l.samples(), l.batchSize())
	}
	if own := l.options.generator; (generator != nil) != (own != nil) {
		d.Refuse("the state dict and the loader differ in whether they have a Generator")
	}
	p := l.restoredPass(d, epoch)
	restoreSampler := func() {}
	if d.Err() == nil && l.ownSampler() {
		var err error
		if restoreSampler, err = l.batches.sampler.loading(d.Dict("sampler")); err != nil {
			return err
		}
	}
	if d.Err() != nil {
		return d.Err()
	}
	return tensor.Try(func() {
		if p != nil && l.batches != nil {
			p.take(l.batches, l.batches.sampler.again(d.Bytes("order"), p.had))
		}
		if own := l.options.generator; own != nil {
			own.SetState(generator)
		}
		restoreSampler()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.finished, l.latest = epoch, p
	})
}

// restoredPass reads the epoch that was under way, still without its order; it is nil between epochs.
func (l *Loader[B]) restoredPass(d *statedict.Dict, epoch int) *pass {
	if !d.Has("position") {
		if epoch < 0 {
			d.Refuse("the state dict is of epoch %d", epoch)
		}
		return nil
	}
	p := &pass{started: d.Int("position"), restored: true}
	if s := l.shares(); s != nil && d.Has("replicas") {
		p.had = max(0, d.Int("had"))
		size, replicas := d.Int("batch_size"), d.Int("replicas")
		if moved := size != l.batchSize() || replicas != s.replicas; moved && p.started > 0 {
			p.had, p.started = min(p.had+p.started*size*replicas, l.dataset.Len()), 0
		}
		if p.had > 0 && l.batchSize() == 0 {
			d.Refuse("the state dict is of %d replicas, and batches that a function cuts cannot be divided anew", replicas)
		}
	}
	p.delivered = p.started
	if d.Has("seed") {
		p.seed = int64(d.Int("seed"))
	}
	switch order := d.Bytes("order"); {
	case l.batches == nil && (epoch < 0 || p.started < 0):
		d.Refuse("the state dict is of epoch %d, batch %d", epoch, p.started)
	case l.batches == nil:
	case epoch < 0 || p.started < 0 || p.started > l.Len():
		d.Refuse("the state dict is of epoch %d, batch %d, and the loader has %d batches", epoch, p.started, l.Len())
	case (order != nil) != (l.batches.sampler.source != nil):
		d.Refuse("the state dict and the loader differ in whether they shuffle")
	}
	return p
}
