package kern

import (
	"math"

	"cresset/internal/kern/vec"
	"cresset/internal/mem"
	"cresset/internal/par"
)

// FixedPairs is Fixed with three digits for weights of int4 in groups, whose even and odd elements meet digits of their own.
type FixedPairs struct {
	M, K, Group int
	X           []int8    // [M, FixedPairsLen(K)]
	Eights      []int32   // [M, FixedPairsLen(K)/24]: 8 times the sum of each 8 numbers
	Sums        []float32 // [M, PaddedGroups(K, Group)]: of the numbers of each group
	Step        []float64 // [M]
}

// FixedPairsLen returns how many digits a row of k numbers has.
func FixedPairsLen(k int) int { return ceilDiv(k, vec.Int4Block) * vec.Int4Block * vec.QuantDigits }

// PaddedGroups returns how many sums of groups a row has, with zeros behind them.
func PaddedGroups(k, group int) int { return ceilDiv(k/group, 16) * 16 }

// FixedPairsBytes returns how much memory m rows of k numbers take.
func FixedPairsBytes(m, k, group int) int {
	n := FixedPairsLen(k)
	return m * (n + n/6 + 4*PaddedGroups(k, group) + 8)
}

// NewFixedPairs returns room for m rows in memory for FixedPairsBytes.
func NewFixedPairs(m, k, group int, memory *mem.Block) FixedPairs {
	n, g := m*FixedPairsLen(k), m*PaddedGroups(k, group) // whole cache lines, as are the words that follow
	words := n/4 + n/24
	return FixedPairs{
		M: m, K: k, Group: group, X: mem.Slice[int8](memory)[:n], Eights: mem.Slice[int32](memory)[n/4:][:n/24],
		Sums: mem.Slice[float32](memory)[words:][:g], Step: mem.Slice[float64](memory)[(words+g)/2:][:m],
	}
}

// Set writes row i.
func (f *FixedPairs) Set(i int, x []float32) {
	digits, eights, sums := f.row(i)
	largest := magnitude(x)
	if !isFinite(float64(largest)) {
		clear(digits)
		clear(eights)
		clear(sums)
		f.Step[i] = math.NaN()
		return
	}
	factor, step := fixedStep(largest)
	f.Step[i] = step
	done := vec.SplitDigitPairs(digits, x, factor)
	for ; done < len(x); done += vec.Int4Block {
		var block [vec.Int4Block]float32
		copy(block[:], x[done:])
		to := digits[done*vec.QuantDigits:]
		if vec.SplitDigitPairs(to, block[:], factor) > 0 {
			continue
		}
		for l, v := range block {
			n := int32(math.RoundToEven(float64(v * factor)))
			for d := range vec.QuantDigits {
				to[d*vec.Int4Block+l%2*64+l/2] = int8(n)
				n = (n - int32(int8(n))) >> 8
			}
		}
	}
	if !vec.AddEights(eights, digits) {
		addEights(eights, digits)
	}
	clear(sums[f.K/f.Group:])
	for g := range f.K / f.Group {
		var sum int32
		for _, v := range eights[g*f.Group/8 : (g+1)*f.Group/8] {
			sum += v >> 3
		}
		sums[g] = float32(sum)
	}
}

// row returns what belongs to row i.
func (f *FixedPairs) row(i int) (digits []int8, eights []int32, sums []float32) {
	n, g := FixedPairsLen(f.K), PaddedGroups(f.K, f.Group)
	return f.X[i*n:][:n], f.Eights[i*n/24:][:n/24], f.Sums[i*g:][:g]
}

// addEights writes 8 times the sum of each 8 numbers.
func addEights(eights []int32, digits []int8) {
	for lane := range eights {
		at := digits[lane/16*vec.Int4Block*vec.QuantDigits+lane%16*4:]
		var sum int32
		for d := vec.QuantDigits - 1; d >= 0; d-- {
			even, odd := at[d*vec.Int4Block:][:4], at[d*vec.Int4Block+64:][:4]
			sum <<= 8
			for i, v := range even {
				sum += int32(v) + int32(odd[i])
			}
		}
		eights[lane] = sum << 3
	}
}

