package data

import (
	"slices"

	"cresset/tensor"
)

// NewDistributedSampler returns the sampler of one process out of several that share an epoch among them, each with its own rank
// from 0 to replicas-1. The shares are equally long: the first samples come twice, or with DropLast the last ones not at all. They are
// shuffled anew in each epoch by Seed and the epoch's number, which have to be the same in all processes. It panics where the rank
// is none of the replicas.
func NewDistributedSampler(dataset sized, replicas, rank int, opts ...DistributedSamplerOption) *Sampler {
	if rank < 0 || rank >= replicas {
		refuse(tensor.ErrValue, "Invalid rank %d, rank should be in the interval [0, %d]", rank, replicas-1)
	}
	o := optionsOf(opts)
	n := dataset.Len()
	share := (n + replicas - 1) / replicas
	if o.dropLast {
		share = n / replicas
	}
	s := &Sampler{samples: share, shares: &shares{replicas, rank, o.dropLast}, draw: func(g *tensor.Generator) []int {
		if g != nil {
			return permutation(n, g)
		}
		return firstIndices(n)
	}}
	if or(o.shuffle, true) {
		s.source = func(epoch int) *tensor.Generator { return tensor.NewGenerator(int64(o.seed) + int64(epoch)) }
	}
	return s
}

// shares are how processes divide an order among them; nil is one that takes all.
type shares struct {
	replicas, rank int
	dropLast       bool
}

// of returns the indices of this process among those from one on, as equally many as any other's.
func (s *shares) of(all []int, from int) []int {
	if s == nil {
		return all
	}
	rest := len(all) - from
	n := (rest + s.replicas - 1) / s.replicas * s.replicas
	if s.dropLast {
		n = rest / s.replicas * s.replicas
	}
	return everyNth(resized(all, from+n)[from:], s.rank, s.replicas)
}

// resized returns the first n indices, begun anew where there are fewer.
func resized(indices []int, n int) []int {
	for len(indices) > 0 && len(indices) < n {
		indices = append(indices, indices[:min(len(indices), n-len(indices))]...)
	}
	return slices.Clip(indices[:n])
}

// everyNth returns every nth index from the one at from.
func everyNth(indices []int, from, n int) (out []int) {
	for ; from < len(indices); from += n {
		out = append(out, indices[from])
	}
	return out
}
