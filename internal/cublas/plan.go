package cublas

import (
	"encoding/binary"
	"math"

	"cresset/internal/dl"
)

// Kind is a dtype of the library.
type Kind int32

// The kinds of elements.
const (
	Float32  Kind = 0
	Float64  Kind = 1
	Float16  Kind = 2
	BFloat16 Kind = 14
)

// Problem is a batch of products out = alpha·a·b + beta·out of row-major matrices. Problems that are equal have one Plan.
type Problem struct {
	Kind    Kind
	TF32    bool // float32 may be cut to TF32 on its way into tensor cores
	M, N, K int
	Count   int // of matrices
	A, B    Operand
	Aligned bool // all matrices begin at multiples of 16 bytes
}

// Operand says how a matrix lies in memory.
type Operand struct {
	Transposed bool // its columns are contiguous, else its rows
	Line       int  // elements from one row, or column, to the next
	Apart      int  // elements from one matrix of the batch to the next
}

// Plan is how the library multiplies.
type Plan struct {
	Workspace int // bytes of memory on the GPU that a run needs

	api       *API
	handle    uintptr
	desc      uintptr
	layouts   [3]uintptr // of b, a and out
	algorithm *dl.Memory
	double    bool
}

// Attributes of descriptors.
const (
	transposeA  = 3
	transposeB  = 4
	batchCount  = 5
	batchStride = 6
	mostMemory  = 1
)

// Computation types.
const (
	compute32     = 68
	compute64     = 70
	computeTF32   = 77
	workspace     = 32 << 20 // as much as is worth it on the largest GPUs
	resultBytes   = 96       // of a result of the heuristic: the algorithm first, then the bytes of workspace
	workspaceAt   = 64
	smallestAlign = 2
)

// Handle is the library's state for the current context.
type Handle uintptr

// NewHandle returns a handle for the context that is current.
func (a *API) NewHandle() (Handle, error) {
	out := dl.NewMemory(8)
	defer out.Free()
	err := a.Create(out.Address(0)).err("cublasLtCreate")
	return Handle(binary.LittleEndian.Uint64(out.Bytes)), err
}

// NewPlan chooses an algorithm. The library reads matrices by columns, so that it is asked for outᵀ = bᵀ·aᵀ, whose columns are the rows of
// out.
func (a *API) NewPlan(h Handle, p Problem) (*Plan, error) {
	n := &Plan{api: a, handle: uintptr(h), double: p.Kind == Float64, algorithm: dl.NewMemory(resultBytes)}
	c := creator{api: a}
	n.desc = c.descriptor(p)
	n.layouts[0] = c.layout(p, p.B, p.N, p.K)
	n.layouts[1] = c.layout(p, p.A, p.K, p.M)
	n.layouts[2] = c.layout(p, Operand{Line: p.N, Apart: p.M * p.N}, p.N, p.M)
	if c.err == nil {
		c.err = n.choose(p)
	}
	if c.err != nil {
		n.Destroy()
		return nil, c.err
	}
	return n, nil
}

// choose asks for the algorithm that the library takes for the fastest.
func (n *Plan) choose(p Problem) error {
	c := creator{api: n.api}
	preference := c.create("cublasLtMatmulPreferenceCreate", n.api.PreferenceCreate)
	defer func() { n.api.PreferenceDestroy(preference) }()
	c.set("cublasLtMatmulPreferenceSetAttribute", n.api.PreferenceSet, preference, mostMemory, 8, workspace)
	if !p.Aligned {
		for attribute := uintptr(5); attribute <= 8; attribute++ { // the alignments of a, b, c and d
			c.set("cublasLtMatmulPreferenceSetAttribute", n.api.PreferenceSet, preference, attribute, 4, smallestAlign)
		}
	}
	if c.err != nil {
		return c.err
	}
	found := dl.NewMemory(4)
	defer found.Free()
	s := n.api.MatmulAlgoHeuristic(n.handle, n.desc, n.layouts[0], n.layouts[1], n.layouts[2], n.layouts[2], preference, 1,
		n.algorithm.Address(0), found.Address(0))
	if s == Success && binary.LittleEndian.Uint32(found.Bytes) == 0 {
		s = 15
	}
	n.Workspace = int(binary.LittleEndian.Uint64(n.algorithm.Bytes[workspaceAt:]))
	return s.err("cublasLtMatmulAlgoGetHeuristic")
}

