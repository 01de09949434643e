package rng

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// FuzzSetState restores states with any counters: it fails and changes nothing, or restores what it says, and draws go on.
func FuzzSetState(f *testing.F) {
	f.Add(uint64(7), uint32(1), uint32(1), uint64(0), uint64(0), uint32(0), false)
	f.Add(uint64(7), uint32(624), uint32(1), uint64(1), uint64(0x3ff0000000000000), uint32(1), true)
	f.Add(uint64(7), uint32(0), uint32(0), uint64(1<<40), uint64(0x7ff8000000000000), uint32(1), false)
	words := New(3).State()
	f.Fuzz(func(t *testing.T, seed uint64, left, seeded uint32, next, normal uint64, hasNormal uint32, legacy bool) {
		state := bytes.Clone(words)
		le := binary.LittleEndian
		le.PutUint64(state[atSeed:], seed)
		le.PutUint32(state[atLeft:], left)
		le.PutUint32(state[atSeeded:], seeded)
		le.PutUint64(state[atNext:], next)
		le.PutUint64(state[atNormalY:], normal)
		le.PutUint32(state[atHasNormal:], hasNormal)
		if legacy {
			state = state[:legacyBytes]
		}
		g := New(1)
		before := g.State()
		if err := g.SetState(state); err != nil {
			if !bytes.Equal(g.State(), before) {
				t.Error("a state that was refused has changed the generator")
			}
			return
		}
		restored := g.State()
		h := New(2)
		if err := h.SetState(restored); err != nil || !bytes.Equal(h.State(), restored) {
			t.Errorf("what was restored is refused: %v", err)
		}
		for i := range 3 {
			if a, b := g.Uint32(), h.Uint32(); a != b {
				t.Errorf("draw %d: got %d and %d", i, a, b)
			}
		}
	})
}
