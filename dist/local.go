package dist

import (
	"context"
	"fmt"
	"time"

	"cresset/dtype"
	"cresset/tensor"
)

// local is the engine of ranks that meet in one program: whoever calls last does the work of all.
type local struct {
	room  *room
	rank  int
	next  int      // number of this rank's next collective operation
	parts []*local // of groups that are parts of this one; guarded by the room's mutex
}

func (l *local) begin(c *call) pending {
	r := l.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.gone[l.rank]; err != nil {
		return failed{&RankError{l.rank, err}}
	}
	if c.kind == send || c.kind == receive {
		return r.post(l.rank, c)
	}
	return r.join(l.rank, l.number(), c)
}

func (l *local) number() int {
	l.next++
	return l.next - 1
}

func (l *local) split(ctx context.Context, limit time.Duration, color, key int) (engine, int, int, error) {
	mine, all := tensor.FromSlice([]int64{int64(color), int64(key)}), tensor.Empty(l.room.size, 2).To(dtype.Int64)
	number := l.next
	if err := l.begin(&call{kind: allGather, in: mine, out: all}).Wait(ctx, limit); err != nil {
		return nil, 0, 0, err
	}
	wishes := tensor.Values[int64](all.View(-1))
	rank, size := 0, 0
	for other := range l.room.size {
		if wishes[2*other] != int64(color) {
			continue
		}
		size++
		if theirs := wishes[2*other+1]; theirs < int64(key) || theirs == int64(key) && other < l.rank {
			rank++
		}
	}
	part := &local{room: l.room.part(fmt.Sprintf("%d of round %d", color, number), size), rank: rank}
	l.room.mu.Lock()
	l.parts = append(l.parts, part)
	l.room.mu.Unlock()
	return part, rank, size, nil
}

func (l *local) abort(code int) { l.leave(abortedWith(code)) }

func abortedWith(code int) error { return fmt.Errorf("has aborted with code %d", code) }

func (l *local) close(context.Context) error {
	l.leave(errLeft)
	return nil
}

// leave ends what others wait for from this rank.
func (l *local) leave(why error) {
	l.room.leave(l.rank, why)
	l.room.mu.Lock()
	parts := l.parts
	l.room.mu.Unlock()
	for _, part := range parts {
		part.leave(why)
	}
}
