package rng

// wideElems is the number of elements from which Perm draws 64 bits for each.
const wideElems = (1<<32 - 1) / 20

// Perm fills dst with a permutation of 0 to len(dst)-1: Fisher and Yates' shuffle of the identity, from the front, with 32
// bits a step. From 214,748,364 elements on, where 32 bits would be uneven, it is their inside-out shuffle with 64 bits a
// step.
func Perm(g *MT19937, dst []int64) {
	if len(dst) >= wideElems {
		permWide(g, dst)
		return
	}
	for i := range dst {
		dst[i] = int64(i)
	}
	for i := 0; i < len(dst)-1; i++ {
		j := i + int(g.Uint32()%uint32(len(dst)-i))
		dst[i], dst[j] = dst[j], dst[i]
	}
}

func permWide(g *MT19937, dst []int64) {
	for i := range dst {
		j := g.Uint64() % uint64(i+1)
		dst[i] = dst[j]
		dst[j] = int64(i)
	}
}
