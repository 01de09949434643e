package tensor_test

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"

	"cresset/internal/backend"
	"cresset/internal/mem"
	"cresset/internal/op"
	"cresset/tensor"
)

// TestScopeClosesUnderAKernel closes a scope while a kernel computes with its tensors. The kernel must finish over its own
// memory, which is given back behind it, and the next op must be refused.
func TestScopeClosesUnderAKernel(t *testing.T) {
	running, closed := make(chan bool), make(chan bool)
	tensor.SpyOnCPU(t, func(c *backend.Call) {
		if c.Op == op.Add {
			close(running)
			<-closed
		}
	})
	ones := tensor.Ones(500)
	before := mem.ReadStats().Small
	s := tensor.NewScope()
	x := s.Enter(ones).MulScalar(2)
	var late error
	var wg sync.WaitGroup
	wg.Go(func() {
		y := x.Add(x)
		late = tensor.Try(func() { tensor.Values[float32](y) })
	})
	<-running
	s.Close()
	others := []*tensor.Tensor{tensor.Full([]int{500}, 7.0), tensor.Full([]int{500}, 7.0)} // which take free memory, if there is any
	close(closed)
	wg.Wait()
	if !errors.Is(late, tensor.ErrReleased) {
		t.Errorf("the op after Close: %v, want ErrReleased", late)
	}
	if held := mem.ReadStats().Small - before; held != 2*2048 {
		t.Errorf("%d bytes are held behind the kernel, want those of two tensors", held)
	}
	for _, other := range others {
		if v := tensor.Values[float32](other); slices.ContainsFunc(v, func(v float32) bool { return v != 7 }) {
			t.Error("the kernel wrote into memory of another tensor")
		}
	}
	runtime.KeepAlive(ones)
}

// TestReleaseUnderAKernel is TestScopeClosesUnderAKernel for one tensor of a scope that stays open.
func TestReleaseUnderAKernel(t *testing.T) {
	running, released := make(chan bool), make(chan bool)
	tensor.SpyOnCPU(t, func(c *backend.Call) {
		if c.Op == op.Add {
			close(running)
			<-released
		}
	})
	s := tensor.NewScope()
	defer s.Close()
	x := s.Enter(tensor.Ones(500)).MulScalar(2)
	var y *tensor.Tensor
	var wg sync.WaitGroup
	wg.Go(func() { y = x.Add(x) })
	<-running
	x.Release()
	tensor.Full([]int{500}, 7.0)
	close(released)
	wg.Wait()
	if v := tensor.Values[float32](y); slices.ContainsFunc(v, func(v float32) bool { return v != 4 }) {
		t.Error("an operand changed while the kernel ran")
	}
}

// TestScopesCloseAtAnyTime trains and reads on several goroutines in scopes that another closes meanwhile, as a server does
// with a request that timed out. Every op must be right or fail with ErrReleased, and nothing else may change.
func TestScopesCloseAtAnyTime(t *testing.T) {
	const rounds, workers, n = 200, 4, 300
	w := tensor.Full([]int{n}, 3.0).SetRequiresGrad(true)
	bystanders := make([]*tensor.Tensor, 50)
	for i := range bystanders {
		bystanders[i] = tensor.Full([]int{n}, 5.0)
	}
	for range rounds {
		s := tensor.NewScope()
		x := s.Enter(tensor.Ones(n)).MulScalar(2)
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				err := tensor.Try(func() {
					y := x.Add(x).Mul(w)
					if got := y.Detach().Select(0, 1).Float64(); got != 12 {
						t.Errorf("got %v, want 12", got)
					}
					if got := tensor.Values[float32](y.Detach().Reshape(2, n/2).T())[3]; got != 12 {
						t.Errorf("got %v, want 12", got)
					}
					if g := tensor.Grad(y.Sum(), []*tensor.Tensor{w})[0]; g.Select(0, 0).Float64() != 4 {
						t.Errorf("the gradient is %v, want 4", g)
					}
				})
				if err != nil && !errors.Is(err, tensor.ErrReleased) {
					t.Error(err)
				}
			})
		}
		wg.Go(s.Close)
		filler := tensor.Full([]int{n}, 5.0)
		wg.Wait()
		if v := tensor.Values[float32](filler); slices.ContainsFunc(v, func(v float32) bool { return v != 5 }) {
			t.Fatal("memory of another tensor was written")
		}
		filler.Release()
	}
	for _, b := range bystanders {
		if v := tensor.Values[float32](b); slices.ContainsFunc(v, func(v float32) bool { return v != 5 }) {
			t.Fatal("memory of another tensor was written")
		}
	}
}
