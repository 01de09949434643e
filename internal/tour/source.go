package tour

import (
	"embed"
	"strings"
	"sync"
)

// The files that steps stand in.
//
//go:embed devices.go tensors.go failures.go models.go moves.go several.go choosing.go dataparallel.go
var sources embed.FS

// index finds declarations in the embedded files.
type index struct {
	whole  map[string][]string // by name: a function, or a type with its methods and its constructor
	bodies map[string]string   // by name of a function: what stands between its braces
}

var readSources = sync.OnceValue(func() *index {
	ix := &index{whole: map[string][]string{}, bodies: map[string]string{}}
	files, err := sources.ReadDir(".")
	if err != nil {
		panic(err) // they are compiled in
	}
	for _, f := range files {
		text, err := sources.ReadFile(f.Name())
		if err != nil {
			panic(err)
		}
		ix.read(string(text))
	}
	return ix
})

// read finds the declarations of a file that gofmt has formatted: one begins in the first column, below its comment, and ends
// with its line or, where that ends with an opening brace, with the next line that is a closing one.
func (ix *index) read(text string) {
	start, at := 0, 0 // of the comment or declaration, of the line
	for line := range strings.Lines(text) {
		next := at + len(line)
		word, head, _ := strings.Cut(line, " ")
		switch word {
		case "func", "type":
			end := next
			if strings.HasSuffix(line, "{\n") {
				end = at + strings.Index(text[at:], "\n}\n") + len("\n}\n")
			}
			name := head[:strings.IndexAny(head+" ", "( ")]
			if name == "" { // a method: (x *T)
				receiver, _, _ := strings.Cut(head[1:], ")")
				name = receiver[strings.LastIndexAny(receiver, " *")+1:]
			} else if word == "func" {
				ix.bodies[name] = strings.TrimSuffix(text[next:end], "}\n")
			}
			ix.whole[name] = append(ix.whole[name], strings.TrimSuffix(text[start:end], "\n"))
		}
		if strings.HasPrefix(line, "//") {
			at = next
			continue
		}
		start, at = next, next
	}
}

// body returns the statements of a function, not indented.
func body(name string) string {
	text, ok := readSources().bodies[name]
	if !ok {
		panic("tour: the step " + name + " stands in no file that source.go embeds")
	}
	return strings.TrimSpace(strings.ReplaceAll("\n"+text, "\n\t", "\n"))
}

// declaration returns a function, or a type with its methods, as it stands in the source.
func declaration(name string) string { return strings.Join(readSources().whole[name], "\n\n") }
