package examples

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const tutorial = "../docs/tutorial.md"

// TestTutorial runs the tutorial and compares what its blocks print with the outputs that stand below them. The Chinese page
// shows the same code and the same outputs. With -update it writes the outputs into both.
func TestTutorial(t *testing.T) {
	page := read(t, tutorial)
	outputs := performed(t, page)
	for _, name := range []string{tutorial, "../docs/tutorial.zh-CN.md"} {
		own := read(t, name)
		if !slices.Equal(blocks(own, "go"), blocks(page, "go")) {
			t.Errorf("%s has other code than %s", name, tutorial)
			continue
		}
		want := withOutputs(own, outputs)
		if want == own {
			continue
		}
		if *update {
			if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
				t.Error(err)
			}
			continue
		}
		t.Errorf("%s shows what its code does not print; go test ./examples -run Tutorial -update would change %s", name, firstDifference(own, want))
	}
}

// performed runs a page's Go, each chapter as a program of its own, and returns what each block prints.
func performed(t *testing.T, page string) (outputs []string) {
	t.Helper()
	code, chapters := tutorialProgram(page)
	const dir = "examples/tutorial"
	if err := goBuild(map[string]string{dir + "/main.go": code}, "-o", executable("tutorial"), "./"+dir); err != nil {
		t.Fatal(err)
	}
	texts := strings.Split(page, "\n## ")[1:]
	for i, blocks := range chapters {
		chapter := texts[i]
		c := exec.Command(executable("tutorial"), fmt.Sprint(i))
		c.Env = append(sees(machine(chapter)), "GOGC=off") // what is printed of memory holds no tensor that the collector took in between
		out, err := c.CombinedOutput()
		parts := strings.Split(string(out), mark)
		if err != nil || len(parts) != blocks+1 {
			t.Fatalf("chapter %d: %v, the end of %d of %d blocks\n%s", i+1, err, len(parts)-1, blocks, out)
		}
		outputs = append(outputs, parts[:blocks]...)
	}
	return outputs
}

// machine is what a chapter sees: the tutorial's, or that which it names.
func machine(chapter string) string {
	if _, named, ok := strings.Cut(chapter, "`CRESSET_SIM="); ok {
		name, _, _ := strings.Cut(named, "`")
		return name
	}
	return "../docs/tutorial.json"
}

// mark is printed behind each block.
const mark = "\x00"

// tutorialProgram makes a program of a page: what a block declares stands at package level, its statements in the function of
// their chapter. It returns how many blocks each chapter has.
func tutorialProgram(page string) (code string, chapters []int) {
	var declarations, functions strings.Builder
	for i, chapter := range strings.Split(page, "\n## ")[1:] {
		count := 0
		fmt.Fprintf(&functions, "func chapter%d() {\n", i)
		start := strings.Index(page, "\n## "+chapter)
		for _, b := range fences(page[start : start+len("\n## "+chapter)]) {
			if b.language != "go" {
				continue
			}
			at := fmt.Sprintf("//line docs/tutorial.md:%d\n", b.line+strings.Count(page[:start], "\n"))
			if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+b.text, 0); err == nil {
				declarations.WriteString(at + b.text)
				b.text = ""
			}
			functions.WriteString(at + b.text + "fmt.Print(mark)\n")
			count++
		}
		functions.WriteString("}\n\n")
		chapters = append(chapters, count)
	}
	var start strings.Builder
	for i := range chapters {
		fmt.Fprintf(&start, "\tcase \"%d\":\n\t\tchapter%d()\n", i, i)
	}
	main := fmt.Sprintf("const mark = %q\n\nfunc main() {\n\tswitch os.Args[1] {\n%s\t}\n}\n\n", mark, &start)
	rest := main + declarations.String() + functions.String()
	return "package main\n\n" + imports(rest) + rest, chapters
}

// withOutputs returns a page that shows what its blocks of Go print: nothing, or a block without a language below each.
func withOutputs(page string, outputs []string) string {
	var b strings.Builder
	found := fences(page)
	at := 0
	for i, f := range found {
		if f.language != "go" {
			continue
		}
		b.WriteString(page[at:f.end])
		at = f.end
		if i+1 < len(found) && found[i+1].language == "" && strings.TrimSpace(page[f.end:found[i+1].start]) == "" {
			at = found[i+1].end
		}
		if out := outputs[0]; out != "" {
			b.WriteString("\n\n```\n" + strings.TrimSuffix(out, "\n") + "\n```")
		}
		outputs = outputs[1:]
	}
	return b.String() + page[at:]
}

// firstDifference returns the first lines in which two texts differ.
func firstDifference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return fmt.Sprintf("line %d from\n%s\nto\n%s", i+1, as[i], bs[i])
		}
	}
	return "its length"
}
