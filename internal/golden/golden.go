// Package golden reads recordings of PyTorch for tests. A recording holds an entry per line, "key -> value" or
// "key !! Exception: 'text'", where a value may run over several lines.
package golden

import (
	"os"
	"strings"
	"testing"
)

// Entry is one recorded result.
type Entry struct {
	Key       string
	Value     string // what Python printed; empty where it raised
	Exception string // "RuntimeError"; empty where it did not raise
	Text      string // the exception's text
}

// Read returns the entries of a recording, in order. Lines without a key belong to the entry before them.
func Read(t testing.TB, path string) []Entry {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var entries []Entry
	for _, line := range strings.Split(strings.TrimRight(string(raw), "\n"), "\n") {
		if key, rest, ok := strings.Cut(line, " !! "); ok {
			exception, text, _ := strings.Cut(rest, ": ")
			entries = append(entries, Entry{Key: key, Exception: exception, Text: unquote(text)})
			continue
		}
		if key, value, ok := strings.Cut(line, " -> "); ok && !strings.HasPrefix(line, " ") {
			entries = append(entries, Entry{Key: key, Value: value})
			continue
		}
		if len(entries) > 0 {
			entries[len(entries)-1].Value += "\n" + line
		}
	}
	return entries
}

// Map returns the entries of a recording by key.
func Map(t testing.TB, path string) map[string]Entry {
	t.Helper()
	m := make(map[string]Entry)
	for _, e := range Read(t, path) {
		m[e.Key] = e
	}
	return m
}

var escapes = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\'`, "'", `\"`, `"`, `\\`, `\`)

// unquote reads a Python string literal.
func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '\'' || s[0] == '"') && s[len(s)-1] == s[0] {
		return escapes.Replace(s[1 : len(s)-1])
	}
	return s
}
