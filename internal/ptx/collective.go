package ptx

import (
	"fmt"
	"math/bits"
)

func ones(mask uint32) int { return bits.OnesCount32(mask) }

// truth is a predicate register with v in every lane.
func truth(v bool) uint32 {
	if v {
		return allLanes
	}
	return 0
}

// collect runs a .sync instruction once the lanes of its member mask are here.
func (w *warp) collect(in *instr, mask uint32) (stop bool, f *Fault) {
	member := w.r32[in.sync.member][bits.TrailingZeros32(mask)]
	for m := mask; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros32(m); w.r32[in.sync.member][lane] != member {
			f = w.fault(UnconvergedShuffle, 1<<lane)
			f.Detail = "lanes that run together name different member masks"
			return true, f
		}
	}
	if out := mask &^ member; out != 0 {
		f = w.fault(UnconvergedShuffle, out)
		f.Detail = fmt.Sprintf("lanes %#08x run it and are not in the member mask %#08x", out, member)
		return true, f
	}
	need := member & w.all
	if w.b.k.Module.Target >= 70 {
		need &= w.live
	}
	if gone := need &^ w.live; gone != 0 {
		f = w.fault(UnconvergedShuffle, mask)
		f.Detail = fmt.Sprintf("the member mask %#08x names lanes %#08x, which have exited", member, gone)
		return true, f
	}
	mask, ok := w.meetAt(need, mask)
	if !ok {
		return w.hold(in, mask)
	}
	w.mask |= mask
	f = in.exec(w, in, mask)
	return f != nil, f
}

// meetAt joins the lanes of mask with those held at the same instruction and
// reports whether the lanes of need are all here. Where they are not, the joined
// lanes are held until the others come.
func (w *warp) meetAt(need, mask uint32) (uint32, bool) {
	if need&^mask == 0 && len(w.held) == 0 {
		return mask, true
	}
	pc := w.pc - 1
	kept := w.held[:0]
	for _, g := range w.held {
		if g.pc == pc {
			mask |= g.mask
			continue
		}
		kept = append(kept, g)
	}
	w.held = kept
	if need&^mask == 0 {
		return mask, true
	}
	w.held = append(w.held, group{pc, mask})
	return mask, false
}

// hold lets other groups run while the lanes of mask wait.
func (w *warp) hold(in *instr, mask uint32) (stop bool, f *Fault) {
	if w.mask &^= mask; w.mask != 0 {
		return false, nil // the guard keeps these from taking part
	}
	return w.next()
}

// resume finds a held group that waits only for lanes that have exited, which
// sm_70 and later forgive, and lets it run again.
func (w *warp) resume() bool {
	if w.b.k.Module.Target < 70 {
		return false
	}
	for i, g := range w.held {
		in := &w.b.k.code[g.pc]
		if in.kind != kindSync {
			continue
		}
		member := w.r32[in.sync.member][bits.TrailingZeros32(g.mask)]
		if member&w.live&^g.mask == 0 {
			w.held = append(w.held[:i], w.held[i+1:]...)
			w.pc, w.mask = g.pc, g.mask
			return true
		}
	}
	return false
}

type shuffleMode uint8

const (
	shuffleUp shuffleMode = iota
	shuffleDown
	shuffleButterfly
	shuffleIndex
)

// shuffle is shfl.sync: d = a of the lane that mode, b and c choose. c holds the
// last lane of a segment in its low five bits, and from bit 8 which bits of the
// lane's number choose the segment.
func shuffle(w *warp, in *instr, mask uint32) *Fault {
	a, b, c := w.r32[in.a], &w.r32[in.b], &w.r32[in.c]
	d := w.to32(in.d, mask)
	var found uint32
	for i := range d {
		by, clamp, segment := int(b[i]&31), int(c[i]&31), int(c[i]>>8&31)
		last := i&segment | clamp&^segment
		first := i & segment
		j, ok := 0, false
		switch in.sync.shuffle {
		case shuffleUp:
			j = i - by
			ok = j >= last
		case shuffleDown:
			j = i + by
			ok = j <= last
		case shuffleButterfly:
			j = i ^ by
			ok = j <= last
		case shuffleIndex:
			j = first | by&^segment
			ok = j <= last
		}
		if !ok {
			j = i
		}
		d[i] = a[j&31]
		if ok {
			found |= 1 << i
			if mask>>i&1 != 0 && mask>>j&1 == 0 && w.all>>j&1 != 0 {
				f := w.fault(UnconvergedShuffle, 1<<i)
				f.Detail = fmt.Sprintf("lane %d reads lane %d, which takes no part", i, j)
				return f
			}
		}
	}
	w.keep32(in.d, mask)
	if in.sync.found >= 0 {
		w.keepP(in.sync.found, found, mask)
	}
	return nil
}

// The votes: of the predicate in a, over the lanes of mask.

func (w *warp) votes(in *instr, mask uint32) uint32 {
	return (w.preds[in.a] ^ in.sync.not) & mask
}

func voteAny(w *warp, in *instr, mask uint32) *Fault {
	w.keepP(in.d, truth(w.votes(in, mask) != 0), mask)
	return nil
}

func voteAll(w *warp, in *instr, mask uint32) *Fault {
	w.keepP(in.d, truth(w.votes(in, mask) == mask), mask)
	return nil
}

func voteUni(w *warp, in *instr, mask uint32) *Fault {
	v := w.votes(in, mask)
	w.keepP(in.d, truth(v == mask || v == 0), mask)
	return nil
}

func voteBallot(w *warp, in *instr, mask uint32) *Fault {
	w.splat(in.d, w.votes(in, mask), mask)
	return nil
}

func activeMask(w *warp, in *instr, mask uint32) *Fault {
	w.splat(in.d, mask, mask)
	return nil
}

// splat writes v to the lanes of mask.
func (w *warp) splat(slot int32, v, mask uint32) {
	d := &w.r32[slot]
	for m := mask; m != 0; m &= m - 1 {
		d[bits.TrailingZeros32(m)&31] = v
	}
}

// same returns the lanes of mask that hold what lane holds.
func (w *warp) same(in *instr, lane int, mask uint32) (out uint32) {
	for m := mask; m != 0; m &= m - 1 {
		j := bits.TrailingZeros32(m) & 31
		if in.pair && w.r64[in.a][j] == w.r64[in.a][lane] || !in.pair && w.r32[in.a][j] == w.r32[in.a][lane] {
			out |= 1 << j
		}
	}
	return out
}

func matchAny(w *warp, in *instr, mask uint32) *Fault {
	var out lanes32
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		out[lane] = w.same(in, lane, mask)
	}
	*w.to32(in.d, mask) = out
	w.keep32(in.d, mask)
	return nil
}

func matchAll(w *warp, in *instr, mask uint32) *Fault {
	out := w.same(in, bits.TrailingZeros32(mask)&31, mask)
	if out != mask {
		out = 0
	}
	w.splat(in.d, out, mask)
	if in.sync.found >= 0 {
		w.keepP(in.sync.found, truth(out != 0), mask)
	}
	return nil
}

func nothing(*warp, *instr, uint32) *Fault { return nil }
