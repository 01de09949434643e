package ptx

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCommittedModulesParse reads every module of testdata: an instruction that
// is not implemented is an error of Parse.
func TestCommittedModulesParse(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal("no modules", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(filepath.Base(file), string(text))
		if err != nil {
			t.Error(err)
			continue
		}
		if m.Target != 60 || m.Major != 7 || len(m.Kernels) == 0 {
			t.Errorf("%s: target %d, version %d.%d, %d kernels", file, m.Target, m.Major, m.Minor, len(m.Kernels))
		}
	}
}
