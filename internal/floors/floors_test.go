package floors

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestFloors holds the whole module to the rules.
func TestFloors(t *testing.T) {
	root := filepath.Join("..", "..")
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatalf("the module's root is not at %s: %v", root, err)
	}
	faults, err := Check(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

func TestImports(t *testing.T) {
	for _, tc := range []struct {
		pkg, path string
		ok        bool
	}{
		{"tensor", "fmt", true},
		{"tensor", "cresset/dtype", true},
		{"tensor", "cresset/internal/backend/cpu", true},
		{"tensor", "cresset/nn", false},
		{"tensor", "cresset/cuda", false},
		{"cuda", "cresset/tensor", true},
		{"dtype", "cresset/device", false},
		{"device", "cresset/dtype", true},
		{"internal/layout", "cresset/internal/mem", false},
		{"internal/kern", "cresset/internal/par", true},
		{"internal/par", "cresset/internal/kern", false},
		{"internal/backend", "cresset/internal/backend/cpu", false},
		{"nn", "cresset/internal/nowhere", false},
		{"nn", module, false},
		{"nn", "cresset/internal/gradcheck", false},
		{"nn", "cresset/examples/mnist", false},
		{"internal/gradcheck", "cresset/tensor", true},
		{"internal/gradcheck", "cresset/internal/golden", true},
		{"internal/gradcheck", "cresset/internal/cli", false},
		{"internal/kern", "cresset/internal/kgen/recipe", false},
		{"internal/kgen", "cresset/internal/kgen/recipe", true},
		{"internal/kgen", "cresset/dtype", false},
		{"examples/mnist", "cresset/nn", true},
		{"examples/mnist", "cresset/internal/mem", false},
		{"cmd/cresset", "cresset/internal/cli", true},
		{"internal/dl", "github.com/ebitengine/purego", true},
		{"internal/driver", "github.com/ebitengine/purego", false},
		{"internal/tui/paint", "golang.org/x/text/width", true},
		{"nn", "golang.org/x/text/width", false},
		{"internal/cli", "github.com/rogpeppe/go-internal/testscript", false},
		{"internal/mem", "golang.org/x/sys/unix", true},
		{"tensor", "golang.org/x/sys/cpu", false},
		{"tensor", "example.com/other", false},
	} {
		if fault := importFault(tc.pkg, tc.path); (fault == "") != tc.ok {
			t.Errorf("%s imports %s: fault %q, want ok %v", tc.pkg, tc.path, fault, tc.ok)
		}
	}
}

func TestRulesOfTheHouse(t *testing.T) {
	for _, tc := range []struct {
		name, file, text string
		want             string // part of the only fault; "" for none
	}{
		{"fine", "nn/a.go", "package nn\n", ""},
		{"unknown package", "nets/a.go", "package nets\n", "stands on no floor"},
		{"long", "nn/a.go", "package nn\n" + strings.Repeat("\n", 400), "401 lines"},
		{"long test", "nn/a_test.go", "package nn\n" + strings.Repeat("\n", 400), "401 lines"},
		{"long but generated", "nn/a_gen.go", "package nn\n" + strings.Repeat("\n", 400), ""},
		{"init", "nn/a.go", "package nn\nfunc init() {}\n", "func init()"},
		{"method init", "nn/a.go", "package nn\ntype t int\nfunc (t) init() {}\n", ""},
		{"blank import", "nn/a.go", "package nn\nimport _ \"image/png\"\n", "blank import"},
		{"blank import of embed", "nn/a.go", "package nn\nimport _ \"embed\"\n", ""},
		{"blank import in a test", "nn/a_test.go", "package nn\nimport _ \"image/png\"\n", ""},
		{"unsafe", "nn/a.go", "package nn\nimport \"unsafe\"\n", "imports unsafe"},
		{"unsafe in a kernel", "internal/kern/a.go", "package kern\nimport \"unsafe\"\n", ""},
		{"unsafe in a backend", "internal/backend/cpu/a.go", "package cpu\nimport \"unsafe\"\n", ""},
		{"unsafe in a test", "nn/a_test.go", "package nn\nimport \"unsafe\"\n", ""},
		{"log", "nn/a.go", "package nn\nimport \"log\"\n", "imports log"},
		{"exit", "nn/a.go", "package nn\nimport \"os\"\nfunc f() { os.Exit(1) }\n", "os.Exit"},
		{"exit in a command", "cmd/cresset/a.go", "package main\nimport \"os\"\nfunc f() { os.Exit(1) }\n", ""},
		{"print", "nn/a.go", "package nn\nimport \"fmt\"\nfunc f() { fmt.Println() }\n", "fmt.Println"},
		{"print to a writer", "nn/a.go", "package nn\nimport \"fmt\"\nfunc f() { fmt.Fprintln(nil) }\n", ""},
		{"no name", "nn/a_test.go", "package util\n", "says nothing"},
		{"embedded tensor", "tensor/a.go", "package tensor\ntype a struct{ *Tensor }\n", "embeds a Tensor"},
		{"embedded tensor of a package", "nn/a.go", "package nn\ntype a struct{ tensor.Tensor }\n", "embeds a Tensor"},
		{"named tensor", "nn/a.go", "package nn\ntype a struct{ weight *tensor.Tensor }\n", ""},
		{"testdata", "nn/testdata/a.go", "not Go", ""},
		{"hidden folder", ".cache/a.go", "not Go", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			faults, err := Check(fstest.MapFS{tc.file: {Data: []byte(tc.text)}})
			switch {
			case err != nil:
				t.Error(err)
			case tc.want == "" && len(faults) == 0:
			case tc.want == "" || len(faults) != 1 || !strings.Contains(faults[0], tc.want) || !strings.HasPrefix(faults[0], tc.file):
				t.Errorf("got %q, want one with %q", faults, tc.want)
			}
		})
	}
}

