package examples

import (
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	inline = regexp.MustCompile("`([^`\n]+)`")
	flags  = regexp.MustCompile(`(?:^|[\s"])(--?[a-zA-Z][a-z-]*)`)
)

// TestDocsShowCommandsThatExist asks the programs, and the Makefile, for what the documentation tells its readers to type.
func TestDocsShowCommandsThatExist(t *testing.T) {
	makefile := read(t, "../Makefile")
	help := helpTexts(t)
	for _, name := range pages(t) {
		for _, line := range commandLines(read(t, name)) {
			line, _, _ = strings.Cut(line, " #")
			words := strings.Fields(line)
			if words[0] == "make" {
				if len(words) > 1 && !strings.Contains(makefile, "\n"+words[1]+": ##") {
					t.Errorf("%s shows %q: there is no such target", name, line)
				}
				continue
			}
			if words[0] == "go" {
				words = words[2:]
			}
			text := help(words[0], words[1:])
			for _, m := range flags.FindAllStringSubmatch(line, -1) {
				if !slices.Contains(flagsOf(text), m[1]) {
					t.Errorf("%s shows %q: there is no flag %s", name, line, m[1])
				}
			}
		}
	}
}

// commandLines returns the lines that run make, the command or an example.
func commandLines(page string) (lines []string) {
	var shown []string
	for _, m := range inline.FindAllStringSubmatch(page, -1) {
		shown = append(shown, m[1])
	}
	for _, b := range blocks(page, "sh") {
		shown = append(shown, strings.Split(b, "\n")...)
	}
	for _, s := range shown {
		if runs := regexp.MustCompile(`^(make\b|cresset [a-z]|go run \./(cmd|examples)/)`); runs.MatchString(s) {
			lines = append(lines, s)
		}
	}
	return lines
}

// helpTexts returns a function that runs a program for its help: of cresset's subcommand, or of an example.
func helpTexts(t *testing.T) func(name string, args []string) string {
	known := map[string]string{}
	return func(name string, args []string) string {
		name = path.Base(name)
		call := []string{"-h"}
		if name == "cresset" && len(args) > 0 {
			call = []string{args[0], "-h"}
		}
		key := name + " " + strings.Join(call, " ")
		if known[key] == "" {
			out, err := exec.Command(program(t, name), call...).CombinedOutput() // package flag's help is a failure
			if !strings.Contains(string(out), "-h") && !strings.Contains(string(out), "Usage") {
				t.Fatalf("%s: %v\n%s", key, err, out)
			}
			known[key] = string(out)
		}
		return known[key]
	}
}

// flagsOf returns the flags that a help text lists, and other spellings that it gives for them: "; -lms too".
func flagsOf(help string) (names []string) {
	for _, m := range regexp.MustCompile(`(--?[a-z-]+)\s+too\.`).FindAllStringSubmatch(help, -1) {
		names = append(names, m[1])
	}
	for _, m := range regexp.MustCompile(`(?m)^\s+(?:(-\w), +)?(--?[a-zA-Z][a-z-]*)`).FindAllStringSubmatch(help, -1) {
		names = append(names, m[1], m[2])
	}
	return append(names, "-h", "--help")
}
