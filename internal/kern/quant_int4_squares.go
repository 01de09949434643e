package kern

import (
	"cresset/internal/kern/vec"
)

// How rows of int4 meet several rows of x under AVX-512: squares of four rows of the weight and four of x share what unpacks the weight, and what joins lanes of sums. Rows of x
// are packed once. The rows that are left over meet one row of x at a time.
//
// AMX does not help. A lane has eight products, of the 64 that a tile's sum has, so that seven eighths of a tile must be zeros: 16 rows of x times 2x64 of the weight are 3 TDPBSSD,
// one for each digit, whose sums go through memory before they are shifted, scaled and added. The TDPBSSD alone take as long as squares with all that they do.

// squareBytes are those of a weight that four rows of x meet before the next ones do: the second cache level holds them.
const squareBytes = 1 << 17

// int4Squares is an Int4Linear with packed rows of x.
type int4Squares struct {
	Int4Linear
	digits, sums int       // words of four rows of x: of vec.Int4Square's X, which come first, and of its Sums
	packed       []float32 // [M/4, digits + sums]
}

// squared reports whether the product runs in squares.
func (p *Int4Linear) squared() bool {
	if !vec.HasVNNI() || p.X.M < vec.Int4Columns || p.N < vec.QuantRows || p.X.K == 0 {
		return false
	}
	s := p.onSquares()
	return p.X.M/vec.Int4Columns*s.words() <= maxScratch
}

func (p *Int4Linear) onSquares() int4Squares {
	return int4Squares{Int4Linear: *p, digits: ceilDiv(p.X.K, vec.Int4Block) * vec.Int4Columns * vec.Int4ColumnBlock / 4, sums: vec.Int4Columns * PaddedGroups(p.X.K, p.X.Group)}
}

// words returns how many words four rows of x take.
func (s *int4Squares) words() int { return s.digits + s.sums }

// runSquares computes y.
func (p *Int4Linear) runSquares(split splitter) {
	s := p.onSquares()
	fours := s.X.M / vec.Int4Columns
	space := newScratch[float32](fours * s.words())
	defer space.release()
	s.packed = space.data
	split(fours*vec.Int4Columns, grainOf(16*s.digits), s.pack)
	split(s.N, quantGrain(s.X.M, s.X.K), s.rows)
}

// pack copies what belongs to rows of x.
func (s *int4Squares) pack(lo, hi int) {
	const block = vec.Int4ColumnBlock / 4
	const digits = block - vec.Int4Lanes
	for i := lo; i < hi; i++ {
		of := s.packed[i/vec.Int4Columns*s.words():][:s.words()]
		x, eights, sums := s.X.row(i)
		words, column := asWords(x), i%vec.Int4Columns
		for b := range len(words) / digits {
			to := of[(b*vec.Int4Columns+column)*block:][:block]
			copy(to, words[b*digits:][:digits])
			for l, v := range eights[b*vec.Int4Lanes:][:vec.Int4Lanes] {
				asInts(to[digits:])[l] = -v
			}
		}
		for g := 0; g < len(sums); g += vec.Int4Lanes {
			copy(of[s.digits+g*vec.Int4Columns+column*vec.Int4Lanes:], sums[g:][:vec.Int4Lanes])
		}
	}
}

// rows computes rows of the weight.
func (s *int4Squares) rows(lo, hi int) {
	tile := max(1, squareBytes/(s.X.K/2)/vec.QuantRows) * vec.QuantRows
	for j := lo; j < hi; j += tile {
		rows := min(tile, hi-j)
		whole := rows / vec.QuantRows * vec.QuantRows
		fours := s.X.M / vec.Int4Columns * vec.Int4Columns
		for i := 0; i < fours; i += vec.Int4Columns {
			s.square(i, j, whole)
		}
		for i := range s.X.M {
			switch {
			case i >= fours:
				s.multiply(i, j, rows)
			case whole < rows:
				s.multiply(i, j+whole, rows-whole)
			}
		}
	}
}

// square computes so many rows of the weight, from row j on, with four rows of x, from row i on.
func (s *int4Squares) square(i, j, rows int) {
	var steps [4 * vec.Int4Columns]float64
	for l := range steps {
		steps[l] = s.X.Step[i+l/4]
	}
	of := s.packed[i/vec.Int4Columns*s.words():][:s.words()]
	d := vec.Int4Square{Int4Rows: s.int4Rows(i, j, rows), Steps: &steps, RowY: s.N}
	d.X, d.Sums = asBytes(of[:s.digits]), of[s.digits:]
	d.Run()
}
