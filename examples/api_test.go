package examples

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAPIStaysAsWritten compares the exported names of the public packages with docs/api.txt: a change is made on purpose, by
// go test ./examples -run API -update, and shows in the diff.
func TestAPIStaysAsWritten(t *testing.T) {
	var lines []string
	for _, pkg := range publicPackages(t) {
		lines = append(lines, readAPI(t, pkg).lines()...)
	}
	got := strings.Join(lines, "\n") + "\n"
	const file = "../docs/api.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := strings.Split(strings.TrimSpace(read(t, file)), "\n")
	for _, line := range lines {
		if !slices.Contains(want, line) {
			t.Errorf("not in docs/api.txt: %s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(lines, line) {
			t.Errorf("in docs/api.txt alone: %s", line)
		}
	}
	if t.Failed() {
		t.Log("where that is meant: go test ./examples -run API -update, and a line in CHANGELOG.md")
	}
}

// TestBooleansHaveNames: a bool among other arguments tells a reader nothing. It may be the only one of a function, whose name
// then says what is switched, as in SetRequiresGrad(true) and nn.Bias(false).
func TestBooleansHaveNames(t *testing.T) {
	for _, pkg := range publicPackages(t) {
		for _, f := range readAPI(t, pkg).funcs {
			n := f.Type.Params.NumFields()
			for _, p := range f.Type.Params.List {
				if id, ok := p.Type.(*ast.Ident); ok && id.Name == "bool" && n > 1 {
					t.Errorf("%s.%s takes a bool beside other arguments: make it an option", pkg, f.Name.Name)
				}
			}
		}
	}
}

// api is what a package exports.
type api struct {
	pkg      string
	files    *token.FileSet
	funcs    []*ast.FuncDecl // among them methods of unexported types
	decls    []*ast.GenDecl
	embedded map[string][]string // the exported structs that embed an unexported type
}

func readAPI(t *testing.T, pkg string) *api {
	t.Helper()
	a := &api{pkg: pkg, files: token.NewFileSet(), embedded: map[string][]string{}}
	names, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pkg), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(a.files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() {
					a.funcs = append(a.funcs, &ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type})
				}
			case *ast.GenDecl:
				if d.Tok != token.IMPORT {
					a.decls = append(a.decls, d)
				}
			}
		}
	}
	return a
}

// lines returns a sorted line for each exported name, with its type.
func (a *api) lines() (lines []string) {
	add := func(text string) { lines = append(lines, "pkg "+a.pkg+", "+text) }
	for _, d := range a.decls {
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					a.typeLines(s, add)
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						text := d.Tok.String() + " " + name.Name
						if s.Type != nil {
							text += " " + a.print(s.Type)
						}
						add(text)
					}
				}
			}
		}
	}
	for _, f := range a.funcs {
		signature := strings.TrimPrefix(a.print(f.Type), "func")
		if f.Recv == nil {
			add("func " + f.Name.Name + signature)
			continue
		}
		receiver := a.print(f.Recv.List[0].Type)
		owners := []string{receiver}
		if base := strings.TrimLeft(receiver, "*"); !ast.IsExported(base) {
			owners = a.embedded[base]
		}
		for _, owner := range owners {
			add("method (" + owner + ") " + f.Name.Name + signature)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// typeLines adds a type, and the exported fields or methods of a struct or an interface.
func (a *api) typeLines(s *ast.TypeSpec, add func(text string)) {
	name := s.Name.Name
	var fields *ast.FieldList
	switch typ := s.Type.(type) {
	case *ast.StructType:
		add("type " + name + " struct")
		fields = typ.Fields
	case *ast.InterfaceType:
		add("type " + name + " interface")
		fields = typ.Methods
	default:
		is := " "
		if s.Assign.IsValid() {
			is = " = "
		}
		add("type " + name + is + a.print(s.Type))
		return
	}
	for _, f := range fields.List {
		if len(f.Names) == 0 {
			embedded := a.print(f.Type)
			if base := strings.TrimLeft(embedded, "*"); !strings.Contains(base, ".") && !ast.IsExported(base) {
				a.embedded[base] = append(a.embedded[base], "*"+name)
			} else {
				add("type " + name + ", embedded " + embedded)
			}
		}
		for _, n := range f.Names {
			if n.IsExported() {
				add("type " + name + ", " + n.Name + " " + a.print(f.Type))
			}
		}
	}
}

// print returns a type on one line.
func (a *api) print(node ast.Node) string {
	var b bytes.Buffer
	printer.Fprint(&b, a.files, node)
	return strings.Join(strings.Fields(b.String()), " ")
}
