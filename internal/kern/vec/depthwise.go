package vec

import (
	"unsafe"

	"cresset/dtype"
)

// A Window3x3 describes a convolution of planes of H x W, each by itself, by windows of 3x3, Stride apart, to planes of OH x OW.
type Window3x3 struct {
	H, W, OH, OW int
	PadH, PadW   int
	Stride       int
}

// maxDepthwise bounds an axis of the planes, so that distances in bytes are small numbers.
const maxDepthwise = 1 << 24

// HasDepthwise reports whether NewDepthwise and, where windows are two columns apart, NewSpread take the convolution.
func (w *Window3x3) HasDepthwise() bool {
	return (current == AVX512 || current == AVX2) && (w.Stride == 1 || w.Stride == 2) && min(w.H, w.W, w.OH, w.OW) > 0 && max(w.H, w.W, w.OH, w.OW, w.PadH, w.PadW) < maxDepthwise
}

// A Depthwise computes convolutions of one description, or their gradients, of many planes.
type Depthwise[T dtype.Float] struct {
	from, to Plane // of the planes that are read and written
	stride   int   // 1 or 2; 0 for the gradient for the input
	pad      int   // lines, of the gradient for the input
	lines    []int64
	masks    []uint16
	table    []int32 // of AVX2: masks as vectors, and how far from each vector the next one is
	c        depthCall
}

// A Plane is a plane's extents.
type Plane struct{ H, W int }

const depthMasks = 8 // of a vector, the last of which is none

// depthStarts returns where vectors of n columns begin in lines of width: under AVX2 the last is over the one before, where there are as many columns.
func depthStarts(width, n int) (starts []int) {
	for j := 0; j < width; j += n {
		if current == AVX2 && width >= n {
			j = min(j, width-n)
		}
		starts = append(starts, j)
	}
	return starts
}

// NewDepthwise prepares the convolution, and its gradient for the weights.
func NewDepthwise[T dtype.Float](w *Window3x3) *Depthwise[T] {
	d := &Depthwise[T]{from: Plane{w.H, w.W}, to: Plane{w.OH, w.OW}, stride: w.Stride}
	for v := range (w.OH-1)*w.Stride + 3 {
		d.line(v - w.PadH)
	}
	n := Lanes[T]()
	starts := depthStarts(w.OW, n)
	for v, j := range starts {
		d.columns(w, j*w.Stride-w.PadW)
		d.mask(j-v*n, w.OW-v*n) // those that the vectors before have not
		d.masks = append(d.masks, 0)
	}
	d.call(w.PadW, w.Stride*n, n)
	d.expand(starts, w.Stride, 1, w.OW < n)
	return d
}

// columns adds the masks of what a vector reads from first on, the column of x that the first column of its first window reads.
func (d *Depthwise[T]) columns(w *Window3x3, first int) {
	n := Lanes[T]()
	switch {
	case w.Stride == 1:
		for q := range 3 {
			d.mask(first+q, w.W)
		}
		d.masks = append(d.masks, 0)
	case current == AVX2:
		for _, q := range []int{0, n, 2, n + 2} {
			d.mask(first+q, w.W)
		}
	default:
		d.mask(first, w.W)
		d.mask(first+n, w.W)
		d.masks = append(d.masks, 0, 0)
		if last := first + 2*n; last >= 0 && last < w.W {
			d.masks[len(d.masks)-2] = 1
		}
	}
	d.masks = append(d.masks, 0, 0)
}

// NewSpread prepares the gradient for the input of a convolution whose windows are two columns apart.
func NewSpread[T dtype.Float](w *Window3x3) *Depthwise[T] {
	d := &Depthwise[T]{from: Plane{w.OH, w.OW}, to: Plane{w.H, w.W}, pad: w.PadH}
	for at := w.PadH/2 - 1; at <= (w.PadH+w.H-1)/2; at++ {
		d.line(at)
	}
	n := Lanes[T]()
	// Columns with one parity meet the window's first and third column, by neighbours in dy; the others the second.
	first, second := (w.PadW+1)/2, w.PadW/2
	whole := w.W >= 2*n && w.W%2 == 0 // else the last pair of vectors would begin at an odd column, or before the line
	starts := depthStarts(w.W&^1, 2*n)
	if !whole {
		starts = nil
		for j := 0; j < w.W; j += 2 * n {
			starts = append(starts, j)
		}
	}
	for _, j := range starts {
		for _, at := range []int{first, second, first - 1} {
			d.mask(j/2+at, w.OW)
		}
		d.masks = append(d.masks, 0, 0)
		d.mask(j, w.W)
		d.mask(j+n, w.W)
		d.masks = append(d.masks, 0)
	}
	d.call(1-first, n, 2*n)
	d.expand(starts, 1, 2, !whole)
	d.c.between, d.c.swapped = (second-first+1)*sizeOf[T](), w.PadW%2
	return d
}

