package nn_test

import (
	"testing"

	"cresset/nn"
	"cresset/tensor"
)

// noted is a model that shares what is no part of it.
type noted struct {
	First, Again *nn.Linear // the same
	Drop         *nn.Dropout
	Note         *note
	Plain        *tensor.Tensor `nn:"-"`
	Count        int
}

type note struct{ Seen []int }

func TestCopy(t *testing.T) {
	l := nn.NewLinear(2, 2)
	m := &noted{First: l, Again: l, Drop: nn.NewDropout(.5), Note: new(note), Plain: tensor.Ones(1), Count: 3}
	calls := 0
	c := nn.Copy(m, func(t *tensor.Tensor) *tensor.Tensor {
		calls++
		return tensor.Parameter(t.Clone())
	})
	if calls != 3 || c == m || c.First == l || c.First != c.Again || c.First.Weight == l.Weight || c.Count != 3 {
		t.Errorf("%d calls, %+v", calls, c)
	}
	if c.Note != m.Note {
		t.Error("what leads to no tensor was copied")
	}
	if nn.Eval(c); m.Drop.Training() != true || c.Drop.Training() {
		t.Error("the copy is not a model of its own")
	}
	c.First.Weight.Detach().FillInPlace(7)
	if l.Weight.At(0, 0).Float64() == 7 {
		t.Error("the copy shares memory")
	}
}
