package kernels

// A Lie is how an operand of a product lies in memory: along the common axis or across it, in lines whose starts are aligned for vectors,
// or anyhow. For families that take any strides, what lies closer along the common axis is Along.
type Lie uint8

const (
	Along Lie = iota
	Across
	Anyhow
	Lies
)

// A need is how operands of a half type have to lie for a family.
type need uint8

const (
	lines   need = iota // in lines that are aligned for 16 bytes, to which those are copied that do not
	pairs               // in lines that are aligned for two elements
	nothing             // not even in lines
)

// lies says how the operands lie for a family, after copies, and whether that takes them.
func (t *ProductTile) lies(p *Product) (a, b Lie, ok bool) {
	if t.Of != Double && t.need == lines {
		a, b = p.lies(t.Of)
	} else {
		a, b = Anyhow, Anyhow
	}
	if t.Of != Single {
		a, b = nearer(a, p.AStrides), nearer(b, turned(p.BStrides))
	}
	return a, b, t.need != pairs || inPairs(p.A, p.AStrides, p.Count) && inPairs(p.B, p.BStrides, p.Count)
}

// nearer is the axis along which neighbours lie closer, for what lies anyhow.
func nearer(lie Lie, strides [3]int64) Lie {
	switch {
	case lie != Anyhow:
		return lie
	case strides[2] <= strides[1]:
		return Along
	}
	return Across
}

// inPairs reports whether elements of a half type lie in lines whose starts are aligned for two.
func inPairs(at uint64, strides [3]int64, count uint64) bool {
	line, step := max(strides[1], strides[2]), min(strides[1], strides[2])
	return at%4 == 0 && step == 1 && line%2 == 0 && (strides[0]%2 == 0 || count == 1)
}

// lies says how the operands lie for tiles that need vectors.
func (p *Product) lies(of Number) (a, b Lie) {
	return LieOf(p.A, p.AStrides, p.Count, p.M, p.K, of), LieOf(p.B, turned(p.BStrides), p.Count, p.N, p.K, of)
}

// unaligned returns how many elements those operands have that do not lie in aligned lines, of a half type.
func (p *Product) unaligned() (elements []uint64) {
	a, b := p.lies(Half)
	if a == Anyhow {
		elements = append(elements, matrices(p.AStrides, p.Count)*p.M*p.K)
	}
	if b == Anyhow {
		elements = append(elements, matrices(p.BStrides, p.Count)*p.K*p.N)
	}
	return elements
}

// matrices is how many different ones an operand has.
func matrices(strides [3]int64, count uint64) uint64 {
	if strides[0] == 0 {
		return 1
	}
	return count
}

// LieOf says how an operand with strides between matrices, across the common axis and along it lies. Lines of half types are aligned for 16
// bytes; those of float32 are whole vectors of 16 bytes as well.
func LieOf(at uint64, strides [3]int64, count, across, along uint64, of Number) Lie {
	vector := int64(4)
	if of == Half {
		vector = 8
	}
	fits := func(line int64, extent uint64) bool {
		return at%16 == 0 && line%vector == 0 && (strides[0]%vector == 0 || count == 1) && (of == Half || extent%4 == 0)
	}
	switch {
	case strides[2] == 1 && fits(strides[1], along):
		return Along
	case strides[1] == 1 && fits(strides[2], across):
		return Across
	}
	return Anyhow
}
