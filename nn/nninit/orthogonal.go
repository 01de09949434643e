package nninit

import (
	"math"

	"cresset/device"
	"cresset/dtype"
	"cresset/linalg"
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
	if rows < drawn.Size(1) {
		drawn = orthonormal(drawn.T()).T()
	} else {
		drawn = orthonormal(drawn)
	}
	t.Detach().CopyInPlace(drawn.To(t.DType()).Reshape(t.Shape()...))
	t.Detach().MulScalarInPlace(o.gain)
	return t
}

// orthonormal returns the columns of x, no longer than many, made orthonormal: Q of x = Q·R with a positive diagonal of R, in float64.
func orthonormal(x *tensor.Tensor) *tensor.Tensor {
	q, r := linalg.QR(x.To(device.CPU, dtype.Float64))
	return q.Mul(r.Diagonal(0, 0, 1).Sign())
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
