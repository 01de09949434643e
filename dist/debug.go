package dist

import (
	"bytes"
	"context"
	"fmt"
)

// agree has ranks compare what they are about to do, where Debug asks for it: an engine of several programs would wait for ever, or mix
// up messages. The local engine compares by itself, unless NCCL carries some of the calls.
func (g *Group) agree(c *call) error {
	if !g.debug || g.agreeing || g.name == "local" && g.meeting.gpus.Load() == nil || c.kind == send || c.kind == receive {
		return nil
	}
	g.agreeing = true
	defer func() { g.agreeing = false }()
	defer g.onBehalf(c)()
	all, err := g.AllGatherBytes(context.Background(), []byte(c.String()+"\n"+c.place()))
	if err != nil {
		return err
	}
	first, site, _ := bytes.Cut(all[0], []byte("\n"))
	for rank, other := range all {
		if what, where, _ := bytes.Cut(other, []byte("\n")); !bytes.Equal(what, first) {
			return &MismatchError{Ranks: [2]int{0, rank}, Calls: [2]string{string(first), string(what)}, Sites: [2]string{string(site), string(where)}}
		}
	}
	return nil
}

// agreeOnDebug has ranks compare whether they compare what they are about to do, since those that do exchange more than those that do not.
func (g *Group) agreeOnDebug(ctx context.Context) error {
	g.agreeing = true
	defer func() { g.agreeing = false }()
	words := map[bool]string{true: "with", false: "without"}
	all, err := g.AllGatherBytes(ctx, []byte(words[g.debug]))
	if err != nil {
		return err
	}
	for rank, said := range all {
		if !bytes.Equal(said, all[0]) {
			return &RankError{rank, fmt.Errorf("was started %s Debug (TORCH_DISTRIBUTED_DEBUG=DETAIL), rank 0 %s it: all ranks need the same", said, all[0])}
		}
	}
	return nil
}

// onBehalf has messages name a call of the program where ranks exchange something for it, until done.
func (g *Group) onBehalf(c *call) (done func()) {
	before := g.behalf
	if before == nil {
		g.behalf = c
	}
	return func() { g.behalf = before }
}
