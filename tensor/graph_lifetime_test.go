package tensor_test

import (
	"runtime"
	"testing"
	"weak"

	"cresset/tensor"
)

// What shares memory or a layout with a tensor must not keep the graph behind it.
func TestDetachedResultsLetTheGraphGo(t *testing.T) {
	leaf := leafOf(1, 2, 3, 4)
	for name, detach := range map[string]func(*tensor.Tensor) *tensor.Tensor{
		"detach":           func(x *tensor.Tensor) *tensor.Tensor { return x.Detach() },
		"detach of a view": func(x *tensor.Tensor) *tensor.Tensor { return x.View(2, 2).Detach() },
		"result of its layout": func(x *tensor.Tensor) *tensor.Tensor {
			return x.View(2, 2).Detach().MulScalar(2)
		},
	} {
		inside, kept := detachedChain(leaf, detach)
		runtime.GC()
		if inside.Value() != nil {
			t.Errorf("%s: an intermediate result is still in memory", name)
		}
		runtime.KeepAlive(kept)
	}
}

// detachedChain returns a pointer to a result inside a graph, and what detach makes of the graph's end.
func detachedChain(leaf *tensor.Tensor, detach func(*tensor.Tensor) *tensor.Tensor) (weak.Pointer[tensor.Tensor], *tensor.Tensor) {
	x := leaf.MulScalar(3)
	return weak.Make(x), detach(x.Exp().Mul(leaf))
}

func TestManyGradientsWaitAtOnce(t *testing.T) {
	const n = 40
	leaves := make([]*tensor.Tensor, n)
	sum := tensor.Zeros(2)
	for range 3 { // each leaf waits while the others arrive, and is met again
		for i := range leaves {
			if leaves[i] == nil {
				leaves[i] = leafOf(1, 2)
			}
			sum = sum.Add(leaves[i].MulScalar(i + 1))
		}
	}
	sum.Sum().Backward()
	for i, x := range leaves {
		if got, want := tensor.Values[float32](x.Grad())[0], float32(3*(i+1)); got != want {
			t.Errorf("gradient of leaf %d is %v, want %v", i, got, want)
		}
	}
}
