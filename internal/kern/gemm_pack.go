package kern

import "cresset/dtype"

// packA copies panel i of the block's rows, for run steps from k on, as
// [run, mr], multiplied by alpha. Rows beyond the block become zeros: the
// kernel computes whole tiles, and what it makes of them is dropped.
func (b *block[T]) packA(i, k, run int) {
	mr := b.kernel.mr
	dst := b.packedA[i*mr*run:][:mr*run]
	lanes := min(mr, b.rows-i*mr)
	a := b.product.a
	packPanel(dst, mr, lanes, run, a.Data[(b.row+i*mr)*a.Row+k*a.Col:], a.Row, a.Col)
	if b.alpha != 1 {
		for i := range dst {
			dst[i] *= b.alpha
		}
	}
}

// packB copies panel j of the block's columns as [run, nr], as packA does.
func (b *block[T]) packB(j, k, run int) {
	nr := b.kernel.nr
	dst := b.packedB[j*nr*run:][:nr*run]
	lanes := min(nr, b.cols-j*nr)
	m := b.product.b
	packPanel(dst, nr, lanes, run, m.Data[(b.col+j*nr)*m.Col+k*m.Row:], m.Col, m.Row)
}

// packPanel writes dst[k*width+l] = src[l*across+k*along] for lanes of width l
// and run values of k.
func packPanel[T dtype.Float](dst []T, width, lanes, run int, src []T, across, along int) {
	switch {
	case lanes == width && across == 1:
		for k := range run {
			copy(dst[k*width:][:width], src[k*along:])
		}
	case lanes == width && along == 1 && width == 2:
		interleave2(dst, src[:run], src[across:][:run])
	case lanes == width && along == 1 && width == 4:
		interleave4(dst, src[:run], src[across:][:run], src[2*across:][:run], src[3*across:][:run])
	default:
		clear(dst)
		for l := range lanes {
			to, from := dst[l:], src[l*across:]
			for k := range run {
				to[k*width] = from[k*along]
			}
		}
	}
}

func interleave2[T dtype.Float](dst, x, y []T) {
	for i, v := range x {
		d := (*[2]T)(dst[2*i:])
		d[0], d[1] = v, y[i]
	}
}

func interleave4[T dtype.Float](dst, x, y, z, w []T) {
	for i, v := range x {
		d := (*[4]T)(dst[4*i:])
		d[0], d[1], d[2], d[3] = v, y[i], z[i], w[i]
	}
}
