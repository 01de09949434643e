package kernels

import "iter"

// A tiling is how blocks of a family of kernels compute a result in tiles, and a model of how long that takes.
type tiling struct {
	rows, columns   uint64 // of a block's tile
	threads, shared uint32
	resident        uint64  // blocks of a multiprocessor
	steps           uint64  // of the common axis at a time, in which a multiprocessor spends
	waiting         float64 // clocks, however many blocks it has,
	busy            float64 // and clocks for each of them
	ends            float64 // clocks before the first steps and after the last
}

// clocks estimates how long the multiprocessor takes that has the most of so many blocks to do, each with so many steps.
func (t *tiling) clocks(blocks, steps uint64, multiprocessors int) float64 {
	most := divideUp(blocks, uint64(multiprocessors))
	rounds := float64(divideUp(most, t.resident))
	return float64(divideUp(steps, t.steps))*(t.waiting*rounds+t.busy*float64(most)) + t.ends*rounds
}

// mostDivided is into how many parts a common axis is divided at most.
const mostDivided = 64

// divisions are into how many parts a common axis may be divided that has so many blocks in one: powers of two, and as many as give each multiprocessor one
// block, two or more, of those that run at once.
func (t *tiling) divisions(blocks uint64, multiprocessors int) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for parts := uint64(1); parts <= mostDivided; parts *= 2 {
			if !yield(parts) {
				return
			}
		}
		for each := range t.resident {
			parts := (each + 1) * uint64(multiprocessors) / max(blocks, 1)
			if parts > 1 && parts <= mostDivided && !yield(parts) {
				return
			}
		}
	}
}
