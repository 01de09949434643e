package optim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// print writes a group's settings as PyTorch does, sorted by their names.
func (g *Group) print(b *strings.Builder) {
	all := g.form.describe(g)
	usual := g.form.describe(&Group{form: g.form, figures: g.form.defaults})
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text := literal(all[name])
		if zero := 0.0; usual[name] == zero && all[name] == zero && !g.form.floats {
			text = "0" // PyTorch's default is the integer
		}
		fmt.Fprintf(b, "    %s: %s\n", name, text)
	}
}

// literal writes a setting as Python does.
func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case float64:
		return python(v)
	case [2]float64:
		return tuple(v[0], v[1])
	case [2]any:
		return tuple(v[0], v[1])
	case []float64:
		return tuple(v...)
	}
	return fmt.Sprint(v)
}

func tuple[T any](values ...T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = literal(v)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}