func TestBackendHasOneUnsafeFile(t *testing.T) {
	text := []byte("package cpu\nimport \"unsafe\"\n")
	faults, err := Check(fstest.MapFS{
		"internal/backend/cpu/a.go":  {Data: text},
		"internal/backend/cpu/b.go":  {Data: text},
		"internal/backend/cuda/a.go": {Data: text},
	})
	if err != nil || len(faults) != 1 || !strings.HasPrefix(faults[0], "internal/backend/cpu/b.go: ") {
		t.Errorf("faults %q, error %v", faults, err)
	}
}

func TestBackendsAreForTheMapOfBackends(t *testing.T) {
	text := []byte("package tensor\nimport \"cresset/internal/backend/cuda\"\n")
	faults, err := Check(fstest.MapFS{
		"tensor/backends.go":     {Data: text},
		"tensor/pinned.go":       {Data: text},
		"tensor/pinned_test.go":  {Data: text},
		"nn/plan/plan.go":        {Data: text},
		"internal/bench/load.go": {Data: text},
	})
	if err != nil || len(faults) != 2 || !strings.HasPrefix(faults[0], "internal/bench/load.go ") || !strings.HasPrefix(faults[1], "tensor/pinned.go ") {
		t.Errorf("faults %q, error %v", faults, err)
	}
}

func TestEveryPackageNamedExists(t *testing.T) {
	named := append([]string{generator}, support...)
	for _, row := range rows {
		named = append(named, row...)
	}
	for backend, users := range backends {
		named = append(append(named, backend), users...)
	}
	for _, name := range slices.Concat(named, unsafePackages, unsafeFiles) {
		if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(name))); err != nil {
			t.Errorf("internal/floors names %s: %v", name, err)
		}
	}
}

func TestModulesInsideAreTheirOwn(t *testing.T) {
	faults, err := Check(fstest.MapFS{
		"internal/_gen/go.mod": {}, "internal/_gen/a.go": {Data: []byte("package x")},
		"tools/go.mod": {}, "tools/a.go": {Data: []byte("package x")},
	})
	if err != nil || len(faults) != 0 {
		t.Errorf("faults %q, error %v", faults, err)
	}
}

func TestNoPackageStandsTwice(t *testing.T) {
	var all []string
	for _, row := range rows {
		all = append(all, row...)
	}
	all = append(all, support...)
	slices.Sort(all)
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			t.Errorf("%s stands twice", all[i])
		}
	}
}
