package kern

// A strip is some tiles of one height below each other, which one call of a micro-kernel computes.
type strip struct {
	row    int
	tiles  int // there may be none
	height int
	before int // tiles of the strip above
}

// stripsOf divides rows into tiles no higher than that, whose heights differ by one at most: the end of a tile takes as long
// whatever its height.
func stripsOf(row, rowEnd, height int) [2]strip {
	rows := rowEnd - row
	tiles := ceilDiv(rows, height)
	high, low := rows%tiles, rows/tiles
	return [2]strip{{row, high, low + 1, 0}, {row + high*(low+1), tiles - high, low, high}}
}

// nextParts is how many tiles bring the next panel closer, a part each.
const nextParts = 8
