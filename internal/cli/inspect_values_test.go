package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/internal/devicetest"
)

// TestValuesThatHoldThemselves walks what a file of few bytes can say: containers in themselves, and one that stands twice in
// each of forty others.
func TestValuesThatHoldThemselves(t *testing.T) {
	devicetest.JudgesValues(t)
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

// TestValuesThatGoLacks shows sets, and keys that are no texts, as Python does.
func TestValuesThatGoLacks(t *testing.T) {
	set, dict := new(checkpoint.Set), new(checkpoint.Dict)
	for i, v := range []any{1, "x", nil, true, 2.5, checkpoint.Tuple{"y"}, checkpoint.Tuple{}} {
		if err := errors.Join(set.Add(v), dict.Set(v, i)); err != nil {
			t.Fatal(err)
		}
	}
	many := new(checkpoint.Set)
	for i := range 100 {
		if err := many.Add(i); err != nil {
			t.Fatal(err)
		}
	}
	w := &valueWalk{within: map[any]bool{}}
	w.visit("", []any{set, dict, many})
	want := []valueRow{{"[0]", "{1, 'x', None, 2.5, ('y',), ()}"}, {"[1].1", "3"}, {"[1].x", "1"}, {"[1].None", "2"}, {"[1].2.5", "4"},
		{"[1].('y',)", "5"}, {"[1].()", "6"}}
	if got := w.rows[:len(w.rows)-1]; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := w.rows[len(want)].Text; !strings.HasPrefix(got, "{0, 1, 2, ") || !strings.HasSuffix(got, ", 31, …}") {
		t.Errorf("got %s for a hundred elements", got)
	}
}
