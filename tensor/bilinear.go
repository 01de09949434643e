package tensor

import "fmt"

// Bilinear returns xᵀ·W·y + bias over the last axes of x [*, m] and y [*, n], with a matrix W of weight [k, m, n] for each of the k
// elements of the result. bias [k] may be nil.
func (x *Tensor) Bilinear(y, weight, bias *Tensor) *Tensor {
	if a := autocastOf(x, y); a != nil {
		return a.run("bilinear", func(t []*Tensor) *Tensor { return t[0].Bilinear(t[1], t[2], t[3]) }, x, y, weight, bias)
	}
	x.checkBilinear(y, weight, bias)
	lead := x.Shape()[:x.Dim()-1]
	k, m, n := weight.Size(0), weight.Size(1), weight.Size(2)
	rows, _ := lead.NumEl()
	inner := x.Reshape(rows, m).MM(weight.Transpose(0, 1).Reshape(m, k*n)).View(rows, k, n)
	out := inner.BMM(y.Reshape(rows, n, 1)).View(append(lead, k)...)
	if bias == nil {
		return out
	}
	return out.Add(bias)
}

func (x *Tensor) checkBilinear(y, weight, bias *Tensor) {
	const name = "bilinear"
	for i, a := range []argument{{"input1", x}, {"input2", y}, {"weight", weight}} {
		refuseNil(name, a.name, i+1, a.t)
	}
	if x.Dim() != y.Dim() {
		fail(name, ErrShape, fmt.Sprintf("bilinear(): input dimensions do not match: got %d and %d", x.Dim(), y.Dim()), x, y)
	}
	for i := range max(x.Dim()-1, 0) {
		if a, b := x.Size(i), y.Size(i); a != b {
			fail(name, ErrShape, fmt.Sprintf("bilinear(): input batch dimensions do not match at dim %d: got %d and %d", i, a, b), x, y)
		}
	}
	if weight.Dim() != 3 || x.Dim() < 1 {
		fail(name, ErrShape, fmt.Sprintf("bilinear(): expected a weight of 3 dimensions, but got %d", weight.Dim()), x, y, weight)
	}
	for i, t := range []*Tensor{x, y} {
		if t.Size(-1) != weight.Size(1+i) {
			fail(name, ErrShape, fmt.Sprintf("bilinear(): input%d size does not match weight size: got %d but expected %d", i+1, t.Size(-1), weight.Size(1+i)), x, y, weight)
		}
	}
	if bias != nil && (bias.Dim() != 1 || bias.Size(0) != weight.Size(0)) {
		fail(name, ErrShape, fmt.Sprintf("bilinear(): bias size does not match weight size: got %s but expected %d", bias.Shape().List(), weight.Size(0)), x, y, weight)
	}
}
