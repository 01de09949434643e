package tour

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestCodeShownIsCodeRun compares the text that a step shows with the place that the compiler recorded for its function.
func TestCodeShownIsCodeRun(t *testing.T) {
	for _, c := range Chapters() {
		for _, s := range c.Steps {
			if s.Do == nil {
				continue
			}
			path, line := runtime.FuncForPC(reflect.ValueOf(s.Do).Pointer()).FileLine(reflect.ValueOf(s.Do).Pointer())
			name := filepath.Base(path)
			compiled, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if embedded, _ := sources.ReadFile(name); string(embedded) != string(compiled) {
				t.Errorf("%s is not the file that was compiled", name)
			}
			lines := strings.Split(string(compiled), "\n")
			if lines[line-1] != "func "+s.Name()+"() {" {
				t.Errorf("%s stands at %s:%d, which is %q", s.Name(), name, line, lines[line-1])
				continue
			}
			end := line + slices.Index(lines[line:], "}")
			shown := body(s.Name())
			for i, want := range lines[line:end] {
				if got := strings.Split(shown, "\n")[i]; got != strings.TrimPrefix(want, "\t") {
					t.Errorf("%s shows %q where %s:%d has %q", s.Name(), got, name, line+1+i, want)
				}
			}
			if got := strings.Count(shown, "\n") + 1; got != end-line {
				t.Errorf("%s shows %d lines and has %d", s.Name(), got, end-line)
			}
		}
	}
}

// TestStepsShowWhatTheyUse wants the declarations of this package that a step uses in what it shows.
func TestStepsShowWhatTheyUse(t *testing.T) {
	declared := readSources().whole
	for _, c := range Chapters() {
		for _, s := range c.Steps {
			if s.Do == nil {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+body(s.Name())+"\n}\n", parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && declared[id.Name] != nil && !slices.Contains(s.Shows, id.Name) && id.Name[0] != '_' {
					if !regexp.MustCompile(`\.` + id.Name + `\b`).MatchString(body(s.Name())) { // a field or method of another package
						t.Errorf("%s uses %s and does not show it", s.Name(), id.Name)
					}
				}
				return true
			})
			for _, name := range s.Shows {
				if declared[name] == nil {
					t.Errorf("%s shows %s, which is not there", s.Name(), name)
				}
			}
		}
	}
}

// TestStepsFitThePage keeps what is shown within 80 columns and a screen.
func TestStepsFitThePage(t *testing.T) {
	seen := map[string]bool{}
	for i, c := range Chapters() {
		for _, s := range c.Steps {
			switch {
			case s.Title == "" || s.Note == "" || s.Mirrors == "" || s.Needs.Words == "":
				t.Errorf("chapter %d: the step %q lacks something: %+v", i+1, s.Name(), s)
			case (s.Do == nil) == (s.Shell == ""):
				t.Errorf("chapter %d: %s is not either a function or a line", i+1, s.Name())
			case seen[s.Name()]:
				t.Errorf("two steps are called %s", s.Name())
			}
			seen[s.Name()] = true
			for place := range strings.FieldsSeq(s.Note) {
				if !regexp.MustCompile(`^00[0-4]:\d+(-\d+)?$`).MatchString(place) {
					t.Errorf("%s: %q is no place in a note", s.Name(), place)
				}
			}
			code := strings.Split(strings.ReplaceAll(s.Code(), "\t", "    "), "\n")
			for _, line := range code {
				if len([]rune(line)) > 75 {
					t.Errorf("%s: %d columns are too many: %s", s.Name(), len([]rune(line)), line)
				}
			}
			if len(code) > 40 {
				t.Errorf("%s has %d lines", s.Name(), len(code))
			}
		}
	}
}
