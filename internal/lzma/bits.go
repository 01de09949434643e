package lzma

// A probability, in 2048ths, that a bit is 0. Each bit that is read moves it by a 32nd of the way.
type probability uint16

// halves makes both bits equally probable.
func halves(p []probability) []probability {
	for i := range p {
		p[i] = 1024
	}
	return p
}

// A rangeDecoder reads bits from a number between 0 and 1, of which it holds the digits that tell the next bits.
type rangeDecoder struct {
	rest        []byte
	width, code uint32
	short       bool // more was read than there is
}

func (r *rangeDecoder) bit(p *probability) uint32 {
	bound := r.width >> 11 * uint32(*p)
	var bit uint32
	if r.code < bound {
		r.width = bound
		*p += (2048 - *p) >> 5
	} else {
		r.width -= bound
		r.code -= bound
		*p -= *p >> 5
		bit = 1
	}
	if r.width < 1<<24 {
		r.shift()
	}
	return bit
}

func (r *rangeDecoder) shift() {
	r.width <<= 8
	r.code <<= 8
	if len(r.rest) == 0 {
		r.short = true
		return
	}
	r.code |= uint32(r.rest[0])
	r.rest = r.rest[1:]
}

// direct reads bits that are as probable as not, the highest first.
func (r *rangeDecoder) direct(bits int) (n uint32) {
	for range bits {
		r.width >>= 1
		n <<= 1
		if r.code >= r.width {
			r.code -= r.width
			n |= 1
		}
		if r.width < 1<<24 {
			r.shift()
		}
	}
	return n
}

// tree reads a number of so many bits, the highest first, each with a probability for all the bits above it.
func (r *rangeDecoder) tree(p []probability, bits int) int {
	n := uint32(1)
	for range bits {
		n = n<<1 | r.bit(&p[n])
	}
	return int(n) - 1<<bits
}

// reversed reads a number of so many bits, the lowest first.
func (r *rangeDecoder) reversed(p []probability, bits int) (n uint32) {
	node := uint32(1)
	for i := range bits {
		bit := r.bit(&p[node])
		node = node<<1 | bit
		n |= bit << i
	}
	return n
}

// A lengthDecoder reads how long a match is, beyond the shortest.
type lengthDecoder struct {
	choice, choice2 probability
	low, mid        [16][8]probability
	high            [256]probability
}

func (l *lengthDecoder) reset() {
	l.choice, l.choice2 = 1024, 1024
	for i := range l.low {
		halves(l.low[i][:])
		halves(l.mid[i][:])
	}
	halves(l.high[:])
}

func (l *lengthDecoder) read(r *rangeDecoder, posState int) int {
	switch {
	case r.bit(&l.choice) == 0:
		return r.tree(l.low[posState][:], 3)
	case r.bit(&l.choice2) == 0:
		return 8 + r.tree(l.mid[posState][:], 3)
	}
	return 16 + r.tree(l.high[:], 8)
}

// A distanceDecoder reads how far back a match is, less 1: a slot that tells the highest bits and how many follow.
type distanceDecoder struct {
	slots [4][64]probability // for matches of length 2, 3, 4 and more
	near  [115]probability
	align [16]probability
}

func newDistanceDecoder() *distanceDecoder {
	d := &distanceDecoder{}
	for i := range d.slots {
		halves(d.slots[i][:])
	}
	halves(d.near[:])
	halves(d.align[:])
	return d
}

func (d *distanceDecoder) read(r *rangeDecoder, length int) uint32 {
	slot := r.tree(d.slots[min(length, 3)][:], 6)
	if slot < 4 {
		return uint32(slot)
	}
	more := slot>>1 - 1
	distance := uint32(2|slot&1) << more
	if slot < 14 {
		return distance + r.reversed(d.near[distance-uint32(slot):], more)
	}
	distance += r.direct(more-4) << 4
	return distance + r.reversed(d.align[:], 4)
}
