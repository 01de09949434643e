package rng

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
)

func TestStateRestoresStream(t *testing.T) {
	for _, draws := range []int{0, 1, 623, 624, 625} {
		g := New(1<<63 + 5)
		for range draws {
			g.Uint32()
		}
		g.NormFloat64() // leaves a cached value
		state := g.State()
		h := New(0)
		if err := h.SetState(state); err != nil {
			t.Fatal(err)
		}
		if *g != *h {
			t.Errorf("after %d draws: the restored generator differs", draws)
		}
		if !bytes.Equal(h.State(), state) {
			t.Errorf("after %d draws: the restored state differs", draws)
		}
	}
}

// The counters follow PyTorch's: left counts one more than what is left.
func TestStateCounters(t *testing.T) {
	rows := []struct {
		draws      int
		left, next uint32
	}{{0, 1, 0}, {1, 624, 1}, {2, 623, 2}, {624, 1, 624}, {625, 624, 1}}
	for _, r := range rows {
		g := New(0)
		for range r.draws {
			g.Uint32()
		}
		state := g.State()
		left, next := binary.LittleEndian.Uint32(state[8:]), binary.LittleEndian.Uint32(state[16:])
		if left != r.left || next != r.next {
			t.Errorf("%d draws: left %d, next %d, want %d, %d", r.draws, left, next, r.left, r.next)
		}
	}
}

func TestSetStateLegacy(t *testing.T) {
	g := New(11)
	g.Uint32()
	state := g.State()[:5048]
	binary.LittleEndian.PutUint64(state[atNormalX:], math.Float64bits(.25))
	binary.LittleEndian.PutUint64(state[atNormalRho:], math.Float64bits(1.5))
	binary.LittleEndian.PutUint32(state[atHasNormal:], 1)
	h := New(0)
	if err := h.SetState(state); err != nil {
		t.Fatal(err)
	}
	if got := h.NormFloat64(); got != 1.5 { // radius * sin of a quarter turn
		t.Errorf("cached normal is %v, want 1.5", got)
	}
	if got, want := h.Uint32(), g.Uint32(); got != want {
		t.Errorf("next draw is %d, want %d", got, want)
	}
}

func TestSetStateErrors(t *testing.T) {
	with := func(at int, v uint32) []byte {
		b := New(0).State()
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	const size = "Expected either a CPUGeneratorImplStateLegacy of size 5048 or a CPUGeneratorImplState of size 5056 but found the input RNG state size to be "
	rows := []struct {
		name  string
		state []byte
		want  string
	}{
		{"ten bytes", make([]byte, 10), size + "10"},
		{"nil", nil, size + "0"},
		{"not seeded", make([]byte, 5056), "Invalid mt19937 state"},
		{"left 0", with(atLeft, 0), "Invalid mt19937 state"},
		{"left -1", with(atLeft, math.MaxUint32), "Invalid mt19937 state"},
		{"left 625", with(atLeft, 625), "Invalid mt19937 state"},
		{"next 625", with(atNext, 625), "Invalid mt19937 state"},
		{"beyond the words", with(atNext, 624), ""}, // nothing is left, so nothing is read
	}
	for _, r := range rows {
		g := New(4)
		before := *g
		err := g.SetState(r.state)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != r.want {
			t.Errorf("%s: got %q, want %q", r.name, got, r.want)
		}
		if err != nil && *g != before {
			t.Errorf("%s: the generator changed", r.name)
		}
	}
	state := with(atNext, 600)
	binary.LittleEndian.PutUint32(state[atLeft:], 600)
	if err := New(0).SetState(state); err == nil {
		t.Error("next 600 with left 600: no error")
	}
}