// Run multiplies on a stream of the current context: a, b, out and memory are addresses on the GPU.
func (n *Plan) Run(stream uintptr, a, b, out, memory uint64, alpha, beta float64) error {
	scalars := dl.NewMemory(16)
	defer scalars.Free()
	for i, v := range []float64{alpha, beta} {
		if n.double {
			binary.LittleEndian.PutUint64(scalars.Bytes[8*i:], math.Float64bits(v))
		} else {
			binary.LittleEndian.PutUint32(scalars.Bytes[8*i:], math.Float32bits(float32(v)))
		}
	}
	return n.api.Matmul(n.handle, n.desc, scalars.Address(0), uintptr(b), n.layouts[0], uintptr(a), n.layouts[1], scalars.Address(8),
		uintptr(out), n.layouts[2], uintptr(out), n.layouts[2], n.algorithm.Address(0), uintptr(memory), uintptr(n.Workspace), stream).err("cublasLtMatmul")
}

// Destroy gives back what the plan holds.
func (n *Plan) Destroy() {
	if n.desc != 0 {
		n.api.MatmulDescDestroy(n.desc)
	}
	for _, l := range n.layouts {
		if l != 0 {
			n.api.LayoutDestroy(l)
		}
	}
	n.algorithm.Free()
}

// creator makes descriptors until one fails, and keeps that error.
type creator struct {
	api *API
	err error
}

func (c *creator) descriptor(p Problem) uintptr {
	compute, scale := uintptr(compute32), uintptr(Float32)
	switch {
	case p.Kind == Float64:
		compute, scale = compute64, uintptr(Float64)
	case p.TF32:
		compute = computeTF32
	}
	desc := c.create("cublasLtMatmulDescCreate", c.api.MatmulDescCreate, compute, scale)
	for attribute, transposed := range map[uintptr]bool{transposeA: p.B.Transposed, transposeB: p.A.Transposed} {
		if transposed {
			c.set("cublasLtMatmulDescSetAttribute", c.api.MatmulDescSet, desc, attribute, 4, 1)
		}
	}
	return desc
}

// layout describes an operand of so many rows and columns, as the library counts them.
func (c *creator) layout(p Problem, o Operand, rows, columns int) uintptr {
	if o.Transposed {
		rows, columns = columns, rows
	}
	l := c.create("cublasLtMatrixLayoutCreate", c.api.LayoutCreate, uintptr(p.Kind), uintptr(rows), uintptr(columns), uintptr(o.Line))
	if p.Count > 1 {
		c.set("cublasLtMatrixLayoutSetAttribute", c.api.LayoutSet, l, batchCount, 4, uint64(p.Count))
		c.set("cublasLtMatrixLayoutSetAttribute", c.api.LayoutSet, l, batchStride, 8, uint64(o.Apart))
	}
	return l
}

// create returns what a function writes to its first argument.
func (c *creator) create(name string, fn func(args ...uintptr) Status, args ...uintptr) uintptr {
	if c.err != nil {
		return 0
	}
	out := dl.NewMemory(8)
	defer out.Free()
	c.err = fn(append([]uintptr{out.Address(0)}, args...)...).err(name)
	return uintptr(binary.LittleEndian.Uint64(out.Bytes))
}

// set gives a descriptor an attribute of so many bytes.
func (c *creator) set(name string, fn func(args ...uintptr) Status, of, attribute uintptr, bytes int, value uint64) {
	if c.err != nil {
		return
	}
	in := dl.NewMemory(8)
	defer in.Free()
	binary.LittleEndian.PutUint64(in.Bytes, value)
	c.err = fn(of, attribute, in.Address(0), uintptr(bytes)).err(name)
}
