package kernels_test

import (
	"cmp"
	"slices"
	"testing"

	"cresset/internal/backend/cuda/kernels"
)

// crowded are n indexes of few places: one has many chunks, others are short or begin and end inside of a chunk.
func crowded(n int) []int64 {
	index := make([]int64, n)
	for i := range index {
		switch {
		case i%16 == 3:
			index[i] = 1
		case i%8 == 5:
			index[i] = 4
		case i%100 == 7:
			index[i] = 2
		default:
			index[i] = 5
		}
	}
	return index
}

// inOrder sorts indexes, and returns the places that they had.
func inOrder(index []int64) (sorted, places []int64) {
	for i := range index {
		places = append(places, int64(i))
	}
	slices.SortStableFunc(places, func(a, b int64) int { return cmp.Compare(index[a], index[b]) })
	for _, place := range places {
		sorted = append(sorted, index[place])
	}
	return sorted, places
}

// joined adds what at gives of each place to what a result has, in the kernels' order: of chunks that meet in one place the largest first.
func joined(out []float32, sorted, places []int64, skip int64, at func(place int64) float32) {
	var sum func(i, n int) float32
	sum = func(i, n int) float32 {
		if n == 1 {
			return at(places[i])
		}
		part := n / kernels.SortedChunk
		v := sum(i, part)
		for j := i + part; j < i+n; j += part {
			v += sum(j, part)
		}
		return v
	}
	for i := 0; i < len(sorted); {
		n := 1
		for larger := n * kernels.SortedChunk; i%larger == 0 && i+larger <= len(sorted) && sorted[i+larger-1] == sorted[i]; larger *= kernels.SortedChunk {
			n = larger
		}
		if key := sorted[i]; key != skip {
			out[key] += sum(i, n)
		}
		i += n
	}
}

// TestCrowdedPlacesAreAddedByChunks adds many rows to few, and many elements of lines, whose last chunk is not whole; three chunks of chunks have one place.
func TestCrowdedPlacesAreAddedByChunks(t *testing.T) {
	const n, outer, inner, extent = 4*kernels.SortedChunk*kernels.SortedChunk + 5*kernels.SortedChunk + 7, 2, 3, 6
	for _, skip := range []int64{-1, 4} {
		m := &machine{t: t}
		index := crowded(n)
		sorted, places := inOrder(index)
		x, got := ripple[float32](outer*n*inner), samples[float32](outer*extent*inner, 1)
		want := slices.Clone(got)
		for o := range outer {
			for k := range inner {
				column := make([]float32, extent)
				for i := range column {
					column[i] = want[(o*extent+i)*inner+k]
				}
				joined(column, sorted, places, skip, func(place int64) float32 { return x[(o*n+int(place))*inner+k] })
				for i := range column {
					want[(o*extent+i)*inner+k] = column[i]
				}
			}
		}
		p := kernels.Rows{Outer: outer, Count: n, Extent: extent, Inner: inner, Out: put(m, got), In: put(m, x), Sorted: put(m, sorted), Places: put(m, places),
			Joined: put(m, make([]float32, n/kernels.SortedChunk*outer*inner)), Skip: skip}
		kernels.ChunkLevels(n, func(level uint32, chunks int) error {
			p.Level = level
			launch(m, "add_chunks_f32", kernels.Flat(uint64(chunks*outer*inner), few), p)
			return nil
		})
		launch(m, "add_sorted_f32", kernels.Flat(n*outer*inner, few), p)
		compare(t, "add_sorted", got, want)
	}

	m := &machine{t: t}
	var sorted, places []int64
	x, got := ripple[float32](outer*n), samples[float32](outer*extent, 1)
	want := slices.Clone(got)
	for line := range outer {
		index := crowded(n)
		if line == 1 {
			slices.Reverse(index)
		}
		s, at := inOrder(index)
		joined(want[line*extent:], s, at, -1, func(place int64) float32 { return x[line*n+int(place)] })
		sorted, places = append(sorted, s...), append(places, at...)
	}
	p := kernels.Lines{Lines: outer, N: n, Extent: extent, Out: put(m, got), In: put(m, x), Sorted: put(m, sorted), Places: put(m, places), Joined: put(m, make([]float32, n/kernels.SortedChunk*outer)), Rank: 1,
		Extents: [8]uint32{outer}, Steps: [3]int64{1, 1, 1}, Strides: [3][8]int64{{extent}, {n}, {n}}}
	kernels.ChunkLevels(n, func(level uint32, chunks int) error {
		p.Level = level
		launch(m, "scatter_add_chunks_f32", kernels.Flat(uint64(chunks*outer), few), p)
		return nil
	})
	launch(m, "scatter_add_sorted_f32", kernels.Flat(outer*n, few), p)
	compare(t, "scatter_add_sorted", got, want)
}
