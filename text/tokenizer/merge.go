package tokenizer

// symbol is a part of a word: a token, its length in bytes and its neighbors. One that was joined to its left neighbor has length 0.
type symbol struct {
	id, len    int32
	prev, next int32 // -1: none
}

func (s *scratch) add(id int32, length int) {
	at := int32(len(s.symbols))
	if at > 0 {
		s.symbols[at-1].next = at
	}
	s.symbols = append(s.symbols, symbol{id, int32(length), at - 1, -1})
}

// shortWord is the number of symbols up to which looking at all pairs again for each merge is faster than a queue.
const shortWord = 24

// merge joins pairs until none is left: always that of the lowest rank, of those the leftmost.
func (s *scratch) merge(merges *mergeTable) {
	if len(s.symbols) > shortWord {
		s.mergeQueued(merges)
		return
	}
	var ranks [shortWord]merge
	syms := s.symbols
	n := len(syms)
	for i := 0; i+1 < n; i++ {
		ranks[i] = merges.find(syms[i].id, syms[i+1].id)
	}
	for n > 1 {
		best := 0
		for i := 1; i+1 < n; i++ {
			if ranks[i].rank < ranks[best].rank {
				best = i
			}
		}
		if ranks[best].rank == noRank {
			break
		}
		syms[best] = symbol{id: ranks[best].id, len: syms[best].len + syms[best+1].len}
		copy(syms[best+1:n], syms[best+2:n])
		copy(ranks[best:n-2], ranks[best+1:n-1])
		n--
		if best > 0 {
			ranks[best-1] = merges.find(syms[best-1].id, syms[best].id)
		}
		if best+1 < n {
			ranks[best] = merges.find(syms[best].id, syms[best+1].id)
		}
	}
	s.symbols = syms[:n]
}

// mergeAt is a pair that may be joined: the place of its left part and what the two are then.
type mergeAt struct {
	merge
	at int32
}

// mergeQueue is a heap of them, the next to be joined first.
type mergeQueue []mergeAt

func (q mergeQueue) less(i, j int) bool {
	return q[i].rank < q[j].rank || q[i].rank == q[j].rank && q[i].at < q[j].at
}
func (q mergeQueue) swap(i, j int) { q[i], q[j] = q[j], q[i] }

// push adds the pair that begins at i, if it can be joined.
func (q *mergeQueue) push(merges *mergeTable, syms []symbol, i int32) {
	m := merges.find(syms[i].id, syms[syms[i].next].id)
	if m.rank == noRank {
		return
	}
	*q = append(*q, mergeAt{m, i})
	for c := len(*q) - 1; c > 0; {
		parent := (c - 1) / 2
		if !q.less(c, parent) {
			break
		}
		q.swap(c, parent)
		c = parent
	}
}

// take removes the first entry.
func (q *mergeQueue) take() mergeAt {
	h := *q
	top := h[0]
	last := len(h) - 1
	h[0] = h[last]
	*q = h[:last]
	for p := 0; ; {
		c := 2*p + 1
		if c >= last {
			break
		}
		if c+1 < last && q.less(c+1, c) {
			c++
		}
		if !q.less(c, p) {
			break
		}
		q.swap(c, p)
		p = c
	}
	return top
}

func (s *scratch) mergeQueued(merges *mergeTable) {
	syms := s.symbols
	s.queue = s.queue[:0]
	for i := range syms[:len(syms)-1] {
		s.queue.push(merges, syms, int32(i))
	}
	for len(s.queue) > 0 {
		top := s.queue.take()
		left := &syms[top.at]
		if left.len == 0 || left.next < 0 {
			continue
		}
		right := &syms[left.next]
		if merges.find(left.id, right.id) != top.merge { // one of the two was joined to something else meanwhile
			continue
		}
		left.id, left.len = top.id, left.len+right.len
		left.next, right.len = right.next, 0
		if left.next >= 0 {
			syms[left.next].prev = top.at
			s.queue.push(merges, syms, top.at)
		}
		if left.prev >= 0 {
			s.queue.push(merges, syms, left.prev)
		}
	}
}

// merge is what a pair of tokens becomes, and when.
type merge struct{ rank, id int32 }

const noRank = 1<<31 - 1

// mergeTable is a hash table from pairs of tokens to merges, by open addressing.
type mergeTable struct {
	slots []mergeSlot // a power of two, at most half full
	shift uint
}

type mergeSlot struct {
	pair uint64 // 0: empty; else one more than left<<32 | right
	merge
}

func (t *mergeTable) grow(n int) {
	bits := uint(4)
	for 1<<bits < 2*n {
		bits++
	}
	t.slots = make([]mergeSlot, 1<<bits)
	t.shift = 64 - bits
}

func pairOf(left, right int32) uint64 { return uint64(left)<<32 | uint64(right) + 1 }

// hash multiplies by 2^64 divided by the golden ratio and takes the highest bits.
func (t *mergeTable) hash(pair uint64) uint64 { return pair * 0x9e3779b97f4a7c15 >> t.shift }

func (t *mergeTable) set(left, right int32, m merge) {
	pair := pairOf(left, right)
	for i := t.hash(pair); ; i = (i + 1) & uint64(len(t.slots)-1) {
		if t.slots[i].pair == 0 || t.slots[i].pair == pair {
			t.slots[i] = mergeSlot{pair, m}
			return
		}
	}
}

// find returns the merge of a pair; its rank is noRank where there is none.
func (t *mergeTable) find(left, right int32) merge {
	pair := pairOf(left, right)
	for i := t.hash(pair); ; i = (i + 1) & uint64(len(t.slots)-1) {
		switch t.slots[i].pair {
		case pair:
			return t.slots[i].merge
		case 0:
			return merge{rank: noRank}
		}
	}
}
