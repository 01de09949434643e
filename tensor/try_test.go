package tensor_test

import (
	"errors"
	"testing"

	"cresset/tensor"
)

func TestTry(t *testing.T) {
	if err := tensor.Try(func() {}); err != nil {
		t.Errorf("nothing went wrong, got %v", err)
	}
	for _, c := range []struct {
		name string
		f    func()
		kind error
		text string
	}{
		{"shapes", func() { tensor.Ones(2).Add(tensor.Ones(3)) }, tensor.ErrShape,
			"The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"},
		{"device index", func() { tensor.Ones(1).CUDA(-1) }, tensor.ErrDevice, "Device index must not be negative"},
	} {
		err := tensor.Try(c.f)
		var e *tensor.Error
		if !errors.As(err, &e) || !errors.Is(err, c.kind) || err.Error() != c.text {
			t.Errorf("%s: got %v, want %s", c.name, err, c.text)
		}
	}
	defer func() {
		if recover() != "mine" {
			t.Error("Try kept a panic that is not its own")
		}
	}()
	_ = tensor.Try(func() { panic("mine") })
}
