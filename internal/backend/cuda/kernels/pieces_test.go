package kernels_test

import (
	"testing"

	"cresset/internal/backend/cuda/kernels"
)

// TestCopyPieces copies pieces that begin and end where wide elements do not.
func TestCopyPieces(t *testing.T) {
	m := &machine{t: t}
	source, got := make([]uint8, 1<<13), make([]uint8, 1<<13)
	for i := range source {
		source[i] = uint8(i*37 + 11)
	}
	from, to := put(m, source), put(m, got)
	var list []kernels.Piece
	want, at := make([]uint8, len(got)), uint64(0)
	for _, bytes := range []uint64{8, 1, 4000, 0, 12, 7, 2048} {
		list = append(list, kernels.Piece{To: to + at, From: from + at, Bytes: bytes})
		copy(want[at:at+bytes], source[at:at+bytes])
		at += bytes + bytes%3
	}
	p := kernels.Pieces{List: put(m, list), Count: uint32(len(list))}
	for _, g := range []kernels.Grid{kernels.PieceGrid(len(list), 4000, few), kernels.PieceGrid(2, 1, few)} {
		clear(got)
		launch(m, "copy_pieces_b8", g, p)
		compare(t, "copy_pieces", got, want)
	}
}

// TestAddPieces adds several terms to each piece, the first term first.
func TestAddPieces(t *testing.T) {
	m := &machine{t: t}
	var terms [][]float32
	var bases []uint64
	for k := range 3 {
		terms = append(terms, make([]float32, 1000))
		for i := range terms[k] {
			terms[k][i] = float32(i+1) * 1e7 / float32(k*k+1)
		}
		bases = append(bases, put(m, terms[k]))
	}
	var list []kernels.Piece
	var got, want [][]float32
	at := 0
	for _, n := range []int{1, 700, 33} {
		sum, out := waves(uint64(n)), make([]float32, n)
		for i := range out {
			out[i] = sum[i]
			for k := range terms {
				out[i] += terms[k][at+i]
			}
		}
		list = append(list, kernels.Piece{To: put(m, sum), From: uint64(4 * at), Bytes: uint64(4 * n)})
		got, want = append(got, sum), append(want, out)
		at += n
	}
	p := kernels.Pieces{List: put(m, list), Bases: put(m, bases), Count: uint32(len(list)), Terms: uint32(len(bases))}
	launch(m, "add_pieces_f32", kernels.PieceGrid(len(list), 700, few), p)
	for i := range want {
		compare(t, "add_pieces", got[i], want[i])
	}
}

// TestAddPiecesOfHalves: half types round after each term, as where they are added one by one. One is half of the last bit of
// the large number, and is lost twice; two at once would not be.
func TestAddPiecesOfHalves(t *testing.T) {
	for _, tt := range []struct {
		kernel     string
		large, one uint16
	}{
		{"add_pieces_f16", 0x6800, 0x3c00},  // 2048
		{"add_pieces_bf16", 0x4380, 0x3f80}, // 256
	} {
		m := &machine{t: t}
		got := []uint16{tt.large, tt.one}
		ones := put(m, []uint16{tt.one, 0})
		list := put(m, []kernels.Piece{{To: put(m, got), Bytes: 4}})
		p := kernels.Pieces{List: list, Bases: put(m, []uint64{ones, ones}), Count: 1, Terms: 2}
		launch(m, tt.kernel, kernels.PieceGrid(1, 4, few), p)
		compare(t, tt.kernel, got, []uint16{tt.large, tt.one})
	}
}
