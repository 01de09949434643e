package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"cresset/checkpoint"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// countdown is a context that a signal ends after it was asked a number of times.
type countdown struct {
	context.Context
	left   int
	signal func()
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		c.signal()
	}
	return c.Context.Err()
}

// TestSignalsStopWorkOnFiles ends the commands that read elements at each place where they ask, inside a tensor too: nothing is
// printed, and the file that was there stays.
func TestSignalsStopWorkOnFiles(t *testing.T) {
	devicetest.JudgesValues(t)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.safetensors"), filepath.Join(dir, "out.pt")
	if err := checkpoint.Write(in, map[string]*tensor.Tensor{"a": tensor.Ones(6 * pieceElements)}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"convert", in, out}, {"convert", "--dtype=float16", in, out}, {"diff", in, in}, {"inspect", "--stats", in}} {
		stops := 0
		for code := exitTerminated; code != exitOK; stops++ {
			write(t, out, "old")
			signal, want := syscall.SIGTERM, exitTerminated
			if stops%2 == 1 {
				signal, want = syscall.SIGINT, exitInterrupted
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			var stdout, stderr bytes.Buffer
			code = Run(&countdown{ctx, stops, func() { cancel(signalled{signal}) }}, args, &stdout, &stderr)
			cancel(nil)
			if code == exitOK {
				break
			}
			if code != want || stdout.Len()+stderr.Len() > 0 {
				t.Errorf("%s, question %d: exit code %d, want %d: %s%s", args, stops, code, want, &stdout, &stderr)
			}
			if text, err := os.ReadFile(out); err != nil || string(text) != "old" {
				t.Errorf("%s, question %d: the old file became %.20q, %v", args, stops, text, err)
			}
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
			t.Errorf("%s: the folder holds %v, %v", args, files, err)
		}
		if stops < 2 {
			t.Errorf("%s: asked %d times", args, stops)
		}
	}
}
