package vec

import "unsafe"

// StreamAbove is how many elements a slice has at most that a loop writes by ordinary stores. A caller with more of them has a result
// larger than the caches, and a loop that waits for memory then writes by non-temporal stores: the lines of the result
// are not read before, and nothing else leaves the caches for them.
const StreamAbove = most

const (
	streamUnit = 256 // elements: a loop with non-temporal stores takes a multiple of it
	streamRow  = 64  // elements: a loop over rows takes rows of a multiple of it
	streamLine = 64  // bytes to which their results are aligned
)

// long runs a loop over more elements than one call takes, of operands that have elements of these sizes.
func long(l Loop, n int, scalars unsafe.Pointer, p [operands]unsafe.Pointer, sizes [operands]int) int {
	streams := uintptr(p[0])%streamLine == 0 && p[0] != p[1] && p[0] != p[2] && p[0] != p[3] && p[0] != p[4]
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
