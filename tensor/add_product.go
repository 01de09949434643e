package tensor

import (
	"fmt"

	"cresset/dtype"
)

// AddProductOption is an option of AddBMM, BAddBMM, AddMV and AddR: Alpha or Beta.
type AddProductOption interface{ applyTo(p *addProduct) }

// Alpha multiplies the product that is added, and the source of IndexAdd; 1 unless given.
type Alpha float64

// Beta multiplies what a product is added to; for 0 that is not read. To SmoothL1Loss it is the |x - y| from which the loss is linear.
// It is 1 unless given.
type Beta float64

func (a Alpha) applyTo(p *addProduct) { p.Alpha = float64(a) }
func (b Beta) applyTo(p *addProduct)  { p.Beta = float64(b) }

type addProduct struct{ Alpha, Beta float64 }

func readAddProduct(opts []AddProductOption) addProduct {
	p := addProduct{1, 1}
	for _, o := range opts {
		o.applyTo(&p)
	}
	return p
}

// AddBMM returns beta·x + alpha·Σ a[i]·b[i], for matrices a [n, m, k] and b [n, k, p]; x is broadcast to [m, p].
func (x *Tensor) AddBMM(a, b *Tensor, opts ...AddProductOption) *Tensor {
	if casts := autocastOf(x, a); casts != nil {
		x, a, b = casts.three("addbmm", x, a, b)
	}
	x.refuseProductOf("addbmm", "batch1", a, "batch2", b)
	p := readAddProduct(opts)
	b.Size(2)
	s, u := a.layout.Shape(), b.layout.Shape()
	switch {
	case len(s) != 3:
		fail("addbmm", ErrShape, "batch1 must be a 3D tensor", x, a, b)
	case s[0] != u[0]:
		fail("addbmm", ErrShape, fmt.Sprintf("batch1 and batch2 must have same number of batches, got %d and %d", s[0], u[0]), x, a, b)
	case s[2] != u[1]:
		fail("addbmm", ErrShape, fmt.Sprintf("Incompatible matrix sizes for bmm (%dx%d and %dx%d)", s[1], s[2], u[1], u[2]), x, a, b)
	}
	left, right := a.Transpose(0, 1).Reshape(s[1], s[0]*s[2]), b.Reshape(u[0]*u[1], u[2])
	return x.Expand(s[1], u[2]).AddMMScaled(left, right, p.Beta, p.Alpha)
}

// BAddBMM returns beta·x + alpha·a[i]·b[i] for each i, for matrices a [n, m, k] and b [n, k, p]; x is broadcast to [n, m, p].
func (x *Tensor) BAddBMM(a, b *Tensor, opts ...AddProductOption) *Tensor {
	if casts := autocastOf(x, a); casts != nil {
		x, a, b = casts.three("baddbmm", x, a, b)
	}
	x.refuseProductOf("baddbmm", "batch1", a, "batch2", b)
	p := readAddProduct(opts)
	wide := x.Expand(a.Size(0), a.Size(1), b.Size(2))
	if x.dtype != a.dtype || x.dtype != b.dtype {
		fail("baddbmm", ErrDType, fmt.Sprintf("Input dtypes must be the same, got: input %s, batch1: %s, batch2: %s",
			x.dtype.CppName(), a.dtype.CppName(), b.dtype.CppName()), x, a, b)
	}
	if x.dtype == dtype.Bool {
		fail("baddbmm", ErrKernel, noKernel("baddbmm", x.dtype, x), x, a, b)
	}
	return p.add("baddbmm", wide, a.BMM(b))
}

// AddMV returns beta·x + alpha·a·v for a matrix a [m, k] and a vector v [k]; x is broadcast to [m].
func (x *Tensor) AddMV(a, v *Tensor, opts ...AddProductOption) *Tensor {
	if casts := autocastOf(x, a); casts != nil {
		x, a, v = casts.three("addmv", x, a, v)
	}
	x.refuseProductOf("addmv", "mat", a, "vec", v)
	p := readAddProduct(opts)
	if x.dtype != a.dtype || x.dtype != v.dtype {
		fail("addmv", ErrDType, fmt.Sprintf("addmv input tensors must have the same dtype, but got %s, %s, and %s",
			x.dtype.ScalarName(), a.dtype.ScalarName(), v.dtype.ScalarName()), x, a, v)
	}
	if x.layout.Rank() > 1 || a.layout.Rank() != 2 || v.layout.Rank() != 1 {
		fail("addmv", ErrShape, fmt.Sprintf("vector + matrix @ vector expected, got %d, %d, %d", x.layout.Rank(), a.layout.Rank(), v.layout.Rank()), x, a, v)
	}
	m, k := a.layout.Shape()[0], a.layout.Shape()[1]
	if n := x.NumEl(); v.NumEl() != k || n != m && n != 1 {
		fail("addmv", ErrShape, fmt.Sprintf("size mismatch, got input (%d), mat (%dx%d), vec (%d)", n, m, k, v.NumEl()), x, a, v)
	}
	return p.add("addmv", x.Expand(m), a.MV(v))
}

// AddR returns beta·x + alpha times the outer product of the vectors u [m] and v [n]; x is broadcast to [m, n].
func (x *Tensor) AddR(u, v *Tensor, opts ...AddProductOption) *Tensor {
	if casts := autocastOf(x, u); casts != nil {
		x, u, v = casts.three("addr", x, u, v)
	}
	x.refuseProductOf("addr", "vec1", u, "vec2", v)
	p := readAddProduct(opts)
	for i, w := range []*Tensor{u, v} {
		if w.layout.Rank() != 1 {
			fail("addr", ErrShape, fmt.Sprintf("addr: Expected 1-D argument vec%d, but got %d-D", i+1, w.layout.Rank()), x, u, v)
		}
	}
	return p.add("addr", x.Expand(u.NumEl(), v.NumEl()), u.Outer(v))
}

func (x *Tensor) refuseProductOf(name, first string, a *Tensor, second string, b *Tensor) {
	refuseNil(name, "input", 1, x)
	refuseNil(name, first, 2, a)
	refuseNil(name, second, 3, b)
}

// add returns Beta·x + Alpha·product; elements of x are not read where Beta is 0, and their gradients are 0.
func (p addProduct) add(op string, x, product *Tensor) *Tensor {
	whole := dtype.Promote(x.dtype, product.dtype)
	scale := func(name string, by float64, t *Tensor) *Tensor {
		switch {
		case by == 1:
			return t
		case whole.IsFloat():
			return t.MulScalar(by)
		case whole == dtype.Bool:
			fail(op, ErrDType, "For bool input tensors, argument "+name+" must be 1 or, for beta, 0.", x, product)
		case by != float64(int64(by)):
			fail(op, ErrDType, "For integral input tensors, argument "+name+" must not be a floating point number.", x, product)
		}
		return t.MulScalar(int64(by))
	}
	product = scale("alpha", p.Alpha, product)
	switch {
	case p.Beta == 0 && x.RequiresGrad():
		return x.MaskedFill(Like(x).As(dtype.Bool).Ones(), 0).Add(product)
	case p.Beta == 0:
		return product.To(whole)
	}
	return scale("beta", p.Beta, x).Add(product)
}
