package cli

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
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

// TestTensorsBesideOneOfTooManyAxes lists a file in which one tensor has more axes than tensors here, measures the other, and
// compares it.
func TestTensorsBesideOneOfTooManyAxes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "axes.safetensors")
	header := `{"deep":{"dtype":"F32","shape":[1` + strings.Repeat(",1", 16) + `],"data_offsets":[0,4]},"flat":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}`
	file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	if err := os.WriteFile(path, append(file, make([]byte, 12)...), 0o666); err != nil {
		t.Fatal(err)
	}
	out := run(t, t.Context(), exitOK, "inspect", "--stats", path)
	for _, want := range []string{"\nflat  F32    [2]  ", "  8 B  0  0  0  0\n", "\nPROBLEMS\ndeep: ", "more than 16 dimensions are not supported\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("got %s, want %q in it", out, want)
		}
	}
	out = run(t, t.Context(), exitFailed, "diff", path, path)
	for _, want := range []string{"deep  float32[1, ", ", which cannot be compared\n", "1 tensor the same, 1 different, 0 in one file alone\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("got %s, want %q in it", out, want)
		}
	}
}
