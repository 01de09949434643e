package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cresset/device"
	"cresset/internal/golden"
	"cresset/tensor"
)

// TestErrors makes the recorded mistakes and compares the texts. A mistake that is answered in other words is listed in
// otherwise with the reason; one that is answered in PyTorch's words has to leave the list.
func TestErrors(t *testing.T) { checkErrors(t, "ops", "", otherwise) }

// checkErrors makes the recorded mistakes whose keys have a prefix.
func checkErrors(t *testing.T, folder, prefix string, otherwise map[string]string) {
	path := filepath.Join(t.TempDir(), "errors.txt")
	if err := os.WriteFile(path, text(t, folder, "errors.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	recorded := make(map[string]bool)
	for _, e := range golden.Read(t, path) {
		if e.Exception == "" || !strings.HasPrefix(e.Key, prefix) {
			continue
		}
		key, expression, _ := strings.Cut(e.Key, ": ")
		recorded[key] = true
		got, ok := mistake(expression, e.Text)
		switch reason := otherwise[key]; {
		case ok && reason != "":
			t.Errorf("%q has PyTorch's text, but is listed: %s", key, reason)
		case !ok && reason == "":
			t.Errorf("%s\n got %s\nwant %s", e.Key, got, e.Text)
		}
	}
	refuseStale(t, otherwise, recorded)
}

// mistake evaluates an expression and reports whether it ended with the text.
func mistake(expression, want string) (got string, ok bool) {
	var err error
	failure := tensor.Try(func() { _, err = environment(device.CPU, nil).Eval(expression) })
	switch {
	case failure != nil:
		return failure.Error(), failure.Error() == want
	case err != nil:
		return err.Error(), false
	}
	return "no error", false
}
