package tensor_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
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

// TestUncaughtPanicShowsItsHint runs this test again in a process that nobody recovers in.
func TestUncaughtPanicShowsItsHint(t *testing.T) {
	if os.Getenv("CRESSET_TEST_PANIC") != "" {
		go func() { // a test's own goroutine would recover
			y := leafOf(1, 2).Exp().Sum()
			y.Backward()
			y.Backward()
		}()
		select {}
	}
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), "CRESSET_TEST_PANIC=1")
	out, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "retain_graph=True") || !strings.Contains(string(out), "tensor.RetainGraph(true)") {
		t.Errorf("the program ended with %v and printed\n%s\nwant the text and the hint", err, out)
	}
	y := leafOf(1, 2).Exp().Sum()
	y.Backward()
	if err := tensor.Try(func() { y.Backward() }); strings.Contains(err.Error(), "tensor.RetainGraph") {
		t.Errorf("the error's text is not PyTorch's alone: %v", err)
	}
}
