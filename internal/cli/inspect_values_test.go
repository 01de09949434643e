package cli

import (
	"slices"
	"testing"

	"cresset/checkpoint"
)

// TestValuesThatHoldThemselves walks what a file of few bytes can say: containers in themselves, and one that stands twice in
// each of forty others.
func TestValuesThatHoldThemselves(t *testing.T) {
	list := []any{1, nil}
	list[1] = list
	dict := map[string]any{"a": 1}
	dict["self"] = dict
	nested := map[string]any{}
	for range 40 {
		nested = map[string]any{"a": nested, "b": nested}
	}
	shared := checkpoint.Tuple{"x"}
	cases := []struct {
		name  string
		value any
		want  []valueRow
	}{
		{"a list", list, []valueRow{{"[0]", "1"}, {"[1]", "..."}}},
		{"a dict", dict, []valueRow{{"a", "1"}, {"self", "..."}}},
		{"doubled", nested, nil},
		{"shared", []any{shared, shared}, []valueRow{{"[0][0]", `"x"`}, {"[1][0]", `"x"`}}},
	}
	for _, c := range cases {
		w := &valueWalk{within: map[any]bool{}}
		w.visit("", c.value)
		if !slices.Equal(w.rows, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, w.rows, c.want)
		}
	}
}
