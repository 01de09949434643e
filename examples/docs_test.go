// Package examples tests that the documentation is true.
package examples

import (
	"os"
	"os/exec"
	"regexp"
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

// TestReadmeShowsTheQuickstart compares the README's program with the example, and the output it shows with what the
// program prints.
func TestReadmeShowsTheQuickstart(t *testing.T) {
	readme := read(t, "../README.md")
	program := read(t, "quickstart/main.go")
	_, code, _ := strings.Cut(program, "package main")
	if got := block(t, readme, "examples/quickstart/main.go"); got != "package main"+code {
		t.Errorf("the README's program is not examples/quickstart/main.go:\n%s", got)
	}
	out, err := exec.Command("go", "run", "./quickstart").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := block(t, readme, "It prints:"); string(out) != want {
		t.Errorf("the program prints\n%s\nthe README shows\n%s", out, want)
	}
}

var fileName = regexp.MustCompile("`([a-z0-9_./]+\\.(?:go|md|json))`")

// TestDocsNameFilesThatExist checks every file name that the documentation gives.
func TestDocsNameFilesThatExist(t *testing.T) {
	for _, page := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"} {
		for _, m := range fileName.FindAllStringSubmatch(read(t, "../"+page), -1) {
			if _, err := os.Stat("../" + m[1]); err != nil && strings.Contains(m[1], "/") {
				t.Errorf("%s names %s, which is not there", page, m[1])
			}
		}
	}
}
