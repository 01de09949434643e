package flags

import (
	"slices"
	"testing"
)

func TestFold(t *testing.T) {
	tests := []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"one two", 7, []string{"one two"}},
		{"one two", 6, []string{"one", "two"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"one  two", 5, []string{"one ", "two"}},
		{"a longerword", 4, []string{"a", "longerword"}},
		{"longerword b", 4, []string{"longerword", "b"}},
		{"longerword", 4, []string{"longerword"}},
		{"é è ê", 3, []string{"é è", "ê"}},
	}
	for _, test := range tests {
		if got := Fold(test.text, test.width); !slices.Equal(got, test.want) {
			t.Errorf("Fold(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
}
