package nninit

import (
	"math"

	"cresset/tensor"
)

// Orthogonal makes t, as a matrix of t.Size(0) rows, (semi-)orthogonal: its rows, or its columns where it is tall, are orthogonal
// and of the length Gain. They are drawn on t's device, and decomposed on the CPU. It takes Gain and With, and panics where t has
// less than two axes.
func Orthogonal(t *tensor.Tensor, opts ...GainOption) *tensor.Tensor {
	o := readGain(opts)
	if t.Dim() < 2 {
		refuse("Only tensors with 2 or more dimensions are supported")
	}
	if t.NumEl() == 0 {
		return t
	}
	rows := t.Size(0)
	drawn := tensor.Like(t).Empty(rows, t.NumEl()/rows).NormalInPlace(0, 1, o.generator)
	if tall := rows >= drawn.Size(1); tall {
		drawn = orthonormal(drawn.T()).T()
	} else {
		drawn = orthonormal(drawn)
	}
	t.Detach().CopyInPlace(drawn.To(t.DType()).Reshape(t.Shape()...))
	t.Detach().MulScalarInPlace(o.gain)
	return t
}

// orthonormal returns the rows of x, no longer than many, made orthonormal by Householder's reflections: Qᵀ of xᵀ = Q·R with a
// positive diagonal of R, in float64.
func orthonormal(x *tensor.Tensor) *tensor.Tensor {
	n, m := x.Size(0), x.Size(1)
	values := tensor.Values[float64](x)
	row := func(i int) []float64 { return values[i*m : (i+1)*m] }
	reflections, signs := make([][]float64, n), make([]float64, n)
	for k := range n {
		v := append([]float64(nil), row(k)[k:]...)
		length := math.Sqrt(dot(v, v))
		diagonal := -math.Copysign(length, v[0]) // of R
		signs[k] = sign(diagonal)
		v[0] -= diagonal
		if size := math.Sqrt(dot(v, v)); size > 0 {
			for i := range v {
				v[i] /= size
			}
		}
		reflections[k] = v
		for i := k + 1; i < n; i++ {
			reflect(row(i)[k:], v)
		}
	}
	clear(values)
	for i := range n {
		row(i)[i] = 1
		for k := i; k >= 0; k-- {
			reflect(row(i)[k:], reflections[k])
		}
		for j := range row(i) {
			row(i)[j] *= signs[i]
		}
	}
	return tensor.FromSlice(values, n, m)
}

// reflect replaces x by x - 2·v·(v·x).
func reflect(x, v []float64) {
	scale := 2 * dot(x, v)
	for i := range x {
		x[i] -= scale * v[i]
	}
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// sign returns -1, 0 or 1.
func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// Sparse draws t [n, m] from the normal distribution of mean 0 and the standard deviation std, PyTorch's 0.01 unless there is a
// reason, and makes the given share of each column zero. Which elements are zero the CPU's own generator says.
func Sparse(t *tensor.Tensor, sparsity, std float64, g ...*tensor.Generator) *tensor.Tensor {
	matrix(t)
	rows, columns := t.Size(0), t.Size(1)
	zeros := int(math.Ceil(sparsity * float64(rows)))
	Normal(t, 0, std, g...)
	mask := make([]bool, rows*columns)
	for c := range columns {
		for _, r := range tensor.Values[int64](tensor.RandPerm(rows))[:zeros] {
			mask[int(r)*columns+c] = true
		}
	}
	t.Detach().MaskedFillInPlace(tensor.FromSlice(mask, rows, columns).To(t.Device()), 0)
	return t
}
