package cpu

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// bounded lists the functions of the kernels that may make slices, and what bounds these.
var bounded = map[string]string{
	"updating":     "the number of operands",
	"newScratch":   "maxScratch",
	"newWindows":   "tabled",
	"patches":      "mostTaps",
	"taps":         "mostTaps",
	"reducedLast":  "the number of axes",
	"forWithParts": "the number of threads",
	"Fuse":         "the steps of a region",
	"layOut":       "the steps of a region",
	"inLanes":      "manyLanes",
}

// TestWorkspacesComeFromThePool keeps memory that grows with an operand out of kernels: Go's own out-of-memory ends the
// process, where a tensor's is an error.
func TestWorkspacesComeFromThePool(t *testing.T) {
	files := token.NewFileSet()
	for _, pattern := range []string{"*.go", "../../kern/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: files %v, error %v", pattern, names, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			syntax, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range syntax.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || bounded[f.Name.Name] != "" {
					continue
				}
				ast.Inspect(f, func(n ast.Node) bool {
					if call, ok := n.(*ast.CallExpr); ok {
						if called, ok := call.Fun.(*ast.Ident); ok && called.Name == "make" {
							t.Errorf("%s: %s makes what nothing bounds: take it from internal/mem", files.Position(n.Pos()), f.Name.Name)
						}
					}
					return true
				})
			}
		}
	}
}
