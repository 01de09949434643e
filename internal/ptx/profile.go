package ptx

import (
	"math/bits"
	"slices"
)

// countGlobal counts a request to global memory.
func (w *warp) countGlobal(m *access, mask uint32) {
	c := &w.b.count
	c.GlobalRequests++
	c.GlobalBytes += uint64(bits.OnesCount32(mask) * m.total())
	if w.b.cfg.Profile {
		c.GlobalSectors += w.sectors(m, mask)
	}
}

func (w *warp) countShared(m *access, mask uint32) {
	c := &w.b.count
	c.SharedRequests++
	if w.b.cfg.Profile {
		c.BankConflicts += w.conflicts(m, mask)
	}
}

// sectors counts the aligned 32-byte pieces of memory that a request touches. No access crosses one: it is aligned and at
// most 16 bytes.
func (w *warp) sectors(m *access, mask uint32) (n uint64) {
	var seen [32]uint64
	for left := mask; left != 0; left &= left - 1 {
		sector := w.addr[trailing(left)] / 32
		if !slices.Contains(seen[:n], sector) {
			seen[n] = sector
			n++
		}
	}
	return n
}

// conflicts counts the passes beyond the first that a request takes: shared memory has 32 banks of 4 bytes, and each gives
// one word to any number of lanes in one pass. Accesses of 8 and 16 bytes are served by halves and quarters of the warp.
func (w *warp) conflicts(m *access, mask uint32) (passes uint64) {
	words := max(1, m.total()/4)
	lanes := 32 / words
	part := uint32(1<<lanes - 1)
	if lanes == 32 {
		part = allLanes
	}
	for shift := 0; shift < 32; shift += lanes {
		if p := w.passes(mask&(part<<shift), words); p > 1 {
			passes += p - 1
		}
	}
	return passes
}

// passes returns the most different words that one bank has to give.
func (w *warp) passes(mask uint32, words int) (most uint64) {
	var given [32][32]uint64 // words of each bank
	var count [32]uint64
	for left := mask; left != 0; left &= left - 1 {
		first := w.addr[trailing(left)] / 4
		for k := range words {
			word := first + uint64(k)
			bank := word % 32
			if !slices.Contains(given[bank][:count[bank]], word) {
				given[bank][count[bank]] = word
				count[bank]++
				most = max(most, count[bank])
			}
		}
	}
	return most
}
