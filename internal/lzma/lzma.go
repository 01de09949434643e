// Package lzma unpacks what xz --format=lzma has packed: Igor Pavlov's LZMA, as lzma-specification.txt of the LZMA SDK describes it. Text of GPU
// kernels takes 40 % of the bytes of gzip, because matches reach back over megabytes instead of 32 KB.
package lzma

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Decode returns what a file in the form .lzma holds. Of a file that is cut off, or is none, it returns an error.
func Decode(packed []byte) ([]byte, error) {
	const header = 13
	if len(packed) < header+5 || packed[0] >= 9*5*5 || packed[header] != 0 {
		return nil, errors.New("lzma: not an .lzma file")
	}
	properties := packed[0]
	d := &decoder{
		in:       rangeDecoder{rest: packed[header+5:], width: math.MaxUint32, code: binary.BigEndian.Uint32(packed[header+1:])},
		lc:       properties % 9,
		lp:       properties / 9 % 5,
		pb:       properties / 45,
		distance: newDistanceDecoder(),
	}
	d.literals = halves(make([]probability, literalProbabilities<<(d.lc+d.lp)))
	for _, p := range [][]probability{d.isMatch[:], d.isRep[:], d.isRepG0[:], d.isRepG1[:], d.isRepG2[:], d.isRep0Long[:]} {
		halves(p)
	}
	d.length.reset()
	d.repLength.reset()
	size := binary.LittleEndian.Uint64(packed[5:])
	for uint64(len(d.out)) < size && !d.ended && d.err == nil {
		d.next()
	}
	switch {
	case d.err != nil:
		return nil, d.err
	case d.in.short:
		return nil, errors.New("lzma: the file is cut off")
	case size != math.MaxUint64 && uint64(len(d.out)) != size:
		return nil, fmt.Errorf("lzma: %d bytes were packed, the header says %d", len(d.out), size)
	}
	return d.out, nil
}

// A decoder has the names of the specification. A packet is a literal byte or a match: a length, and how far back the bytes are to be copied from, which is
// written out or is one of the last four distances.
type decoder struct {
	in         rangeDecoder
	out        []byte
	lc, lp, pb byte // bits of the byte before, and of the position, that choose the probabilities of a literal; of the position for other packets
	state      int  // which kinds the last packets were of
	rep        [4]uint32

	literals                         []probability
	isMatch, isRep0Long              [states << 4]probability
	isRep, isRepG0, isRepG1, isRepG2 [states]probability
	length, repLength                lengthDecoder
	distance                         *distanceDecoder

	ended bool // the mark of the end has been read
	err   error
}

const (
	states               = 12
	afterLiteral         = 7 // states below this one follow a literal
	literalProbabilities = 0x300
	shortest             = 2 // a match
)

// next reads a packet.
func (d *decoder) next() {
	if d.in.short {
		d.err = errors.New("lzma: the file is cut off")
		return
	}
	posState := len(d.out) & (1<<d.pb - 1)
	if d.in.bit(&d.isMatch[d.state<<4+posState]) == 0 {
		d.literal()
		return
	}
	var n int
	if d.in.bit(&d.isRep[d.state]) == 0 {
		n = d.length.read(&d.in, posState)
		d.rep = [4]uint32{d.distance.read(&d.in, n), d.rep[0], d.rep[1], d.rep[2]}
		if d.rep[0] == math.MaxUint32 {
			d.ended = true
			return
		}
		d.enter(7, 10)
	} else if d.again(posState) {
		d.enter(9, 11)
		d.copy(1)
		return
	} else {
		n = d.repLength.read(&d.in, posState)
		d.enter(8, 11)
	}
	d.copy(n + shortest)
}

// again chooses one of the last four distances, puts it in front, and reports whether the match is of a single byte.
func (d *decoder) again(posState int) (single bool) {
	if d.in.bit(&d.isRepG0[d.state]) == 0 {
		return d.in.bit(&d.isRep0Long[d.state<<4+posState]) == 0
	}
	which := 1
	if d.in.bit(&d.isRepG1[d.state]) == 1 {
		which = 2 + int(d.in.bit(&d.isRepG2[d.state]))
	}
	chosen := d.rep[which]
	copy(d.rep[1:which+1], d.rep[:which])
	d.rep[0] = chosen
	return false
}

// enter goes to the state of a match after a literal, or after another match.
func (d *decoder) enter(afterByte, afterMatch int) {
	if d.state < afterLiteral {
		d.state = afterByte
	} else {
		d.state = afterMatch
	}
}

// literal reads a byte. After a match it is told apart first from the byte that would have continued the match.
func (d *decoder) literal() {
	var before byte
	if len(d.out) > 0 {
		before = d.out[len(d.out)-1]
	}
	which := len(d.out)&(1<<d.lp-1)<<d.lc + int(before)>>(8-d.lc)
	probabilities := d.literals[literalProbabilities*which:][:literalProbabilities]
	symbol := uint32(1)
	if d.state >= afterLiteral {
		if uint64(d.rep[0]) >= uint64(len(d.out)) {
			d.err = errors.New("lzma: a distance reaches before the first byte")
			return
		}
		expected := uint32(d.out[len(d.out)-1-int(d.rep[0])])
		for symbol < 0x100 {
			bit := expected >> 7 & 1
			expected <<= 1
			got := d.in.bit(&probabilities[(1+bit)<<8+symbol])
			symbol = symbol<<1 | got
			if got != bit {
				break
			}
		}
	}
	for symbol < 0x100 {
		symbol = symbol<<1 | d.in.bit(&probabilities[symbol])
	}
	d.out = append(d.out, byte(symbol))
	switch {
	case d.state < 4:
		d.state = 0
	case d.state < 10:
		d.state -= 3
	default:
		d.state -= 6
	}
}

// copy appends n bytes that stand at the first distance; they may overlap those that it appends.
func (d *decoder) copy(n int) {
	if uint64(d.rep[0]) >= uint64(len(d.out)) {
		d.err = errors.New("lzma: a distance reaches before the first byte")
		return
	}
	from, back := len(d.out)-1-int(d.rep[0]), int(d.rep[0])+1
	for n > back {
		d.out = append(d.out, d.out[from:from+back]...)
		n -= back
	}
	d.out = append(d.out, d.out[from:from+n]...)
}
