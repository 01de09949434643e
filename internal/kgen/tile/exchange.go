package tile

import "slices"

// noRow stands for the register of a row that a square lacks.
const noRow = -1

// exchange transposes a square whose first rows are in registers, the others of any content, and returns the registers of its columns. It
// exchanges elements within quarters of 16 bytes first, then the quarters. Free registers become columns' too, one more than there are rows lacking at most.
func (w *writer) exchange(rows, free []int) []int {
	n, width := w.lanes(w.elem), 16/w.size
	now := append(slices.Clone(rows), slices.Repeat([]int{noRow}, n-len(rows))...)
	exchange := func(low, high []string, i, j int) { now[i], now[j] = w.exchangePair(low, high, now[i], now[j], &free) }
	// pairs exchanges registers that are so far apart, and puts them beside each other.
	pairs := func(low, high string, apart int) {
		var next []int
		for m := range n / 2 {
			i := m + m/apart*apart
			exchange([]string{low}, []string{high}, i, i+apart)
			next = append(next, now[i], now[i+apart])
		}
		now = next
	}
	for apart := 1; apart < width; apart *= 2 {
		if w.size*apart == 4 {
			pairs("VUNPCKLPS", "VUNPCKHPS", apart)
		} else {
			pairs("VUNPCKLPD", "VUNPCKHPD", apart)
		}
	}
	// Register g*width+c now holds, in quarter q, the elements of column q*width+c of the rows from g*width on.
	for c := range width {
		if !w.masks {
			exchange([]string{"VPERM2F128", "$0x20"}, []string{"VPERM2F128", "$0x31"}, c, width+c)
			continue
		}
		for _, p := range [][2]int{{0, 1}, {2, 3}, {0, 2}, {1, 3}} {
			exchange([]string{"VSHUFF64X2", "$0x88"}, []string{"VSHUFF64X2", "$0xdd"}, p[0]*width+c, p[1]*width+c)
		}
	}
	return now
}

// exchangePair makes two registers of two by an instruction each. The first takes a free one, which the second row's then is.
func (w *writer) exchangePair(low, high []string, a, b int, free *[]int) (lower, upper int) {
	if a == noRow {
		return noRow, noRow
	}
	second := b
	if b == noRow {
		second = a
	}
	lower, *free = (*free)[0], (*free)[1:]
	for _, half := range []struct {
		instruction []string
		to          int
	}{{low, lower}, {high, a}} {
		operands := append(slices.Clone(half.instruction[1:]), w.reg(second), w.reg(a), w.reg(half.to))
		w.op(half.instruction[0], operands...)
	}
	if b != noRow {
		*free = append(*free, b)
	}
	return lower, a
}

// registers are the numbers from the first up to the end.
func registers(first, end int) (all []int) {
	for r := first; r < end; r++ {
		all = append(all, r)
	}
	return all
}
