// Package examples tests that the documentation is true.
package examples

import (
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(raw), "\r\n", "\n")
}

// pages returns the names of all pages, which end in md.
func pages(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, pattern := range []string{"../*.md", "../docs/*.md", "../docs/internals/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		names = append(names, found...)
	}
	return names
}

// block returns the fenced block that follows mark.
func block(t *testing.T, page, mark string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, mark)
	if !ok {
		t.Fatalf("no %q", mark)
	}
	_, rest, _ = strings.Cut(rest, "```")
	_, rest, _ = strings.Cut(rest, "\n")
	body, _, _ := strings.Cut(rest, "```")
	return body
}

// fence is a fenced block of a page.
type fence struct {
	language, text string
	line           int // of the text's first line, from 1
	start, end     int // bytes of the page, with both fences
}

var fenced = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// fences returns a page's fenced blocks.
func fences(page string) (found []fence) {
	for _, m := range fenced.FindAllStringSubmatchIndex(page, -1) {
		line := 1 + strings.Count(page[:m[4]], "\n")
		found = append(found, fence{page[m[2]:m[3]], page[m[4]:m[5]], line, m[0], m[1]})
	}
	return found
}

// blocks returns the text of a page's fenced blocks in a language.
func blocks(page, language string) (texts []string) {
	for _, b := range fences(page) {
		if b.language == language {
			texts = append(texts, b.text)
		}
	}
	return texts
}

// TestReadmeShowsTheQuickstart compares the README's program with the example, and the output it shows with what the
// program prints.
func TestReadmeShowsTheQuickstart(t *testing.T) {
	readme := read(t, "../README.md")
	_, code, _ := strings.Cut(read(t, "quickstart/main.go"), "package main")
	if got := block(t, readme, "examples/quickstart/main.go"); got != "package main"+code {
		t.Errorf("the README's program is not examples/quickstart/main.go:\n%s", got)
	}
	out, err := exec.Command(program(t, "quickstart")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := block(t, readme, "It prints:"); string(out) != want {
		t.Errorf("the program prints\n%s\nthe README shows\n%s", out, want)
	}
}

// TestReadmesShowTheSame compares the blocks of the Chinese README, its pictures and the packages that it names with those of
// the English one.
func TestReadmesShowTheSame(t *testing.T) {
	english, chinese := read(t, "../README.md"), read(t, "../README.zh-CN.md")
	same := func(what, pattern string) {
		t.Helper()
		find := func(page string) []string { return regexp.MustCompile(pattern).FindAllString(page, -1) }
		if got, want := find(chinese), find(english); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("README.zh-CN.md has other %s:\n%q\nREADME.md has\n%q", what, got, want)
		}
	}
	same("blocks", fenced.String())
	same("pictures", `docs/[a-z]+\.svg`)
	same("packages", "(?m)^\\| `[a-z/]+`")
}

