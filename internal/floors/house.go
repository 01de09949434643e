package floors

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
)

const maxLines = 400

// unsafeFiles lists the packages whose files may all import unsafe, and single files of others. A backend has one such file
// besides; see unsafeFault.
var (
	unsafePackages = []string{"internal/dl", "internal/driver", "internal/kern", "internal/mem"}
	unsafeFiles    = []string{"tensor/data.go", "internal/par/thread_linux.go"}
	emptyNames     = []string{"util", "utils", "common", "types", "helpers", "misc"}
	speakers       = []string{"cmd", "internal/cli", "internal/tour", "internal/tui", generator, "examples", "scripts"}
)

// houseFaults returns the rules that a file breaks, imports of the project's own packages apart.
func (s *source) houseFaults() (faults []string) {
	if s.lines > maxLines && !strings.HasSuffix(s.name, "_gen.go") {
		faults = append(faults, fmt.Sprintf("has %d lines: past %d it holds more than one idea", s.lines, maxLines))
	}
	for _, name := range emptyNames {
		if s.syntax.Name.Name == name || path.Base(s.pkg) == name {
			faults = append(faults, fmt.Sprintf("a package named %s says nothing", name))
		}
	}
	for _, d := range s.syntax.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			faults = append(faults, "func init() acts without being called")
		}
	}
	if s.test {
		return faults
	}
	for _, imp := range s.syntax.Imports {
		name, _ := strconv.Unquote(imp.Path.Value)
		if imp.Name != nil && imp.Name.Name == "_" && name != "embed" {
			faults = append(faults, "the blank import of "+name+" acts without being called")
		}
	}
	if !withinAny(s.pkg, speakers) {
		faults = append(faults, s.speechFaults()...)
	}
	return append(faults, s.embeddingFaults()...)
}

// embeddingFaults finds structs that embed a tensor: for each, the compiler writes a wrapper of every method of Tensor, several hundred.
// Twelve such structs were four fifths of the functions of package tensor.
func (s *source) embeddingFaults() (faults []string) {
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		t, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		for _, field := range t.Fields.List {
			of := field.Type
			if p, ok := of.(*ast.StarExpr); ok {
				of = p.X
			}
			if sel, ok := of.(*ast.SelectorExpr); ok {
				of = sel.Sel
			}
			if name, ok := of.(*ast.Ident); ok && name.Name == "Tensor" && field.Names == nil {
				faults = append(faults, "embeds a Tensor, and so has all its methods compiled again: give the field a name")
			}
		}
		return true
	})
	return faults
}

// speechFaults finds what only a program may do: log, print, exit.
func (s *source) speechFaults() (faults []string) {
	for _, name := range []string{"log", "log/slog"} {
		if s.imports(name) {
			faults = append(faults, "imports "+name+": a library returns errors and leaves the words to its caller")
		}
	}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := sel.X.(*ast.Ident); ok {
			switch name := pkg.Name + "." + sel.Sel.Name; name {
			case "os.Exit", "fmt.Print", "fmt.Printf", "fmt.Println", "os.Stdout", "os.Stderr":
				faults = append(faults, "uses "+name+": a library neither speaks nor ends the program")
			}
		}
		return true
	})
	return faults
}

// unsafeFaults returns the files that may not import unsafe. A backend, which is a package under internal/backend, has one
// file that may.
func unsafeFaults(sources []*source) (faults []string) {
	first := map[string]string{}
	for _, s := range sources {
		if s.test || !s.imports("unsafe") || withinAny(s.pkg, unsafePackages) || slices.Contains(unsafeFiles, s.name) {
			continue
		}
		if path.Dir(s.pkg) != "internal/backend" {
			faults = append(faults, s.name+": imports unsafe, which is for "+strings.Join(unsafePackages, ", ")+
				", "+strings.Join(unsafeFiles, ", ")+" and one file of each backend")
			continue
		}
		if other, taken := first[s.pkg]; taken {
			faults = append(faults, fmt.Sprintf("%s: imports unsafe, and so does %s: a backend has one file for it", s.name, other))
			continue
		}
		first[s.pkg] = s.name
	}
	return faults
}
