package layout

// MaxOperands is the number of layouts that one Loop walks together.
const MaxOperands = 5

// Loop walks several layouts of one shape together. Axes that are adjacent in memory for every operand are merged,
// axes are ordered so that the first operand's smallest stride is innermost: an elementwise op on contiguous operands
// becomes one run, whatever its rank.
type Loop struct {
	N       int          // operands
	Rank    int          // axes that are left, at least 1
	Extents [maxAxes]int // outermost first
	Steps   [MaxOperands][maxAxes]int
	Offsets [MaxOperands]int
}

// MaxRank is the largest rank of a tensor: a Loop must fit a stack frame.
const MaxRank = 16

const maxAxes = MaxRank

// Init fills the loop with operands that all have the shape of the first; nil is one that has one element for all indexes.
func (p *Loop) Init(operands ...*Layout) {
	p.N = len(operands)
	p.Rank = 0
	for k, l := range operands {
		p.Offsets[k] = 0
		if l != nil {
			p.Offsets[k] = l.Offset
		}
	}
	for axis, n := range operands[0].Shape() {
		if n == 1 {
			continue
		}
		at := p.Rank
		p.Extents[at] = n
		for k, l := range operands {
			p.Steps[k][at] = 0
			if l != nil {
				p.Steps[k][at] = l.Strides()[axis]
			}
		}
		p.Rank++
	}
	p.order()
	p.merge()
	if p.Rank == 0 {
		p.Rank, p.Extents[0] = 1, 1
		for k := range operands {
			p.Steps[k][0] = 1
		}
	}
}

// order sorts the axes by falling stride of the operands, the first operand that tells two axes apart deciding.
func (p *Loop) order() {
	for i := 1; i < p.Rank; i++ {
		for j := i; j > 0 && p.inner(j-1, j); j-- {
			p.Extents[j-1], p.Extents[j] = p.Extents[j], p.Extents[j-1]
			for k := range p.N {
				p.Steps[k][j-1], p.Steps[k][j] = p.Steps[k][j], p.Steps[k][j-1]
			}
		}
	}
}

// inner reports whether axis a, which stands outside axis b, should stand inside it.
func (p *Loop) inner(a, b int) bool {
	for k := range p.N {
		sa, sb := p.Steps[k][a], p.Steps[k][b]
		if sa == 0 || sb == 0 {
			continue // an expanded axis says nothing about memory order
		}
		if sa != sb {
			return sa < sb
		}
	}
	return false
}

// merge joins axis i+1 into axis i wherever every operand continues seamlessly.
func (p *Loop) merge() {
	if p.Rank == 0 {
		return
	}
	at := 0
	for i := 1; i < p.Rank; i++ {
		if p.seamless(at, i) {
			p.Extents[at] *= p.Extents[i]
			for k := range p.N {
				p.Steps[k][at] = p.Steps[k][i]
			}
			continue
		}
		at++
		p.Extents[at] = p.Extents[i]
		for k := range p.N {
			p.Steps[k][at] = p.Steps[k][i]
		}
	}
	p.Rank = at + 1
}

func (p *Loop) seamless(outer, inner int) bool {
	for k := range p.N {
		if p.Steps[k][outer] != p.Steps[k][inner]*p.Extents[inner] {
			return false
		}
	}
	return true
}

// Inner returns the extent of the innermost axis.
func (p *Loop) Inner() int { return p.Extents[p.Rank-1] }

// InnerStep returns the innermost stride of operand k.
func (p *Loop) InnerStep(k int) int { return p.Steps[k][p.Rank-1] }

// Runs returns the number of inner runs.
func (p *Loop) Runs() int {
	n := 1
	for i := range p.Rank - 1 {
		n *= p.Extents[i]
	}
	return n
}

// Start returns the storage offset of run r of operand k.
func (p *Loop) Start(k, r int) int {
	at := p.Offsets[k]
	for i := p.Rank - 2; i >= 0; i-- {
		at += r % p.Extents[i] * p.Steps[k][i]
		r /= p.Extents[i]
	}
	return at
}
