// Package golden reads recordings of PyTorch for tests. A recording holds an entry per line, "key -> value" or
// "key !! Exception: 'text'", or a line that was merely printed. What is printed may run over several lines.
package golden

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Entry is one recorded result.
type Entry struct {
	Key       string // what was run; "copy=True #2" where a key comes again; all that was printed where there is no key
	Value     string // what Python printed; empty where it raised
	Exception string // "RuntimeError"; empty where it did not raise
	Text      string // the exception's text
}

// Read returns the entries of a recording, in order.
func Read(t testing.TB, path string) []Entry {
	t.Helper()
	var entries []Entry
	for line := range strings.Lines(text(t, path)) {
		line = strings.TrimSuffix(line, "\n")
		if n := len(entries); n > 0 && entries[n-1].goesOnWith(line) {
			entries[n-1].add(line)
		} else if line != "" {
			entries = append(entries, parse(line))
		}
	}
	return numbered(entries)
}

// ReadSections returns the entries of a recording that holds a line "## key" above each value.
func ReadSections(t testing.TB, path string) []Entry {
	t.Helper()
	var entries []Entry
	for _, section := range strings.Split(strings.TrimPrefix(text(t, path), "## "), "\n## ") {
		key, value, _ := strings.Cut(strings.TrimRight(section, "\n"), "\n")
		entries = append(entries, Entry{Key: key, Value: value})
	}
	return numbered(entries)
}

func text(t testing.TB, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func parse(line string) Entry {
	if key, rest, ok := strings.Cut(line, " !! "); ok {
		exception, text, _ := strings.Cut(rest, ": ")
		return Entry{Key: key, Exception: exception, Text: unquote(text)}
	}
	key, value, _ := strings.Cut(line, " -> ")
	return Entry{Key: key, Value: value}
}

// goesOnWith reports whether a line belongs to what e printed: a bracket is open, and the line is indented or closes it.
func (e *Entry) goesOnWith(line string) bool {
	printed := e.Key + e.Value
	depth := 0
	for _, r := range printed {
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
	}
	return e.Exception == "" && depth > 0 && strings.IndexAny(line, " )]}") == 0
}

func (e *Entry) add(line string) {
	if e.Value == "" {
		e.Key += "\n" + line
	} else {
		e.Value += "\n" + line
	}
}

// numbered tells entries of equal keys apart.
func numbered(entries []Entry) []Entry {
	seen := make(map[string]int)
	for i := range entries {
		e := &entries[i]
		seen[e.Key]++
		if n := seen[e.Key]; n > 1 {
			e.Key = fmt.Sprintf("%s #%d", e.Key, n)
		}
	}
	return entries
}

var escapes = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\'`, "'", `\"`, `"`, `\\`, `\`)

// unquote reads a Python string literal.
func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0] {
		return escapes.Replace(s[1 : len(s)-1])
	}
	return s
}
