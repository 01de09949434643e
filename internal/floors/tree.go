package floors

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// source is a Go file of the module.
type source struct {
	name   string // path in the module
	pkg    string // its folder
	test   bool
	lines  int
	syntax *ast.File
}

func (s *source) imports(path string) bool {
	return slices.ContainsFunc(s.syntax.Imports, func(i *ast.ImportSpec) bool {
		got, _ := strconv.Unquote(i.Path.Value)
		return got == path
	})
}

// Check returns a sentence for every rule that a Go file of the module breaks. Test files follow only the rules for their
// form.
func Check(root fs.FS) ([]string, error) {
	sources, err := read(root)
	if err != nil {
		return nil, err
	}
	faults := unsafeFaults(sources)
	for _, s := range sources {
		for _, f := range s.houseFaults() {
			faults = append(faults, s.name+": "+f)
		}
		faults = append(faults, s.floorFaults()...)
	}
	slices.Sort(faults)
	return faults, nil
}

func (s *source) floorFaults() (faults []string) {
	if s.test {
		return nil
	}
	if kindOf(s.pkg) == unknown {
		return []string{fmt.Sprintf("%s: package %s stands on no floor: name it in internal/floors", s.name, s.pkg)}
	}
	for _, imp := range s.syntax.Imports {
		name, _ := strconv.Unquote(imp.Path.Value)
		fault := importFault(s.pkg, name)
		if fault == "" {
			fault = s.backendFault(strings.TrimPrefix(name, module+"/"))
		}
		if fault != "" {
			faults = append(faults, fmt.Sprintf("%s imports %s: %s", s.name, name, fault))
		}
	}
	return faults
}

// backendFault returns why the file may not import a backend, or "".
func (s *source) backendFault(path string) string {
	users, isBackend := backends[path]
	if !isBackend || withinAny(s.pkg, users) || withinAny(s.pkg, support) || slices.Contains(users, s.name) {
		return ""
	}
	return "a backend is for " + strings.Join(users, ", ") + "; others ask for an interface of internal/backend"
}

// read parses the Go files of the module, whatever system they are for.
func read(root fs.FS) (sources []*source, err error) {
	files := token.NewFileSet()
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return enter(root, name)
		case path.Ext(name) != ".go":
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		syntax, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		sources = append(sources, &source{
			name:   name,
			pkg:    path.Dir(name),
			test:   strings.HasSuffix(name, "_test.go"),
			lines:  bytes.Count(text, []byte("\n")),
			syntax: syntax,
		})
		return nil
	})
	return sources, err
}

// enter skips the folders that are not of the module: those that the go command passes over, and modules of their own.
func enter(root fs.FS, dir string) error {
	base := path.Base(dir)
	if dir == "." {
		return nil
	}
	if base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_' {
		return fs.SkipDir
	}
	if _, err := fs.Stat(root, path.Join(dir, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}
