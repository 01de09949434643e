package jinja

import (
	"slices"
	"strings"
)

// filterTable returns the filters by name.
func filterTable() map[string]filter {
	text := func(f func(r *run, s string, a args) any) filter {
		return func(r *run, v any, a args) any { return f(r, str_(v), a) }
	}
	same := func(r *run, v any, a args) any { return v }
	return map[string]filter{
		"trim":       text(stringMethods["strip"]),
		"upper":      text(stringMethods["upper"]),
		"lower":      text(stringMethods["lower"]),
		"capitalize": text(stringMethods["capitalize"]),
		"title":      text(stringMethods["title"]),
		"replace":    text(stringMethods["replace"]),
		"string":     func(r *run, v any, a args) any { return str_(v) },
		"safe":       same,
		"int":        func(r *run, v any, a args) any { return r.int(v) },
		"float":      func(r *run, v any, a args) any { f, _ := number_(v); return f },
		"abs":        func(r *run, v any, a args) any { return max(r.int(v), -r.int(v)) },
		"length":     length,
		"count":      length,
		"list":       func(r *run, v any, a args) any { return slices.Clone(r.iterate(v)) },
		"first":      func(r *run, v any, a args) any { return r.item(r.iterate(v), 0) },
		"last":       func(r *run, v any, a args) any { return r.item(r.iterate(v), -1) },
		"join":       join,
		"default":    fallback,
		"d":          fallback,
		"items":      items,
		"dictsort":   dictsort,
		"reverse":    reverse,
		"tojson":     tojson,
		"map":        mapped,
		"selectattr": func(r *run, v any, a args) any { return selected(r, v, a, true, true) },
		"rejectattr": func(r *run, v any, a args) any { return selected(r, v, a, true, false) },
		"select":     func(r *run, v any, a args) any { return selected(r, v, a, false, true) },
		"reject":     func(r *run, v any, a args) any { return selected(r, v, a, false, false) },
		"unique":     unique,
		"indent":     indent,
	}
}

func length(r *run, v any, a args) any { return len(r.iterate(v)) }

func join(r *run, v any, a args) any {
	list := r.iterate(v)
	if key, ok := a.get(1, "attribute", nil).(string); ok {
		list = slices.Clone(list)
		for i, x := range list {
			list[i] = r.attribute(x, key)
		}
	}
	return r.join(list, str_(a.get(0, "d", "")))
}

func fallback(r *run, v any, a args) any {
	_, missing := v.(undefined)
	if missing || truth(a.get(1, "boolean", false)) && !truth(v) {
		return a.get(0, "default_value", "")
	}
	return v
}

func items(r *run, v any, a args) any {
	if d, ok := v.(*Dict); ok {
		return dictItems(d, "items")
	}
	if _, ok := v.(undefined); !ok {
		r.fail("items of %s", typeName(v))
	}
	return []any{}
}

func dictsort(r *run, v any, a args) any {
	d, ok := v.(*Dict)
	if !ok {
		r.fail("dictsort of %s", typeName(v))
	}
	list := dictItems(d, "items").([]any)
	slices.SortStableFunc(list, func(x, y any) int {
		return strings.Compare(strings.ToLower(x.([]any)[0].(string)), strings.ToLower(y.([]any)[0].(string)))
	})
	return list
}

func reverse(r *run, v any, a args) any {
	list := slices.Clone(r.iterate(v))
	slices.Reverse(list)
	if _, ok := v.(string); ok {
		return r.join(list, "")
	}
	return list
}

func tojson(r *run, v any, a args) any {
	n, _ := a.get(0, "indent", 0).(int)
	var b strings.Builder
	r.toJSON(&b, v, min(max(n, 0), 16), 0)
	return b.String()
}

func mapped(r *run, v any, a args) any {
	list := slices.Clone(r.iterate(v))
	key, byKey := a.names["attribute"].(string)
	name, _ := a.get(0, "filter", "").(string)
	f, ok := filterTable()[name]
	if !byKey && !ok {
		r.fail("map by the unknown filter %s", name)
	}
	for i, x := range list {
		if !byKey {
			list[i] = f(r, x, args{list: a.list[1:]})
			continue
		}
		list[i] = r.attribute(x, key)
		if _, missing := list[i].(undefined); missing && a.has("default") {
			list[i] = a.names["default"]
		}
	}
	return list
}

// selected keeps items for which a test is as want says, of an attribute or of themselves.
func selected(r *run, v any, a args, byKey, want bool) any {
	rest := a.list
	key := ""
	if byKey {
		if len(rest) == 0 {
			r.fail("selectattr without an attribute")
		}
		key, rest = str_(rest[0]), rest[1:]
	}
	test := func(r *run, v any, _ args) bool { return truth(v) }
	if len(rest) > 0 {
		var ok bool
		if test, ok = tests[str_(rest[0])]; !ok {
			r.fail("unknown test %s", str_(rest[0]))
		}
		rest = rest[1:]
	}
	out := []any{}
	for _, x := range r.iterate(v) {
		r.spend(0)
		of := x
		if byKey {
			of = r.attribute(x, key)
		}
		if test(r, of, args{list: rest}) == want {
			out = append(out, x)
		}
	}
	return out
}

func unique(r *run, v any, a args) any {
	out := []any{}
	for _, x := range r.iterate(v) {
		r.spend(len(out))
		if !slices.ContainsFunc(out, func(y any) bool { return equal(x, y) }) {
			out = append(out, x)
		}
	}
	return out
}

func indent(r *run, v any, a args) any {
	n, ok := a.get(0, "width", 4).(int)
	if !ok || n < 0 || n > 256 {
		r.fail("indent by that width")
	}
	pad := strings.Repeat(" ", n)
	lines := strings.Split(str_(v), "\n")
	for i := range lines {
		if (i > 0 || truth(a.get(1, "first", false))) && lines[i] != "" {
			lines[i] = pad + lines[i]
		}
	}
	return r.bounded(strings.Join(lines, "\n"))
}
