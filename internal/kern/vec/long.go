package vec

import "unsafe"

// Around is how many elements a slice has at most that a loop writes through the caches. Who hands over more has a result
// that no cache holds: written around them, its lines need not be read before, and nothing else has to leave. Where the machine
// is slow at that, the functions for such results write through the caches too, and ask for each line early.
const Around = most

const (
	streamUnit = 256 // elements: a loop for such a result takes a multiple of it, as the vectors of bytes that stand side by side do
	streamRow  = 64  // elements: likewise over rows, of floats alone
	streamLine = 64  // bytes to which its result is aligned
)

// long runs a loop over more elements than one call takes, of operands that have elements of these sizes.
func long(l Loop, n int, scalars unsafe.Pointer, p [operands]unsafe.Pointer, sizes [operands]int) int {
	streams := uintptr(p[0])%streamLine == 0 && p[0] != p[1] && p[0] != p[2] && p[0] != p[3]
	done := 0
	for done < n {
		m := min(n-done, most)
		did := m &^ (streamUnit - 1)
		if did == 0 || !streams || !stream(l, did, scalars, p) {
			streams = false
			if did = run(l, m, scalars, &p); did < m {
				return done + did
			}
		}
		done += did
		if done < n {
			for k := range p {
				p[k] = unsafe.Add(p[k], did*sizes[k]) // inside, for each operand has n elements
			}
		}
	}
	return done
}
