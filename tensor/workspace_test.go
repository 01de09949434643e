package tensor_test

import (
	"errors"
	"testing"

	"cresset/internal/mem"
	"cresset/tensor"
)

// vast are programs whose operands cost nothing, being expanded, but whose kernels would need more memory beside them than
// a machine has. Go's own out-of-memory would end the process.
var vast = []struct {
	name string
	run  func()
}{
	{"sum", func() { spreadOne(1 << 38).Sum() }},
	{"max", func() { spreadOne(1 << 38).Max() }},
	{"argmax", func() { spreadOne(1 << 38).ArgMax() }},
	{"sum of no axes", func() { spreadOne(1 << 38).SumAxes(nil) }},
	{"half", func() { spreadOne(1 << 38).Half().Sum() }},
	{"gradient of a sum", func() {
		tensor.Ones(1).SetRequiresGrad(true).Expand(1 << 38).Sum().Backward()
	}},
	{"nll_loss", func() {
		tensor.NLLLoss(tensor.Ones(1, 1).Expand(1<<38, 1), tensor.Of([]int{0}).Expand(1<<38))
	}},
	{"index_add", func() {
		tensor.Ones(1).IndexAdd(0, tensor.Of([]int{0}).Expand(1<<38), spreadOne(1<<38))
	}},
	{"scatter_add", func() {
		tensor.Ones(1).ScatterAdd(0, tensor.Of([]int{0}).Expand(1<<38), spreadOne(1<<38))
	}},
	{"max_pool2d", func() {
		spreadOne(1, 1, 1<<19, 1<<19).MaxPool2D(1 << 18)
	}},
	{"adaptive_avg_pool2d", func() { spreadOne(1, 1, 1, 1).AdaptiveAvgPool2D(1, 1<<30) }},
	{"conv1d", func() {
		spreadOne(1, 1, 1<<21).Conv1D(spreadOne(1, 1, 1<<14), nil)
	}},
	{"conv2d", func() {
		spreadOne(1, 1, 4096, 4096).Conv2D(spreadOne(1, 1, 2048, 2048), nil)
	}},
	{"topk", func() { spreadOne(2, 1<<38).TopK(1, 1) }},
	{"var", func() { spreadOne(1<<20, 1<<20).VarAxes([]int{0}) }},
	{"qr", func() { inner.Linalg.QR(spreadOne(1<<26, 1), "r") }},
	{"eigvalsh", func() { inner.Linalg.EigvalsH(spreadOne(1<<13, 1<<13), false) }},
	{"svdvals", func() { inner.Linalg.SVDVals(spreadOne(1<<13, 1<<13)) }},
	{"solve", func() { inner.Linalg.Solve(spreadOne(1, 1), spreadOne(1, 1<<26), true) }},
	{"values", func() { tensor.Values[float64](spreadOne(1 << 38)) }},
}

// spreadOne returns a one that is expanded to a shape.
func spreadOne(shape ...int) *tensor.Tensor {
	ones := make([]int, len(shape))
	for i := range ones {
		ones[i] = 1
	}
	return tensor.Ones(ones...).Expand(shape...)
}

func TestVastWorkspacesAreErrors(t *testing.T) {
	const limit = 128 << 20
	mem.SetFault(func(bytes int) error { // every machine is a small one here
		if bytes > limit {
			return &mem.Error{Bytes: bytes}
		}
		return nil
	})
	defer mem.SetFault(nil)
	for _, row := range vast {
		t.Run(row.name, func(t *testing.T) {
			err := tensor.Try(row.run)
			if !errors.Is(err, tensor.ErrMemory) || !errors.Is(err, mem.ErrOutOfMemory) {
				t.Fatalf("got %v, want out of memory", err)
			}
			var e *mem.Error
			if errors.As(err, &e); e.Error() != err.Error() {
				t.Errorf("text %q, want %q", err, e)
			}
		})
	}
}

