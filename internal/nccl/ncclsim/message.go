package ncclsim

import "cresset/internal/nccl"

// letter is one side of a message: what a rank sends, or has room for.
type letter struct {
	from, to *comm // the rank whose side it is, nil for the other
	peer     int
	at       uintptr
	bytes    int
}

// post notes a side of a message and moves its bytes when the other side is there; sides between two ranks meet in order.
func (c *comm) post(peer int, l letter) nccl.Result {
	w := c.world
	if c.state == remoteError || peer >= w.size {
		return invalidArgument
	}
	l.peer = peer
	for i, other := range w.letters {
		met := l.from != nil && other.to == w.ranks[peer] && other.peer == c.rank || l.to != nil && other.from == w.ranks[peer] && other.peer == c.rank
		if !met {
			continue
		}
		if other.bytes != l.bytes {
			return invalidUsage
		}
		source, target := l, other
		if l.to != nil {
			source, target = other, l
		}
		w.lib.memory.write(target.at, w.lib.memory.read(source.at, source.bytes))
		w.letters = append(w.letters[:i:i], w.letters[i+1:]...)
		w.ranks[peer].settle()
		return nccl.Success
	}
	w.letters = append(w.letters, l)
	c.waiting++
	c.state = nccl.InProgress
	return nccl.InProgress
}

// settle counts a message that has met.
func (c *comm) settle() {
	if c.waiting--; c.waiting == 0 && c.state == nccl.InProgress {
		c.state = nccl.Success
	}
}