// line adds to the table where a line of the planes that are read begins, where there is one.
func (d *Depthwise[T]) line(at int) {
	offset := -1
	if at >= 0 && at < d.from.H {
		offset = at * d.from.W * sizeOf[T]()
	}
	d.lines = append(d.lines, int64(offset))
}

// mask adds one of the lanes that are elements from zero on and before end, where the first lane is element first.
func (d *Depthwise[T]) mask(first, end int) {
	var m uint16
	for l := range Lanes[T]() {
		if first+l >= 0 && first+l < end {
			m |= 1 << l
		}
	}
	d.masks = append(d.masks, m)
}

// call sets what all calls have, given how many elements before the plane the first vector is, and how far apart vectors are.
func (d *Depthwise[T]) call(before, stepX, stepY int) {
	size := sizeOf[T]()
	d.c = depthCall{
		masks: pointer(d.masks, 0), vectors: len(d.masks) / depthMasks,
		planeX: d.from.H * d.from.W * size, planeY: d.to.H * d.to.W * size, rowY: d.to.W * size, stepX: stepX * size, stepY: stepY * size,
		before: before * size,
	}
}

// expand writes the table of AVX2, whose kernels go so many columns of x on for so many of y. Where a line of y is narrow, or ends with part of a vector,
// it is written by masks.
func (d *Depthwise[T]) expand(starts []int, x, y int, narrow bool) {
	if current != AVX2 {
		return
	}
	size, lanes := sizeOf[T](), Lanes[T]()
	for v, j := range starts {
		for _, m := range d.masks[v*depthMasks:][:depthMasks-1] {
			for i := range lanes * size / 4 {
				d.table = append(d.table, -int32(m>>(i*4/size)&1))
			}
		}
		step := 0
		if v+1 < len(starts) {
			step = starts[v+1] - j
		}
		d.table = append(d.table, int32(step/y*x*size), 0, int32(step*size), 0, 0, 0, 0, 0)
	}
	d.c.masks = pointer(d.table, 0)
	if narrow {
		d.c.narrow = 1
	}
}

// Run computes lines of so many planes of y, from line on, each of a plane of x with nine weights and a bias, none where that is nil; where one is set, all
// are of the same plane of x. Products are added to the bias in order.
func (d *Depthwise[T]) Run(y, x, w, bias []T, planes int, one bool, line, lines int) {
	if planes == 0 || lines == 0 {
		return
	}
	c := d.operands(y, x, planes, one, line, lines)
	_ = w[9*planes-1] // This fails where there are too few.
	var none T
	c.w, c.bias = pointer(w, 0), unsafe.Pointer(&none)
	if bias != nil {
		_ = bias[planes-1]
		c.bias, c.stepBias = pointer(bias, 0), sizeOf[T]()
	}
	switch d.stride {
	case 1:
		runDepthwise1[T](unsafe.Pointer(&c))
	case 2:
		runDepthwise2[T](unsafe.Pointer(&c))
	default:
		runDepthSpread[T](unsafe.Pointer(&c))
	}
}

// DepthSums returns how many sums AddSums has of each plane: as many for each of nine weights.
func DepthSums[T dtype.Float]() int { return 9 * Lanes[T]() }

// AddSums adds to DepthSums sums of each plane of dy the products of lines of it, from line on, with the elements of x that each weight is
// multiplied by: all of a weight together are its gradient.
func (d *Depthwise[T]) AddSums(sums, dy, x []T, planes int, one bool, line, lines int) {
	if planes == 0 || lines == 0 {
		return
	}
	c := d.operands(dy, x, planes, one, line, lines)
	_ = sums[planes*DepthSums[T]()-1] // This fails where there are too few.
	c.w = pointer(sums, 0)
	if d.stride == 1 {
		runDepthSums1[T](unsafe.Pointer(&c))
	} else {
		runDepthSums2[T](unsafe.Pointer(&c))
	}
}

// operands is a call for lines of planes.
func (d *Depthwise[T]) operands(y, x []T, planes int, one bool, line, lines int) depthCall {
	c := d.c
	read := planes
	if one {
		c.planeX, read = 0, 1
	}
	first, last := line*d.stride, (line+lines-1)*d.stride+2
	if d.stride == 0 {
		first, last = (line+d.pad)/2-d.pad/2, (line+lines-1+d.pad)/2-d.pad/2+1
		c.odd = (line + d.pad) % 2
	}
	// These fail where an operand is too short.
	_, _, _ = y[planes*d.to.H*d.to.W-1], d.lines[last], x[:read*d.from.H*d.from.W]
	c.x, c.y, c.lines = pointer(x, 0), pointer(y, line*d.to.W), pointer(d.lines, first)
	c.planes, c.rows = planes, lines
	return c
}
