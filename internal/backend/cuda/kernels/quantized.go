package kernels

// ThinBytes is how many bytes of the weight a thread loads at a time where few rows are multiplied, and TileBytes where tensor cores do.
const ThinBytes, TileBytes = 64, 64

// QuantizedGrid is the grid of kernels that multiply few rows, so many in each block, by a weight of so many bits: 4 rows of it in a block, whose threads have 16 bytes of each at
// a time.
func QuantizedGrid(p *Quantized, rows uint64, bits int) Grid {
	warps := min(max(divideUp(p.K*uint64(bits), 32*128), 1), 4)
	return Grid{Blocks: [3]uint32{uint32(divideUp(p.M, rows) * divideUp(p.N, 4)), 1, 1}, Threads: [3]uint32{uint32(32 * warps), 1, 1}}
}

// QuantizedTiles are of how many tiles of 8 rows of x the kernels are that have tensor cores.
var QuantizedTiles = [...]uint64{1, 2, 4}

// MostTileRows is how many rows of x those compute at most, for linear_int8/128x8192x28672: for more it takes less time to make the weight one of x's dtype.
const MostTileRows = 128

// TilesFor returns which of QuantizedTiles is for so many rows, and how many blocks of it lie below each other.
func TilesFor(rows uint64) (i int, down uint64) {
	for i+1 < len(QuantizedTiles) && QuantizedTiles[i]*8 < rows {
		i++
	}
	return i, divideUp(rows, QuantizedTiles[i]*8)
}

// QuantizedTileGrid is the grid of the kernel with which of QuantizedTiles.
func QuantizedTileGrid(p *Quantized, tiles int, down uint64) Grid {
	columns := uint64(16)
	if tiles > 0 {
		columns = 32
	}
	return Grid{Blocks: [3]uint32{uint32(divideUp(p.N, columns) * down), 1, 1}, Threads: [3]uint32{256, 1, 1}}
}

// RoundedGrid is the grid of the kernel that rounds rows to int8: a block for each, whose threads have 8 numbers where they suffice.
func RoundedGrid(p *Quantized) Grid {
	warps := min(max(divideUp(p.K, 8*32), 1), 32)
	return Grid{Blocks: [3]uint32{uint32(p.M), 1, 1}, Threads: [3]uint32{uint32(32 * warps), 1, 1}}
}
