package cli

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/tensor"
)

// TestInspectOddTensors prints names that would move the cursor or fill the screen, and statistics of what has none.
func TestInspectOddTensors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	given := map[string]*tensor.Tensor{
		"a\x1b[2J\n\tb": tensor.Of([]bool{true, false}), "empty": tensor.Zeros(0, 3), "scalar": tensor.Of(int64(7)),
		"nan": tensor.Of([]float32{float32(math.NaN()), float32(math.Inf(1))}), "n" + strings.Repeat("é", 3000): tensor.Ones(1),
	}
	if err := checkpoint.Write(path, given); err != nil {
		t.Fatal(err)
	}
	out := run(t, t.Context(), exitOK, "inspect", "--stats", path)
	for _, want := range []string{`
a\x1b[2J\n\tb  `, "  0    1    0.5   0.5\n", "[0, 3]", "  -  ", "\nPROBLEMS\nnan: 1 NaN and 1 infinite\n", "…"} {
		if !strings.Contains(out, want) {
			t.Errorf("got %s, want %q in it", out, want)
		}
	}
	for line := range strings.Lines(out[strings.Index(out, "\n")+1:]) {
		if n := len([]rune(line)); n > 200 {
			t.Errorf("a line of %d characters: %.200s", n, line)
		}
	}
	var stderr bytes.Buffer
	if Run(t.Context(), []string{"inspect", "no\x1b[2Jfile"}, new(bytes.Buffer), &stderr); strings.Contains(stderr.String(), "\x1b") {
		t.Errorf("got %q", &stderr)
	}
}
