package cuda

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"cresset/dtype"
	"cresset/internal/backend"
	"cresset/internal/backend/cuda/kernels"
	"cresset/internal/cublas"
	"cresset/internal/driver"
	"cresset/internal/profile"
)

// cublasVariable asks for products by cublasLt where it is 1: a peer to compare with, and a choice of users. What is asked for and missing
// is an error, and so is another value than 0 and 1.
const cublasVariable = "CRESSET_CUBLAS"

var cublasAsked = sync.OnceValues(func() (bool, error) { return asksForCUBLAS(os.Getenv(cublasVariable)) })

func asksForCUBLAS(value string) (bool, error) {
	switch value {
	case "", "0":
		return false, nil
	case "1":
		return true, nil
	}
	return false, fmt.Errorf("%s=%s: 1 asks for cublasLt, 0 or nothing for cresset's own kernels", cublasVariable, value)
}

var cublasLibrary = sync.OnceValues(cublas.Load)

// blas is what cublasLt knows of a device.
type blas struct {
	mu     sync.Mutex
	api    *cublas.API
	handle cublas.Handle
	plans  map[cublas.Problem]*cublas.Plan
}

var cublasKinds = map[dtype.DType]cublas.Kind{
	dtype.Float32: cublas.Float32, dtype.Float64: cublas.Float64, dtype.Float16: cublas.Float16, dtype.BFloat16: cublas.BFloat16,
}

// orCUBLAS is a launcher of products that lets cublasLt multiply where the user asks for it.
func orCUBLAS(launch launcher) launcher {
	multiply := cast(func(d *Device, c *backend.Call, _ kernelID) error { return d.blas.multiply(d, c) })
	return func(d *Device, c *backend.Call, k kernelID) error {
		asked, err := cublasAsked()
		if err != nil {
			return err
		}
		b := &c.In()[len(c.In())-1]
		if !asked || c.Out()[0].Layout.Size() == 0 || b.Layout.Size() == 0 { // cublasLt takes no matrices without elements
			return launch(d, c, k)
		}
		return multiply(d, c, k)
	}
}

func (b *blas) multiply(d *Device, c *backend.Call) error {
	if err := d.uncaptured("a product by cublasLt", "unset "+cublasVariable+": our own kernels can be captured"); err != nil {
		return err
	}
	s, p := productParams.begin(d)
	defer s.free()
	describeProduct(p, c)
	q := problemOf(p, c.DType)
	q.A = s.line(&p.A, p.AStrides, [3]uint64{p.Count, p.M, p.K}, c.DType)
	q.B = s.line(&p.B, p.BStrides, [3]uint64{p.Count, p.K, p.N}, c.DType)
	if s.err == nil && p.Beta != 0 {
		s.err = d.copyView(&c.Out()[0], &c.In()[0])
	}
	if s.err != nil {
		return s.err
	}
	q.Aligned = (p.A|p.B|p.Out)%16 == 0
	plan, err := b.plan(d, q)
	if err != nil {
		return err
	}
	memory := s.take(plan.Workspace)
	if s.err != nil {
		return s.err
	}
	w := d.watch(d.lane, profile.Kernel, "cublasLtMatmul", 0)
	err = d.inContext(func() error {
		return plan.Run(uintptr(d.streams[d.lane]), p.A, p.B, p.Out, memory.ptr, p.Alpha, p.Beta)
	})
	w.end(err == nil)
	return err
}

// problemOf is a product in cublasLt's words, but for how its operands lie.
func problemOf(p *kernels.Product, dt dtype.DType) cublas.Problem {
	return cublas.Problem{
		Kind: cublasKinds[dt], TF32: dt == dtype.Float32 && roundsProducts.Load(), M: int(p.M), N: int(p.N), K: int(p.K), Count: int(p.Count),
	}
}

// line tells how matrices lie, of which the rows or the columns are contiguous; where neither are, it copies them.
func (s *scratch) line(at *uint64, strides [3]int64, extents [3]uint64, dt dtype.DType) cublas.Operand {
	rows, columns := int64(extents[1]), int64(extents[2])
	switch {
	case (strides[2] == 1 || columns == 1) && (strides[1] >= columns || rows == 1):
		return cublas.Operand{Line: int(max(strides[1], columns)), Apart: int(strides[0])}
	case (strides[1] == 1 || rows == 1) && strides[2] >= rows:
		return cublas.Operand{Transposed: true, Line: int(strides[2]), Apart: int(strides[0])}
	}
	to := [3]int64{rows * columns, columns, 1}
	b := s.take(int(int64(extents[0])*to[0]) * dt.Size())
	if s.err == nil {
		s.err = s.device.copyView(stack(b.ptr, extents, to, dt), stack(*at, extents, strides, dt))
	}
	*at = b.ptr
	return cublas.Operand{Line: int(columns), Apart: int(to[0])}
}

// plan returns the plan of a problem, which is made once.
func (b *blas) plan(d *Device, q cublas.Problem) (*cublas.Plan, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if plan, ok := b.plans[q]; ok {
		return plan, nil
	}
	if err := b.open(d); err != nil {
		return nil, err
	}
	var plan *cublas.Plan
	err := d.inContext(func() (err error) {
		plan, err = b.api.NewPlan(b.handle, q)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cuda: a product of [%d, %d] and [%d, %d]: %w", q.M, q.K, q.K, q.N, err)
	}
	b.plans[q] = plan
	return plan, nil
}

// open opens the library on the first use.
func (b *blas) open(d *Device) error {
	if b.api != nil {
		return nil
	}
	if d.api.Simulated {
		return errors.New("cuda: " + cublasVariable + "=1 asks for cublasLt, which cannot compute on simulated GPUs")
	}
	api, err := cublasLibrary()
	if err != nil {
		return fmt.Errorf("cuda: %s=1: %w", cublasVariable, err)
	}
	err = d.inContext(func() (err error) {
		b.handle, err = api.NewHandle()
		return err
	})
	if err == nil {
		b.api, b.plans = api, map[cublas.Problem]*cublas.Plan{}
	}
	return err
}

// inContext calls f on a thread on which the device's context is current; a simulated GPU needs none.
func (d *Device) inContext(f func() error) (err error) {
	if d.api.Within == nil {
		return f()
	}
	if r := d.api.Within(d.ctx, func() { err = f() }); r != driver.Success {
		return d.fail(r)
	}
	return err
}
