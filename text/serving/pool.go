package serving

// blockSize is how many positions a block of the cache holds.
const blockSize = 16

// blocksFor returns how many blocks hold some positions.
func blocksFor(positions int) int { return (positions + blockSize - 1) / blockSize }

// pool hands out the blocks of a cache.
type pool struct {
	free  []int // the last one is taken first, as its memory was used last
	total int
}

func newPool(total int) *pool {
	p := &pool{total: total}
	for b := range total {
		p.free = append(p.free, total-1-b)
	}
	return p
}

// take returns n blocks, and whether there are as many.
func (p *pool) take(n int) ([]int, bool) {
	rest := len(p.free) - n
	if rest < 0 {
		return nil, false
	}
	blocks := append([]int(nil), p.free[rest:]...)
	p.free = p.free[:rest]
	return blocks, true
}

// give takes blocks back.
func (p *pool) give(blocks []int) { p.free = append(p.free, blocks...) }
