package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/internal/devicetest"
	"cresset/tensor"
)

// write writes a file of text.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestConvertTellsWhatIsLeftOut writes a file of more values than inspect lists to other formats, to its own and over itself.
func TestConvertTellsWhatIsLeftOut(t *testing.T) {
	devicetest.JudgesValues(t)
	dir := t.TempDir()
	in, names := filepath.Join(dir, "in.pt"), filepath.Join(dir, "names.txt")
	write(t, names, "w v\n")
	const lost = "cresset: left out 25,001 values beside the tensors, "
	for _, c := range []struct{ name, out, names, want string }{
		{"to others", "out.safetensors", "", lost + "which PyTorch's formats alone can hold\n"},
		{"to PyTorch's", "out.bin", "", ""},
		{"renamed", "out.pt", names, lost + "whose names would no longer be true\n"},
		{"renamed over itself", "in.pt", names, lost + "whose names would no longer be true\n"},
	} {
		value := map[string]any{"w": tensor.Ones(2), "losses": make([]float64, 25_000), "epoch": 3}
		if err := checkpoint.WriteValue(in, value); err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		code := Run(t.Context(), []string{"convert", in, filepath.Join(dir, c.out), "--map=" + c.names}, new(bytes.Buffer), &stderr)
		if code != exitOK || stderr.String() != c.want {
			t.Errorf("%s: exit code %d, %s, want %s", c.name, code, &stderr, c.want)
		}
	}
	if err := checkpoint.WriteValue(in, make([]int, 25_000)); err != nil {
		t.Fatal(err)
	}
	if out := run(t, t.Context(), exitOK, "inspect", in); !strings.Contains(out, "\nPROBLEMS\nof the values the first 10,000 are listed\n") {
		t.Errorf("inspect does not tell that there are more: %.300s", out)
	}
}

// TestConvertTellsOfMetadata says that texts are left out where the format has no place for them.
func TestConvertTellsOfMetadata(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.safetensors")
	texts := checkpoint.Metadata(map[string]string{"format": "pt", "epoch": "3", "by": "me"})
	if err := checkpoint.Write(in, map[string]*tensor.Tensor{"w": tensor.Ones(4), "v": tensor.Ones(4)}, texts); err != nil {
		t.Fatal(err)
	}
	const lost = "cresset: left out 2 texts of metadata, which safetensors alone can hold\n"
	for _, c := range []struct{ out, flag, want string }{
		{"out.npz", "--compressed", lost},
		{"out.pt", "--dtype=float16", lost},
		{"out.safetensors", "--dtype=float16", ""},
		{"shards.safetensors", "--shard-size=16B", ""},
	} {
		var stderr bytes.Buffer
		code := Run(t.Context(), []string{"convert", c.flag, in, filepath.Join(dir, c.out)}, new(bytes.Buffer), &stderr)
		if code != exitOK || stderr.String() != c.want {
			t.Errorf("%s: exit code %d, %q, want %q", c.out, code, &stderr, c.want)
		}
	}
}

// TestNameMaps wants every line of a map to be about a tensor.
func TestNameMaps(t *testing.T) {
	dir := t.TempDir()
	in, names := filepath.Join(dir, "in.safetensors"), filepath.Join(dir, "names")
	given := map[string]*tensor.Tensor{"a.x": tensor.Ones(1), "a.y": tensor.Ones(1), "b": tensor.Ones(1)}
	if err := checkpoint.Write(in, given); err != nil {
		t.Fatal(err)
	}
	for lines, want := range map[string]string{
		"a.x z\nc d\nb q\ne* f*\n": names + `: ` + in + ` has no tensor "c" (line 2), "e*" (line 4)`,
		"c -\n":                    names + `: ` + in + ` has no tensor "c" (line 1)`,
		"a.x b\n":                  `write ` + filepath.Join(dir, "out.npz") + `: "a.x" and "b" both became "b"`,
		"a.* c*\na.* d*\n":         names + `:2: "a.*" stands in line 1 already`,
		"b c\n#\nb d\n":            names + `:3: "b" stands in line 1 already`,
		"b* *\n":                   names + `:1: "b" would have no name left`,
	} {
		write(t, names, lines)
		var stderr bytes.Buffer
		code := Run(t.Context(), []string{"convert", in, filepath.Join(dir, "out.npz"), "--map", names}, new(bytes.Buffer), &stderr)
		if code != exitFailed || stderr.String() != "cresset: "+want+"\n" {
			t.Errorf("%q: exit code %d, %s, want %s", lines, code, &stderr, want)
		}
	}
	write(t, names, "a.* -*\nb -c\n") // a hyphen alone leaves out
	out := filepath.Join(dir, "out.safetensors")
	run(t, t.Context(), exitOK, "convert", in, out, "--map", names)
	if got := run(t, t.Context(), exitOK, "inspect", out); !strings.Contains(got, "\n-c ") || !strings.Contains(got, "\n-x ") {
		t.Errorf("got %s", got)
	}
}
