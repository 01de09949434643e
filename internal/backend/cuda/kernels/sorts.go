package kernels

// SortTile is how many elements sort_tiles sorts at once.
const SortTile = 1024

// SortWidth is how long the runs are that sort_tiles makes of lines of n elements: a power of two.
func SortWidth(n uint64) uint64 {
	width := uint64(1)
	for width < n && width < SortTile {
		width *= 2
	}
	return width
}

// SortTilesGrid is the grid of sort_tiles for so many lines of n elements.
func SortTilesGrid(lines, n uint64) Grid {
	width := SortWidth(n)
	tiles := divideUp(lines*divideUp(n, width)*width, SortTile)
	return Grid{Blocks: [3]uint32{uint32(min(max(tiles, 1), mostBlocks)), 1, 1}, Threads: [3]uint32{256, 1, 1}}
}

// RadixGrid is the grid of radix_count and radix_scatter for so many lines of n elements.
func RadixGrid(lines, n uint64) Grid {
	tiles := lines * divideUp(n, RadixTile)
	return Grid{Blocks: [3]uint32{uint32(min(max(tiles, 1), mostBlocks)), 1, 1}, Threads: [3]uint32{256, 1, 1}, Walks: true}
}

// PrefersRadix reports whether lines of n elements whose keys have so many digits are sorted by these rather than by merging sorted runs:
// merging takes as many passes as the runs of a line can be halved, and each of them searches.
func PrefersRadix(n uint64, digits int) bool { return divideUp(n, SortTile) > 1<<min(digits, 5) }

// TopParts returns into how many parts top_parts divides each of so many lines of n elements, how long a part is, and whether the first k
// elements are had sooner that way than by a sort.
func TopParts(lines, n, k uint64, multiprocessors int) (parts, part uint64, ok bool) {
	const worth = 8 // elements of which one is kept
	fill := divideUp(uint64(multiprocessors)*8, max(lines, 1))
	part = max(divideUp(n, fill), worth*k, 4*SortTile)
	parts = divideUp(n, part)
	return parts, part, n > SortTile && n >= worth*k && lines*parts <= mostBlocks
}

// SortedChunk is how many sorted indexes a thread of add_chunks and its like looks at, and of how many chunks a larger one is made. Where fewer
// meet, their order is the CPU's.
const SortedChunk = 64

// ChunkLevels calls level for each level of chunks of n sorted indexes, with how many are whole.
func ChunkLevels(n int, level func(level uint32, chunks int) error) error {
	for i := uint32(0); n >= SortedChunk; i++ {
		n /= SortedChunk
		if err := level(i, n); err != nil {
			return err
		}
	}
	return nil
}
