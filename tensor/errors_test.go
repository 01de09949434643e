package tensor

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// errorCase is a mistake: golden is its key in testdata/errors_torch26_cpu.txt, or text is what it must say where the
// file has no such case.
type errorCase struct {
	golden, text string
	kind         error
	do           func()
}

// checkErrors makes each mistake and compares text and kind.
func checkErrors(t *testing.T, cases []errorCase) {
	t.Helper()
	texts := goldenErrors(t)
	for _, c := range cases {
		want, ok := c.text, true
		if c.golden != "" {
			want, ok = texts[c.golden]
		}
		if !ok {
			t.Errorf("there is no golden %q", c.golden)
			continue
		}
		err := Try(c.do)
		switch {
		case err == nil:
			t.Errorf("%s: no error, want %q", c.golden, want)
		case err.Error() != want:
			t.Errorf("%s: got  %q\nwant %q", c.golden, err, want)
		case c.kind != nil && !errors.Is(err, c.kind):
			t.Errorf("%s: %q is not of the kind %q", c.golden, err, c.kind)
		}
	}
}

// goldenErrors reads PyTorch's texts by key.
func goldenErrors(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.ReadFile("testdata/errors_torch26_cpu.txt")
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	for _, line := range strings.Split(string(file), "\n") {
		key, rest, ok := strings.Cut(line, " !! ")
		if !ok {
			continue
		}
		_, quoted, _ := strings.Cut(rest, ": ")
		texts[key] = unquotePython(quoted)
	}
	return texts
}

// unquotePython returns the text of a Python string literal.
func unquotePython(s string) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\'`, "'", `\\`, `\`).Replace(s[1 : len(s)-1])
}
