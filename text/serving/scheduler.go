package serving

import "slices"

// scheduler decides which sequences a step reads, and how much of each. Sequences join and leave between steps.
type scheduler struct {
	pool    *pool
	most    int // sequences that are written at once
	budget  int // tokens of a step
	waiting []*sequence
	running []*sequence // in the order of their arrival
	evicted int         // how often blocks were taken away
}

// plan returns the sequences of the next step, each with its n. All that are written get their next token; what is left of the budget goes to prompts, in the
// order of their arrival, in chunks: a long one does not keep others from being written.
func (s *scheduler) plan() []*sequence {
	left := s.budget
	for _, q := range slices.Clone(s.running) {
		if q.n = 0; q.unread() == 1 && slices.Contains(s.running, q) && s.reserve(q) {
			q.n = 1
			left--
		}
	}
	for _, q := range s.running {
		if unread := q.unread(); q.n == 0 && left > 0 {
			q.n = min(unread, left)
			left -= q.n
		}
	}
	for left > 0 && s.admit() {
		q := s.running[len(s.running)-1]
		q.n = min(q.unread(), left)
		left -= q.n
	}
	var batch []*sequence
	for _, q := range s.running {
		if q.n > 0 {
			batch = append(batch, q)
		}
	}
	return batch
}

// reserve gives a sequence blocks for all its tokens. Where there are too few, the sequence that came last gives up its own and waits; it reads its tokens again
// when there is room. It reports whether q still runs.
func (s *scheduler) reserve(q *sequence) bool {
	for !s.extend(q) {
		last := s.running[len(s.running)-1]
		s.remove(last)
		s.evicted++
		s.waiting = slices.Insert(s.waiting, 0, last)
		if last == q {
			return false
		}
	}
	return true
}

// admit lets the sequence that waits longest join, and reports whether it could.
func (s *scheduler) admit() bool {
	if len(s.waiting) == 0 || len(s.running) >= s.most || !s.extend(s.waiting[0]) {
		return false
	}
	s.waiting[0].joined = true
	s.running = append(s.running, s.waiting[0])
	s.waiting = slices.Delete(s.waiting, 0, 1)
	return true
}

// extend takes the blocks that a sequence lacks for its tokens, and reports whether there are enough.
func (s *scheduler) extend(q *sequence) bool {
	blocks, enough := s.pool.take(max(0, blocksFor(len(q.tokens))-len(q.blocks)))
	q.blocks = append(q.blocks, blocks...)
	return enough
}

// remove takes a sequence out of those that run, and its blocks back.
func (s *scheduler) remove(q *sequence) {
	s.running = slices.DeleteFunc(s.running, func(r *sequence) bool { return r == q })
	s.pool.give(q.blocks)
	q.blocks, q.read, q.n = nil, 0, 0
}

// drop takes out those sequences for which ended tells a reason.
func (s *scheduler) drop(ended func(*sequence) (error, bool)) {
	for _, q := range slices.Concat(s.running, s.waiting) {
		if err, is := ended(q); is {
			s.remove(q)
			s.waiting = slices.DeleteFunc(s.waiting, func(w *sequence) bool { return w == q })
			q.out.end(err)
		}
	}
}