// workspace is a program that needs memory beside its operands and its result.
type workspace struct {
	name string
	run  func(x *tensor.Tensor) *tensor.Tensor // of [6, 8, 10, 12], not contiguous
}

func workspaces() []workspace {
	index, weight, gaps := tensor.Of([]int{1, 0, 2, 0, 3}).Slice(0, 0, 5, 2), tensor.Ones(4, 8, 3, 3), tensor.Zeros(20, 30).Slice(1, 0, 30, 2)
	identity := tensor.Eye(10).MulScalar(1 << 20)
	return []workspace{
		{"sum", func(x *tensor.Tensor) *tensor.Tensor { return x.Sum() }},
		{"max", func(x *tensor.Tensor) *tensor.Tensor { return x.AMax([]int{1}) }},
		{"maximum and index", func(x *tensor.Tensor) *tensor.Tensor { v, _ := x.MaxAxis(1); return v }},
		{"cumsum", func(x *tensor.Tensor) *tensor.Tensor { return x.CumSum(0) }},
		{"softmax", func(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(1) }},
		{"sort", func(x *tensor.Tensor) *tensor.Tensor { v, _ := x.Sort(1); return v }},
		{"tril", func(x *tensor.Tensor) *tensor.Tensor { return x.Tril(0) }},
		{"index_select", func(x *tensor.Tensor) *tensor.Tensor {
			return x.IndexSelect(1, index)
		}},
		{"conv2d", func(x *tensor.Tensor) *tensor.Tensor {
			return x.Conv2D(weight, nil)
		}},
		{"max_pool2d", func(x *tensor.Tensor) *tensor.Tensor {
			return x.MaxPool2D(2)
		}},
		{"half", func(x *tensor.Tensor) *tensor.Tensor { return x.Half().AMax([]int{1}) }},
		{"qr", func(x *tensor.Tensor) *tensor.Tensor { q, _ := inner.Linalg.QR(x, "reduced"); return q }},
		{"svd", func(x *tensor.Tensor) *tensor.Tensor { u, _, _ := inner.Linalg.SVD(x, false); return u }},
		{"eigh", func(x *tensor.Tensor) *tensor.Tensor {
			v, _ := inner.Linalg.Eigh(x.Narrow(3, 0, 10), false)
			return v
		}},
		{"solve", func(x *tensor.Tensor) *tensor.Tensor {
			return inner.Linalg.Solve(x.Narrow(3, 0, 10).Add(identity), x, true)
		}},
		{"normal", func(*tensor.Tensor) *tensor.Tensor { return gaps.NormalInPlace(0, 1) }},
	}
}

// TestFailingWorkspaces lets every allocation of a kernel fail in turn, forward and backward.
func TestFailingWorkspaces(t *testing.T) {
	for _, row := range workspaces() {
		t.Run(row.name, func(t *testing.T) {
			leaf := tensor.Arange(0, 6*8*10*12, 1).Float().View(12, 10, 8, 6).SetRequiresGrad(true)
			program := func() {
				s := tensor.NewScope()
				defer s.Close()
				y := row.run(s.Enter(leaf).Permute(3, 2, 1, 0))
				if y.RequiresGrad() {
					y.Mul(y).Sum().Backward()
				}
			}
			drop := func() {
				if g := leaf.Grad(); g != nil {
					leaf.SetGrad(nil)
					g.Release()
				}
			}
			for k := 0; ; k++ {
				before := heldBytes()
				err := failing(k, program)
				drop()
				if err == nil {
					if k == 0 {
						t.Error("no allocation failed, want at least that of the workspace")
					}
					return
				}
				if !errors.Is(err, tensor.ErrMemory) {
					t.Fatalf("failure %d is %v, want out of memory", k, err)
				}
				if after := heldBytes(); after != before {
					t.Errorf("after failure %d the pool has handed out %d bytes more", k, after-before)
				}
			}
		})
	}
}
