package tour

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"sync"
)

// The files that steps stand in.
//
//go:embed devices.go tensors.go failures.go models.go moves.go several.go choosing.go dataparallel.go
var sources embed.FS

// span is a piece of a source file.
type span struct {
	file       string
	start, end int // bytes
}

// index finds declarations in the embedded files.
type index struct {
	text   map[string]string // by file
	whole  map[string][]span // by name: a function, or a type with its methods and its constructor
	bodies map[string]span   // by name of a function: what stands between its braces
}

var readSources = sync.OnceValue(func() *index {
	ix := &index{text: map[string]string{}, whole: map[string][]span{}, bodies: map[string]span{}}
	files, err := sources.ReadDir(".")
	if err != nil {
		panic(err) // they are compiled in
	}
	for _, f := range files {
		if err := ix.read(f.Name()); err != nil {
			panic(err)
		}
	}
	return ix
})

func (ix *index) read(name string) error {
	raw, err := sources.ReadFile(name)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, raw, parser.ParseComments)
	if err != nil {
		return err
	}
	ix.text[name] = string(raw)
	piece := func(from, to token.Pos) span { return span{name, set.Position(from).Offset, set.Position(to).Offset} }
	for _, d := range file.Decls {
		start := d.Pos()
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Doc != nil {
				start = d.Doc.Pos()
			}
			owner := d.Name.Name
			if d.Recv != nil {
				owner = receiver(d)
			} else {
				ix.bodies[owner] = piece(d.Body.Lbrace+1, d.Body.Rbrace)
			}
			ix.whole[owner] = append(ix.whole[owner], piece(start, d.End()))
		case *ast.GenDecl:
			if d.Doc != nil {
				start = d.Doc.Pos()
			}
			if t, ok := d.Specs[0].(*ast.TypeSpec); ok && d.Tok == token.TYPE {
				ix.whole[t.Name.Name] = append(ix.whole[t.Name.Name], piece(start, d.End()))
			}
		}
	}
	return nil
}

// receiver names the type of a method.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	return fmt.Sprint(t)
}

func (ix *index) cut(s span) string { return ix.text[s.file][s.start:s.end] }

// body returns the statements of a function, not indented.
func body(name string) string {
	ix := readSources()
	s, ok := ix.bodies[name]
	if !ok {
		panic("tour: the step " + name + " stands in no file that source.go embeds")
	}
	return strings.TrimSpace(strings.ReplaceAll(ix.cut(s), "\n\t", "\n"))
}

// declaration returns a function, or a type with its methods, as it stands in the source.
func declaration(name string) string {
	ix := readSources()
	var parts []string
	for _, s := range ix.whole[name] {
		parts = append(parts, ix.cut(s))
	}
	return strings.Join(parts, "\n\n")
}
