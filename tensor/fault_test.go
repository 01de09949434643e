package tensor_test

import (
	"errors"
	"slices"
	"testing"

	"cresset/dtype"
	"cresset/internal/mem"
	"cresset/internal/op"
	"cresset/tensor"
)

// model is what a training step needs and keeps.
type model struct {
	x, target  *tensor.Tensor
	parameters []*tensor.Tensor
	momenta    []*tensor.Tensor
}

func newModel(rows int, dt dtype.DType) *model {
	g := tensor.NewGenerator(1)
	place := tensor.Place{}.With(g).As(dt)
	m := &model{x: place.Randn(rows, 12), target: tensor.Place{}.With(g).RandInt(0, 5, rows)}
	for _, shape := range [][]int{{7, 12}, {7}, {5, 7}, {5}} {
		m.parameters = append(m.parameters, place.Randn(shape...).SetRequiresGrad(true))
		m.momenta = append(m.momenta, place.Zeros(shape...))
	}
	return m
}

// step trains once in a scope and returns the loss.
func (m *model) step() float64 {
	s := tensor.NewScope()
	defer s.Close()
	p := m.parameters
	h := s.Enter(m.x).Linear(p[0], p[1]).Tanh()
	h = tensor.Where(h.GtScalar(0.5), h, h.Mul(h).AddScalar(0.5))
	y := h.Linear(p[2], p[3])
	loss := tensor.CrossEntropy(y, m.target).Add(h.Pow(2).Mean())
	loss.Backward()
	for i := range p {
		sgdStep(p[i].Detach(), p[i].Grad(), m.momenta[i], op.SGD{LR: 0.1, Momentum: 0.9})
	}
	m.dropGradients()
	return loss.Float64()
}

// dropGradients gives the gradients' memory back.
func (m *model) dropGradients() {
	for _, p := range m.parameters {
		if g := p.Grad(); g != nil {
			p.SetGrad(nil)
			g.Release()
		}
	}
}

// TestEveryAllocationMayFail trains with the first allocation failing, then the second, until a step needs no more. Each
// failure must be an error, must leave no memory behind, and must not disturb the step after it.
func TestEveryAllocationMayFail(t *testing.T) {
	for _, rows := range []int{3, 700} { // blocks of the pool's two kinds: small ones, and those that it watches
		for _, dt := range []dtype.DType{dtype.Float32, dtype.Float16} {
			m := newModel(rows, dt)
			m.step()
			mem.Collect() // what other tests dropped must not come back meanwhile
			failures := 0
			for k := 0; ; k++ {
				before := heldBytes()
				err := failing(k, func() { m.step() })
				m.dropGradients()
				if after := heldBytes(); after != before {
					t.Fatalf("%s, %d rows: after failure %d the pool has handed out %d bytes more", dt, rows, k, after-before)
				}
				if err == nil {
					break
				}
				if !errors.Is(err, tensor.ErrMemory) || !errors.Is(err, mem.ErrOutOfMemory) {
					t.Fatalf("%s, %d rows: failure %d is %v, want out of memory", dt, rows, k, err)
				}
				failures++
				if err := tensor.Try(func() { m.step() }); err != nil {
					t.Fatalf("%s, %d rows: the step after failure %d: %v", dt, rows, k, err)
				}
			}
			if failures < 20 {
				t.Errorf("%s, %d rows: %d allocations failed, want those of a whole step", dt, rows, failures)
			}
		}
	}
}

// TestFailedStepChangesNothing wants the parameters of a step that failed before its updates to be as they were.
func TestFailedStepChangesNothing(t *testing.T) {
	m := newModel(3, dtype.Float32)
	for k := range 10 {
		before := arrayOf(m.parameters[0].Detach())
		if err := failing(k, func() { m.step() }); err == nil {
			t.Fatalf("allocation %d did not fail", k)
		}
		m.dropGradients()
		if after := arrayOf(m.parameters[0].Detach()); !slices.Equal(before.v, after.v) {
			t.Errorf("failure %d changed the parameters", k)
		}
	}
}

// failing runs f with allocation k failing and returns its error.
func failing(k int, f func()) error {
	mem.SetFault(func(bytes int) error {
		if k--; k == -1 {
			return &mem.Error{Bytes: bytes}
		}
		return nil
	})
	defer mem.SetFault(nil)
	return tensor.Try(f)
}

// heldBytes returns what the pool has handed out and nobody gave back.
func heldBytes() int64 {
	s := mem.ReadStats()
	return s.Allocated + s.Small
}
