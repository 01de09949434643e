package tensor

import (
	"slices"
)

// Einsum returns the sum of products that an equation describes: "ij,jk->ik" is the product of two matrices. A letter names an
// axis of each operand; what stands twice in one operand takes its diagonal, an ellipsis stands for axes that are broadcast, and
// letters that are not in the result are summed over. Without "->" the result has the letters that stand once, in the order of
// the alphabet. Of several operands those two are multiplied first whose product is smallest beside them.
func Einsum(equation string, operands ...*Tensor) *Tensor {
	for i, x := range operands {
		refuseNil("einsum", "operands", i+2, x)
	}
	if a := latestAutocast(operands...); a != nil {
		operands = a.operands("einsum", slices.Clone(operands)...)
	}
	eq := parseEinsum(equation, operands)
	terms := make([]term, len(operands))
	for i, x := range operands {
		terms[i] = eq.reduce(x, i)
	}
	for len(terms) > 1 {
		i, j := cheapestPair(terms, eq)
		rest := slices.Delete(slices.Delete(slices.Clone(terms), j, j+1), i, i+1)
		terms = append(rest, terms[i].times(terms[j], eq.wanted(rest)))
	}
	return eq.arrange(terms[0])
}

// term is a tensor whose axes have labels, each another one. Axes of extent 1 have none and are left out.
type term struct {
	tensor *Tensor
	labels []label
}

// reduce makes a term of operand i: repeated letters become one by the diagonal, extents of 1 disappear.
func (eq *equation) reduce(x *Tensor, i int) term {
	t := term{x, slices.Clone(eq.inputs[i])}
	for k := 0; k < len(t.labels); k++ {
		for {
			again := slices.Index(t.labels[k+1:], t.labels[k])
			if again < 0 {
				break
			}
			t = t.diagonal(k, k+1+again)
		}
	}
	var ones []int
	for k, n := range t.tensor.layout.Shape() {
		if n == 1 {
			ones = append(ones, k)
		}
	}
	if len(ones) == 0 {
		return t
	}
	for _, k := range slices.Backward(ones) {
		t.labels = slices.Delete(t.labels, k, k+1)
	}
	t.tensor = t.tensor.SqueezeAxis(ones...)
	return t
}

// diagonal makes one axis, the last, of two of equal extent.
func (t term) diagonal(a, b int) term {
	last := t.labels[a]
	labels := slices.Delete(slices.Delete(slices.Clone(t.labels), b, b+1), a, a+1)
	return term{t.tensor.Diagonal(0, a, b), append(labels, last)}
}

// wanted returns the labels that the result or another term has.
func (eq *equation) wanted(rest []term) []label {
	all := slices.Clone(eq.output)
	for _, t := range rest {
		all = append(all, t.labels...)
	}
	return all
}

// cheapestPair returns the two terms whose product is smallest, less what it replaces; of equals the one of fewer steps.
func cheapestPair(terms []term, eq *equation) (first, second int) {
	first, second = 0, 1
	var least [2]float64
	for i := range terms {
		for j := i + 1; j < len(terms) && len(terms) > 2; j++ {
			rest := slices.Delete(slices.Delete(slices.Clone(terms), j, j+1), i, i+1)
			wanted := eq.wanted(rest)
			size, steps := 1.0, 1.0
			for _, l := range union(terms[i].labels, terms[j].labels) {
				steps *= float64(eq.extents[l])
				if slices.Contains(wanted, l) {
					size *= float64(eq.extents[l])
				}
			}
			cost := [2]float64{size - float64(terms[i].tensor.NumEl()) - float64(terms[j].tensor.NumEl()), steps}
			if i == 0 && j == 1 || slices.Compare(cost[:], least[:]) < 0 {
				first, second, least = i, j, cost
			}
		}
	}
	return first, second
}

func union(a, b []label) []label {
	all := slices.Clone(a)
	for _, l := range b {
		if !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	return all
}

// times returns the product of two terms, summed over the labels that are not wanted.
func (t term) times(u term, wanted []label) term {
	t, u = t.sumTo(slices.Concat(wanted, u.labels)), u.sumTo(slices.Concat(wanted, t.labels))
	var batch, left, inner, right []label
	for _, l := range t.labels {
		switch {
		case !slices.Contains(u.labels, l):
			left = append(left, l)
		case slices.Contains(wanted, l):
			batch = append(batch, l)
		default:
			inner = append(inner, l)
		}
	}
	for _, l := range u.labels {
		if !slices.Contains(t.labels, l) {
			right = append(right, l)
		}
	}
	labels := slices.Concat(batch, left, right)
	shape := make([]int, len(labels))
	for i, l := range labels {
		shape[i] = max(t.extent(l), u.extent(l))
	}
	a, b := t.matrices(batch, left, inner), u.matrices(batch, inner, right)
	var product *Tensor
	switch {
	case len(inner) == 0:
		product = a.Mul(b)
	case len(batch) == 0:
		product = a.SqueezeAxis(0).MM(b.SqueezeAxis(0))
	default:
		product = a.BMM(b)
	}
	return term{product.Reshape(shape...), labels}
}

// sumTo sums over labels that are not wanted.
func (t term) sumTo(wanted []label) term {
	var axes []int
	var labels []label
	for k, l := range t.labels {
		if slices.Contains(wanted, l) {
			labels = append(labels, l)
		} else {
			axes = append(axes, k)
		}
	}
	if len(axes) == 0 {
		return t
	}
	return term{t.tensor.SumAxes(axes), labels}
}

// extent returns how long the axis of a label is, -1 where the term lacks it.
func (t term) extent(l label) int {
	if k := slices.Index(t.labels, l); k >= 0 {
		return t.tensor.layout.Shape()[k]
	}
	return -1
}

// matrices returns t as three axes, each made of those with the given labels.
func (t term) matrices(groups ...[]label) *Tensor {
	var order []int
	shape := make([]int, len(groups))
	for i, group := range groups {
		shape[i] = 1
		for _, l := range group {
			order = append(order, slices.Index(t.labels, l))
			shape[i] *= t.extent(l)
		}
	}
	return t.tensor.Permute(order...).Reshape(shape...)
}

// arrange sums over what is left and brings the axes into the order of the result; those of extent 1 come back.
func (eq *equation) arrange(t term) *Tensor {
	t = t.sumTo(eq.output)
	var order []int
	for _, l := range eq.output {
		if k := slices.Index(t.labels, l); k >= 0 {
			order = append(order, k)
		}
	}
	out := t.tensor
	if !slices.IsSorted(order) {
		out = out.Permute(order...)
	}
	for i, l := range eq.output {
		if !slices.Contains(t.labels, l) {
			out = out.Unsqueeze(i)
		}
	}
	return out
}
