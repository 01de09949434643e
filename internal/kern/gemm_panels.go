package kern

import (
	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
	"cresset/internal/par"
)

// Products that share B may share its packed copy: a recurrent layer multiplies the states of all steps by the same weight, and
// lstm/128x64x256 takes a twelfth less time so.

// PanelsLen returns how many elements B has as panels, 0 where a product of m rows would not read them: where it reads B where it is, by dot
// products or as one row of tiles.
func PanelsLen[T dtype.Float](m, n, k int, a, b Matrix[T]) int {
	p := product[T]{m: m, n: n, k: k, alpha: 1, a: a, b: b}
	if m == 0 || vec.TileRows() == 0 || p.dots() || b.Col == 1 && m <= vec.TileRows() {
		return 0
	}
	width := vec.PanelCols[T]()
	return k * ceilDiv(n, width) * width
}

// Pack writes B [k, n] as panels, of PanelsLen elements.
func Pack[T dtype.Float](panels []T, n, k int, b Matrix[T]) {
	t := tiling[T]{product: product[T]{n: n, k: k, b: b}, colEnd: n, end: k, packedB: panels, width: vec.PanelCols[T]()}
	t.packB(par.For)
}

// GemmPanels is GemmBias with B as panels, with the same bits. Without a bias C starts from zero.
func GemmPanels[T dtype.Float](m, n, k int, a Matrix[T], panels, bias []T, biasRow int, then op.Op, c []T, ldc int) {
	if m == 0 || n == 0 {
		return
	}
	p := product[T]{m: m, n: n, k: k, alpha: 1, a: a, bias: bias, biasRow: biasRow, then: then, c: c, ldc: ldc}
	t := p.tiling()
	t.packedB = panels
	t.compute(par.For)
}