// number returns number l of row i.
func (f *FixedPairs) number(i, l int) (n int32) {
	at := f.X[i*FixedPairsLen(f.K)+l/vec.Int4Block*vec.Int4Block*vec.QuantDigits:]
	for d := vec.QuantDigits - 1; d >= 0; d-- {
		n = n<<8 + int32(at[d*vec.Int4Block+l%2*64+l%vec.Int4Block/2])
	}
	return n
}

// Int4Linear is y = x·((w - zero)·scale)ᵀ + bias of a weight [N, K] of int4 with a scale and a zero point for each group of 32, 64 or 128 elements of a row.
type Int4Linear struct {
	X     FixedPairs
	N     int
	W     []int32   // [N, K/8]: eight elements a word, the first in its lowest bits
	Scale []float32 // [N, K/Group]
	Zero  []int32   // [N/8 rounded up, K/Group]: the zero points of eight rows a word; nil where all are 8
	Bias  []float32 // [N], nil for none
	Y     []float32 // [M, N]
}

// Run computes y: sums in lanes, as vec.Int4Rows tells, times the step of x's row, rounded to float32, plus the bias.
func (p Int4Linear) Run() {
	if p.squared() {
		p.runSquares(par.For)
		return
	}
	grain := quantGrain(p.X.M, p.X.K)
	if par.Inline(p.N, grain) {
		p.rows(0, p.N)
		return
	}
	par.For(p.N, grain, p.rows)
}

// rows computes rows of the weight.
func (p Int4Linear) rows(lo, hi int) {
	tile := quantRowsOf(p.X.M, p.X.K/2)
	for j := lo; j < hi; j += tile {
		for i := range p.X.M {
			p.multiply(i, j, min(tile, hi-j))
		}
	}
}

// multiply computes so many rows of the weight, from row j on, with row i of x.
func (p *Int4Linear) multiply(i, j, rows int) {
	d := p.int4Rows(i, j, rows)
	d.X, d.Eights, d.Sums = p.X.row(i)
	d.Step = p.X.Step[i]
	if d.K == 0 || !d.Run() {
		p.X.addInt4(&d, i)
	}
}

// int4Rows is what products of such rows have but for what belongs to x.
func (p *Int4Linear) int4Rows(i, j, rows int) vec.Int4Rows {
	k, groups := p.X.K, p.X.K/p.X.Group
	d := vec.Int4Rows{Rows: rows, K: k, Group: p.X.Group, W: p.W[j*k/8:], Scale: p.Scale[j*groups:], First: j % 8, Y: p.Y[i*p.N+j:]}
	if p.Zero != nil {
		d.Zero = p.Zero[j/8*groups:]
	}
	if p.Bias != nil {
		d.Bias = p.Bias[j:]
	}
	return d
}

// addInt4 is d.Run in Go, of row i.
func (f *FixedPairs) addInt4(d *vec.Int4Rows, i int) {
	groups := d.K / d.Group
	for r := range d.Rows {
		var lanes [vec.Int4Lanes]float32
		for at := range d.K / 8 {
			var sum int32
			for l := range 8 {
				sum += f.number(i, 8*at+l) * (int32(uint32(d.W[r*d.K/8+at])>>(4*l)&15) - 8)
			}
			lane := &lanes[at%vec.Int4Lanes]
			*lane = fma32(float64(d.Scale[r*groups+8*at/d.Group])*float64(float32(sum)), float64(*lane))
		}
		if d.Zero != nil {
			row, shift := (d.First+r)/8*groups, 4*((d.First+r)%8)
			for g, word := range d.Zero[row:][:groups] {
				zero := d.Scale[r*groups+g] * (float32(uint32(word)>>shift&15) - 8)
				lane := &lanes[g%vec.Int4Lanes]
				*lane = fma32(-float64(zero)*float64(d.Sums[g]), float64(*lane))
			}
		}
		d.Y[r] = float32(float64(pairSum(lanes[:])) * d.Step)
		if d.Bias != nil {
			d.Y[r] += d.Bias[r]
		}
	}
}

// pairSum adds lanes, whose number is a power of two, in pairs: those of the second half to those of the first.
func pairSum(lanes []float32) float32 {
	for n := len(lanes) / 2; n > 0; n /= 2 {
		for i, v := range lanes[n : 2*n] {
			lanes[i] += v
		}
	}
	return lanes[0]
}