// TestPlacementPageShowsItsExample compares the page's program with the example, and the output it shows with what the program
// prints on simulated GPUs.
func TestPlacementPageShowsItsExample(t *testing.T) {
	page := read(t, "../docs/placement.md")
	_, code, _ := strings.Cut(read(t, "placement/main.go"), "package main")
	if got := block(t, page, "makes the two mistakes"); got != "package main"+code {
		t.Errorf("the page's program is not examples/placement/main.go:\n%s", got)
	}
	c := exec.Command(program(t, "placement"))
	c.Env = append(os.Environ(), "CRESSET_SIM=2", "CRESSET_SIM_STATE=off", "CUDA_VISIBLE_DEVICES=0,1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := block(t, page, "go run ./examples/placement` prints:"); string(out) != want {
		t.Errorf("the program prints\n%s\nthe page shows\n%s", out, want)
	}
}

var (
	fileName = regexp.MustCompile("`([a-z0-9_./]+\\.(?:go|md|json))`")
	link     = regexp.MustCompile(`\]\(([^)#:]+)\)`)
)

// TestDocsNameFilesThatExist checks every file name and every link that the documentation gives.
func TestDocsNameFilesThatExist(t *testing.T) {
	for _, name := range pages(t) {
		page := read(t, name)
		for _, m := range fileName.FindAllStringSubmatch(page, -1) {
			if _, err := os.Stat("../" + m[1]); err != nil && strings.Contains(m[1], "/") {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
		prose := inline.ReplaceAllString(fenced.ReplaceAllString(page, ""), "") // Data[float32](x) is no link
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	}
}

// TestDocsHaveNoMarksOfAMerge looks for what git leaves where two changes meet.
func TestDocsHaveNoMarksOfAMerge(t *testing.T) {
	for _, name := range pages(t) {
		if mark := regexp.MustCompile(`(?m)^(<<<<<<<|=======|>>>>>>>)( .*)?$`).FindString(read(t, name)); mark != "" {
			t.Errorf("%s has a line %q", name, mark)
		}
	}
}

// TestDocsShowGoThatCompiles compiles every block of Go, all in one build. One without a package clause is the body of a
// function that has the project's packages. CONTRIBUTING.md shows declarations of its own, docs/internals
// what users cannot call, and TestTutorial runs the tutorial.
func TestDocsShowGoThatCompiles(t *testing.T) {
	files := map[string]string{}
	var packages []string
	for _, name := range pages(t) {
		if elsewhere := regexp.MustCompile("CONTRIBUTING|internals|tutorial"); elsewhere.MatchString(name) {
			continue
		}
		for _, b := range fences(read(t, name)) {
			if b.language != "go" {
				continue
			}
			at := fmt.Sprintf("//line %s:%d\n", strings.TrimPrefix(name, "../"), b.line)
			code, whole := strings.CutPrefix(b.text, "package main\n")
			if whole {
				code = "package shown\n" + at + code // it is compiled, not linked
			} else {
				code = "package shown\n\n" + imports(b.text) + "\nfunc main() {\n" + at + b.text + "}\n"
			}
			dir := fmt.Sprintf("examples/shown%d", len(packages))
			files[dir+"/shown.go"] = code
			packages = append(packages, "./"+dir)
		}
	}
	if err := goBuild(files, packages...); err != nil {
		t.Error(err)
	}
}

// TestDocsShowFormattedGo wants what gofmt makes of each block, so that a reader can copy it.
func TestDocsShowFormattedGo(t *testing.T) {
	for _, name := range pages(t) {
		for _, code := range blocks(read(t, name), "go") {
			want, err := format.Source([]byte(code))
			if err != nil || string(want) != code {
				t.Errorf("%s shows\n%s\ngofmt says %v\n%s", name, code, err, want)
			}
		}
	}
}

// TestInternalsShowCodeThatIsThere looks for each block of Go in docs/internals among the sources, whatever its indentation.
func TestInternalsShowCodeThatIsThere(t *testing.T) {
	flat := func(code string) string { return strings.Join(strings.Fields(code), " ") }
	var sources strings.Builder
	err := filepath.WalkDir("../internal", func(name string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".go") {
			sources.WriteString(flat(read(t, name)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pages(t) {
		if !strings.Contains(name, "internals") {
			continue
		}
		for _, code := range blocks(read(t, name), "go") {
			if !strings.Contains(sources.String(), flat(code)) {
				t.Errorf("%s shows code that is nowhere:\n%s", name, code)
			}
		}
	}
}

// known are the packages that blocks of code use without importing them.
var known = []string{
	"bytes", "context", "encoding/json", "errors", "fmt", "io", "log", "math", "net/http", "net/http/httptest", "os", "path/filepath", "strings", "sync", "time",
	"cresset/checkpoint", "cresset/cuda", "cresset/data", "cresset/device", "cresset/dist", "cresset/dtype", "cresset/linalg", "cresset/models/gpt2", "cresset/nn", "cresset/nn/nninit", "cresset/nn/ddp", "cresset/nn/fsdp", "cresset/nn/parallel", "cresset/nn/plan", "cresset/nn/quant", "cresset/optim",
	"cresset/models", "cresset/smi", "cresset/tensor", "cresset/text/generation", "cresset/text/serving", "cresset/text/tokenizer", "cresset/vision",
}

// imports returns import declarations for the known packages that code uses.
func imports(code string) string {
	code = regexp.MustCompile(`//.*`).ReplaceAllString(code, "")
	var b strings.Builder
	for _, path := range known {
		if regexp.MustCompile(`\b` + filepath.Base(path) + `\.[A-Z]`).MatchString(code) {
			b.WriteString("import \"" + path + "\"\n")
		}
	}
	return b.String()
}

// TestReadmeRecipeForOtherModules follows the README's recipe in a module outside of the project, but for go mod tidy, which
// asks the network: a build needs nothing that the project's own has not brought.
func TestReadmeRecipeForOtherModules(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	recipe, _, _ := strings.Cut(block(t, read(t, "../README.md"), "## Use it in your module"), "\ngo mod tidy")
	recipe = strings.ReplaceAll(recipe, "../cresset", filepath.ToSlash(root))
	dir := t.TempDir()
	program := "package main\n\nimport (\n\t\"fmt\"\n\n\t\"cresset/tensor\"\n)\n\nfunc main() { fmt.Println(tensor.Ones(2)) }\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	var out []byte
	for _, line := range []string{"go mod init mine", recipe, "go run -mod=mod ."} {
		words := strings.Fields(line)
		c := exec.Command(words[0], words[1:]...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOPROXY=off", "GONOSUMDB=*", "GOWORK=off") // with the flags of this test, so that what it is compiled of is not compiled once more
		if out, err = c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	if !strings.HasSuffix(string(out), "tensor([1., 1.])\n") {
		t.Errorf("got %s", out)
	}
}
