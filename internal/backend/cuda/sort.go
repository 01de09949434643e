package cuda

import (
	"fmt"
	"math"
	"math/bits"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/layout"
	"cresset/internal/op"
)

// sorter is the kernels of sorts: of tiles and of pairs of runs to one, by digits, and of the first elements.
type sorter struct {
	tiles, merge   kernelID
	count, scatter kernelID
	top            kernelID
	size           int // of an element
}

var digitSums = newScanner("cumsum", dtype.Int32)

func (t *table) addSorts() {
	for _, dt := range numbers {
		s := newSorter(dt)
		t[op.Sort][dt] = row{launch: s.lines}
		t[op.TopK][dt] = row{launch: s.lines}
	}
}

// newSorter returns the kernels for a dtype.
func newSorter(dt dtype.DType) *sorter {
	return &sorter{
		tiles: typed("sort_tiles", dt), merge: typed("sort_merge", dt), count: typed("radix_count", dt), scatter: typed("radix_scatter", dt),
		top: typed("top_parts", dt), size: dt.Size(),
	}
}

var sortParams paramPool[kernels.Sort]

// lines writes the first elements of each sorted line to out[0] and where they were to out[1]; the results are fresh.
func (o *sorter) lines(d *Device, c *backend.Call, _ kernelID) error {
	values, indices, x := &c.Out()[0], &c.Out()[1], &c.In()[0]
	if values.Layout.Size() == 0 {
		return nil
	}
	s, p := sortParams.begin(d)
	defer s.free()
	order := c.Params.(op.Order)
	outer, n, inner := layout.Around(x.Layout.Shape(), order.Axis)
	*p = kernels.Sort{
		Outer: uint64(outer), N: uint64(n), Inner: uint64(inner), K: uint64(values.Layout.Shape()[order.Axis]), In: s.packed(x),
		Descending: flag(order.Descending),
	}
	return o.sort(&s, p, address(values), address(indices))
}

// sort issues the kernels: where few elements are wanted, at first those that leave few.
func (o *sorter) sort(s *scratch, p *kernels.Sort, out, index uint64) error {
	if p.N > math.MaxInt32 {
		return fmt.Errorf("cuda: lines of %d elements are too long to sort", p.N)
	}
	var buffers [2]sortBuffer
	for turn := 0; ; turn++ {
		parts, part, ok := kernels.TopParts(p.Outer*p.Inner, p.N, p.K, s.device.properties.Multiprocessors)
		if !ok {
			break
		}
		left := (parts-1)*p.K + min(p.K, p.N-(parts-1)*part)
		to := &buffers[turn%2]
		if turn < 2 { // later ones are shorter
			*to = o.buffer(s, p.Outer*p.Inner*left)
		}
		p.Parts, p.Part, p.Out, p.OutFrom = parts, part, to.values, to.from
		g := kernels.Grid{Blocks: [3]uint32{uint32(p.Outer * p.Inner * parts), 1, 1}, Threads: [3]uint32{256, 1, 1}}
		if err := issue(s, o.top, g, p); err != nil {
			return err
		}
		p.N, p.In, p.InFrom = left, to.values, to.from
	}
	digits := o.size
	if p.Most > 0 {
		digits = (bits.Len64(p.Most) + 7) / 8
	}
	if kernels.PrefersRadix(p.N, digits) {
		return o.byDigits(s, p, digits, out, index)
	}
	return o.byMerging(s, p, out, index)
}

// sortBuffer is memory for elements and their places in their lines.
type sortBuffer struct{ values, from uint64 }

func (o *sorter) buffer(s *scratch, n uint64) sortBuffer {
	return sortBuffer{s.take(int(n) * o.size).ptr, s.take(int(n) * 4).ptr}
}

// byMerging sorts tiles. Longer lines go back and forth between two buffers, until the last merge.
func (o *sorter) byMerging(s *scratch, p *kernels.Sort, out, index uint64) error {
	lines := p.Outer * p.Inner
	p.Width = kernels.SortWidth(p.N)
	var buffers [2]sortBuffer
	if p.Width < p.N {
		buffers = [2]sortBuffer{o.buffer(s, lines*p.N), o.buffer(s, lines*p.N)}
	}
	for pass := 0; ; pass++ {
		sorted := p.Width // when this pass is done
		if pass > 0 {
			sorted *= 2
		}
		to := buffers[pass%2]
		p.Out, p.OutFrom, p.Index = to.values, to.from, 0
		if sorted >= p.N {
			p.Out, p.OutFrom, p.Index = out, 0, index
		}
		k, g := o.merge, s.device.flat(int(lines*p.N))
		if pass == 0 {
			k, g = o.tiles, kernels.SortTilesGrid(lines, p.N)
		}
		if err := issue(s, k, g, p); err != nil || sorted >= p.N {
			return err
		}
		p.In, p.InFrom, p.Width = to.values, to.from, sorted
	}
}

// byDigits sorts by one digit of the keys after another, from the lowest.
func (o *sorter) byDigits(s *scratch, p *kernels.Sort, digits int, out, index uint64) error {
	lines := p.Outer * p.Inner
	counts := 256 * ((p.N + kernels.RadixTile - 1) / kernels.RadixTile) // of a line
	p.Counts, p.Offsets = s.take(int(lines*counts)*4).ptr, s.take(int(lines*counts)*8).ptr
	buffers := [2]sortBuffer{o.buffer(s, lines*p.N), o.buffer(s, lines*p.N)}
	for digit := range digits {
		to := buffers[digit%2]
		p.Shift, p.Out, p.OutFrom, p.Index = uint32(8*digit), to.values, to.from, 0
		if digit == digits-1 {
			p.Out, p.OutFrom, p.Index = out, 0, index
		}
		g := kernels.RadixGrid(lines, p.N)
		if err := issue(s, o.count, g, p); err != nil {
			return err
		}
		if err := digitSums.along(s.device, kernels.Scan{Outer: lines, N: counts, Inner: 1, In: p.Counts, Out: p.Offsets}); err != nil {
			return err
		}
		if err := issue(s, o.scatter, g, p); err != nil {
			return err
		}
		p.In, p.InFrom = to.values, to.from
	}
	return nil
}
