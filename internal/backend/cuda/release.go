package cuda

import "slices"

// release takes a buffer back from its owner. It panics with a *DoubleFreeError where it was given back before.
func (a *allocator) release(h *Buffer) {
	b := h.block
	if b == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if b.state != inUse || b.owner() != h {
		panic(&DoubleFreeError{Device: a.device, Bytes: h.bytes})
	}
	b.handle = h
	h.life++
	a.reclaim(b)
}

// reclaim ends the ownership of a block in use.
func (a *allocator) reclaim(b *block) {
	last := len(a.inUse) - 1
	a.inUse[b.slot] = a.inUse[last]
	a.inUse[b.slot].slot = b.slot
	a.inUse[last] = nil
	a.inUse = a.inUse[:last]
	a.stats.owned(b.pool.kind, -1, b.size, b.size >= a.config.maxSplit)
	a.tell(b, -b.size)
	if b.users == 0 || !a.await(b) {
		a.retire(b)
	}
}

// await keeps the block out of its pool until the other streams that used it are done. It returns false where the device
// failed: then nothing will ever use the memory.
func (a *allocator) await(b *block) bool {
	b.state = waiting
	for s := range streams {
		if !b.users.has(s) {
			continue
		}
		m, err := a.source.record(s)
		if err != nil {
			continue
		}
		b.events++
		a.pending[s] = append(a.pending[s], pendingFree{b, m})
	}
	b.users = 0
	return b.events > 0
}

// finishPending retires blocks that every stream is done with. Events of a stream complete in order.
func (a *allocator) finishPending() error {
	for s := range a.pending {
		queue := a.pending[s]
		if len(queue) == 0 {
			continue
		}
		done := 0
		for ; done < len(queue); done++ {
			ok, err := a.source.passed(queue[done].event)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			a.passed(queue[done])
		}
		a.pending[s] = slices.Delete(queue, 0, done)
	}
	return nil
}

// waitPending retires all pending blocks, waiting for their streams.
func (a *allocator) waitPending() error {
	for s, queue := range a.pending {
		for _, p := range queue {
			if err := a.source.wait(p.event); err != nil {
				return err
			}
			a.passed(p)
		}
		a.pending[s] = nil
	}
	return nil
}

func (a *allocator) passed(p pendingFree) {
	a.source.forget(p.event)
	if p.block.events--; p.block.events == 0 {
		a.retire(p.block)
	}
}

// retire puts a block into its pool, merged with the idle ones beside it.
func (a *allocator) retire(b *block) {
	k, size := b.pool.kind, b.size
	var blocks, bytes int64 // by which the idle parts of segments change
	for _, side := range [...]*block{b.prev, b.next} {
		if side != nil && side.state == idle {
			blocks--
			bytes -= side.size
			a.merge(b, side)
		}
	}
	b.state = idle
	b.pool.insert(b)
	if b.isSplit() {
		blocks++
		bytes += b.size
	}
	a.stats.InactiveSplit.add(k, blocks)
	a.stats.InactiveSplitBytes.add(k, bytes)
	a.stats.active(k, -1, size, b.asked)
}

// merge adds the idle neighbour to b.
func (a *allocator) merge(b, side *block) {
	side.pool.remove(side)
	if side == b.prev {
		b.ptr = side.ptr
		b.prev = side.prev
		if b.prev != nil {
			b.prev.next = b
		}
	} else {
		b.next = side.next
		if b.next != nil {
			b.next.prev = b
		}
	}
	b.size += side.size
	side.prev, side.next, side.pool = nil, nil, nil
	a.spare = append(a.spare, side)
}

// releaseIdle gives every segment that nobody uses back to the device.
func (a *allocator) releaseIdle(request) error {
	a.stats.Retries++
	return a.empty()
}

func (a *allocator) empty() error {
	if err := a.waitPending(); err != nil {
		return err
	}
	for i := range a.pools {
		for s := range a.pools[i].free {
			for _, b := range slices.Clone(a.pools[i].free[s]) {
				if err := a.giveBack(b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// giveBack frees the block's segment where the block is all of it.
func (a *allocator) giveBack(b *block) error {
	if b.isSplit() {
		return nil
	}
	if err := a.source.free(b.ptr); err != nil {
		return err
	}
	k, size := b.pool.kind, b.size
	b.pool.remove(b)
	delete(a.segments, b.ptr)
	b.pool = nil
	a.spare = append(a.spare, b)
	a.stats.segment(k, -1, size, size >= a.config.maxSplit)
	return nil
}

// releaseOversize gives back idle blocks that are kept for oversize requests until r would fit. It does nothing unless the
// size of splits is limited.
func (a *allocator) releaseOversize(r request) error {
	if a.config.maxSplit == unlimited {
		return nil
	}
	if err := a.waitPending(); err != nil {
		return err
	}
	want := max(r.size, a.config.maxSplit)
	all := &a.pools[r.pool.kind] // a graph keeps its memory
	free := slices.Clone(all.free[r.stream])
	i := all.at(r.stream, want, 0)
	if i < len(free) {
		return a.giveBack(free[i])
	}
	var freed int64
	for i--; i >= 0 && freed < want && free[i].size >= a.config.maxSplit; i-- {
		freed += free[i].size
		if err := a.giveBack(free[i]); err != nil {
			return err
		}
	}
	return nil
}

// releaseOldest returns the least recently used idle segments to the device, where a fraction of the memory was set and the
// configured share of it is in use.
func (a *allocator) releaseOldest() error {
	if a.limit == 0 || a.config.gcThreshold == 0 {
		return nil
	}
	reserved := &a.stats.ReservedBytes[All].Current
	target := int64(a.config.gcThreshold * float64(a.limit))
	for *reserved > target {
		var old []*block
		ages := 0
		p := &a.pools[largePool]
		for s := range p.free {
			for _, b := range p.free[s] {
				if !b.isSplit() {
					old = append(old, b)
					ages += p.searches - b.freedAt
				}
			}
		}
		if len(old) == 0 {
			return nil
		}
		for _, b := range old {
			if *reserved > target && (p.searches-b.freedAt)*len(old) >= ages {
				if err := a.giveBack(b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
