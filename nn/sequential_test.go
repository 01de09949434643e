package nn

import (
	"errors"
	"testing"

	"cresset/tensor"
)

func TestSequentialMistakes(t *testing.T) {
	three := func() *Sequential { return NewSequential(NewReLU(), NewFlatten(), NewReLU()) }
	for _, c := range []struct {
		name, want string
		kind       error
		f          func()
	}{
		{"nil module", "NoneType is not a Module subclass", tensor.ErrValue, func() { NewSequential(nil) }},
		{"nil appended", "NoneType is not a Module subclass", tensor.ErrValue, func() { three().Append(nil) }},
		{"nil in a literal", "module 1 is nil", tensor.ErrValue, func() { (&Sequential{Modules: []Module{NewReLU(), nil}}).Forward(tensor.Ones(1)) }},
		{"no such module", "index 3 is out of range", tensor.ErrIndex, func() { three().At(3) }},
		{"no such module from the end", "index -4 is out of range", tensor.ErrIndex, func() { three().At(-4) }},
		{"none at all", "index 0 is out of range", tensor.ErrIndex, func() { NewSequential().At(0) }},
	} {
		if err := tensor.Try(c.f); !errors.Is(err, c.kind) || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	s := three()
	if s.At(-2) != s.At(1) || s.At(-3) != s.At(0) {
		t.Error("negative indices do not count from the end")
	}
}
