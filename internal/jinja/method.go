package jinja

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// attribute returns v.name: an entry of a dictionary.
func (r *run) attribute(v any, name string) any {
	r.spend(0)
	switch v := v.(type) {
	case *Dict:
		if x, ok := v.values[name]; ok {
			return x
		}
	case undefined:
		r.fail("%q is undefined", v.name)
	}
	return undefined{name}
}

// item returns v[key].
func (r *run) item(v, key any) any {
	r.spend(0)
	switch v := v.(type) {
	case *Dict:
		return r.attribute(v, str_(key))
	case undefined:
		r.fail("%q is undefined", v.name)
	case []any, string:
		i, ok := key.(int)
		if !ok {
			return undefined{str_(key)}
		}
		items := r.iterate(v)
		if i < 0 {
			i += len(items)
		}
		if i >= 0 && i < len(items) {
			return items[i]
		}
	}
	return undefined{str_(key)}
}

// slice returns v[a:b:c].
func (r *run) slice(v any, bounds [3]any) any {
	items := slices.Clone(r.iterate(v))
	n, step := len(items), 1
	if s, ok := bounds[2].(int); ok {
		if step = s; step == 0 {
			r.fail("a slice of step 0")
		}
	}
	place := func(bound any, none, lo, hi int) int {
		i, ok := bound.(int)
		if !ok {
			return none
		}
		if i < 0 {
			i += n
		}
		return min(max(i, lo), hi)
	}
	var out []any
	if step > 0 {
		end := place(bounds[1], n, 0, n)
		for i := place(bounds[0], 0, 0, n); i < end; i += min(step, n+1) {
			out = append(out, items[i])
		}
	} else {
		end := place(bounds[1], -1, -1, n-1)
		for i := place(bounds[0], n-1, -1, n-1); i > end; i += max(step, -n-1) {
			out = append(out, items[i])
		}
	}
	if _, ok := v.(string); ok {
		return r.join(out, "")
	}
	return out
}

func (r *run) join(items []any, by string) string {
	parts := make([]string, len(items))
	for i, x := range items {
		parts[i] = str_(x)
	}
	return r.bounded(strings.Join(parts, by))
}

// call calls a function.
func (r *run) call(f any, a args) any {
	r.spend(0)
	if f, ok := f.(function); ok {
		if r.depth++; r.depth > maxDepth {
			r.fail("too deep")
		}
		v := f(r, a)
		r.depth--
		return v
	}
	if u, ok := f.(undefined); ok {
		r.fail("unknown function %s", u.name)
	}
	r.fail("%s cannot be called", typeName(f))
	return nil
}

// method calls v.name(a).
func (r *run) method(v any, name string, a args) any {
	r.spend(0)
	switch v := v.(type) {
	case string:
		if m, ok := stringMethods[name]; ok {
			return m(r, v, a)
		}
	case *Dict:
		if f, ok := v.values[name]; ok {
			return r.call(f, a)
		}
		switch name {
		case "items", "keys", "values":
			return dictItems(v, name)
		case "get":
			if x, ok := v.values[str_(a.get(0, "key", nil))]; ok {
				return x
			}
			return a.get(1, "default", nil)
		}
	case undefined:
		r.fail("%q is undefined", v.name)
	}
	r.fail("%s has no method %s", typeName(v), name)
	return nil
}

func dictItems(d *Dict, name string) any {
	out := make([]any, len(d.keys))
	for i, k := range d.keys {
		switch name {
		case "items":
			out[i] = []any{k, d.values[k]}
		case "keys":
			out[i] = k
		default:
			out[i] = d.values[k]
		}
	}
	return out
}

var stringMethods = map[string]func(r *run, s string, a args) any{
	"strip":      func(r *run, s string, a args) any { return strip(r, s, a, true, true) },
	"lstrip":     func(r *run, s string, a args) any { return strip(r, s, a, true, false) },
	"rstrip":     func(r *run, s string, a args) any { return strip(r, s, a, false, true) },
	"upper":      func(r *run, s string, a args) any { return strings.ToUpper(s) },
	"lower":      func(r *run, s string, a args) any { return strings.ToLower(s) },
	"capitalize": func(r *run, s string, a args) any { return capitalize(s) },
	"title":      func(r *run, s string, a args) any { return title(s) },
	"split":      split,
	"startswith": func(r *run, s string, a args) any { return anyOf(a.get(0, "prefix", ""), s, strings.HasPrefix) },
	"endswith":   func(r *run, s string, a args) any { return anyOf(a.get(0, "suffix", ""), s, strings.HasSuffix) },
	"replace": func(r *run, s string, a args) any {
		return replace(r, s, a)
	},
	"join": func(r *run, s string, a args) any { return r.join(r.iterate(a.get(0, "iterable", nil)), s) },
	"find": func(r *run, s string, a args) any { return runeIndex(s, strings.Index(s, str_(a.get(0, "sub", "")))) },
	"rfind": func(r *run, s string, a args) any {
		return runeIndex(s, strings.LastIndex(s, str_(a.get(0, "sub", ""))))
	},
	"count": func(r *run, s string, a args) any { return strings.Count(s, str_(a.get(0, "sub", ""))) },
	"isdigit": func(r *run, s string, a args) any {
		return s != "" && strings.IndexFunc(s, func(c rune) bool { return !unicode.IsDigit(c) }) < 0
	},
}

func runeIndex(s string, i int) int {
	if i < 0 {
		return i
	}
	return utf8.RuneCountInString(s[:i])
}

func anyOf(of any, s string, has func(s, part string) bool) bool {
	if list, ok := of.([]any); ok {
		return slices.ContainsFunc(list, func(x any) bool { return has(s, str_(x)) })
	}
	return has(s, str_(of))
}

func strip(r *run, s string, a args, left, right bool) string {
	in := unicode.IsSpace
	if cut, ok := a.get(0, "chars", nil).(string); ok {
		in = func(c rune) bool { return strings.ContainsRune(cut, c) }
	}
	if left {
		s = strings.TrimLeftFunc(s, in)
	}
	if right {
		s = strings.TrimRightFunc(s, in)
	}
	return s
}

func split(r *run, s string, a args) any {
	r.spend(len(s))
	by, ok := a.get(0, "sep", nil).(string)
	most, limited := a.get(1, "maxsplit", -1).(int)
	var parts []string
	switch {
	case !ok:
		parts = strings.Fields(s)
	case by == "":
		r.fail("split by an empty separator")
	case limited && most >= 0:
		parts = strings.SplitN(s, by, most+1)
	default:
		parts = strings.Split(s, by)
	}
	out := make([]any, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	return out
}

func replace(r *run, s string, a args) string {
	from, to := str_(a.get(0, "old", "")), str_(a.get(1, "new", ""))
	n, ok := a.get(2, "count", -1).(int)
	if !ok {
		n = -1
	}
	if strings.Count(s, from)*len(to) > maxOutput {
		r.fail("the template writes too much")
	}
	return r.bounded(strings.Replace(s, from, to, n))
}

func capitalize(s string) string {
	c, w := utf8.DecodeRuneInString(s)
	if w == 0 {
		return s
	}
	return string(unicode.ToTitle(c)) + strings.ToLower(s[w:])
}

func title(s string) string {
	inside := false
	return strings.Map(func(c rune) rune {
		was := inside
		if inside = unicode.IsLetter(c); !inside {
			return c
		}
		if was {
			return unicode.ToLower(c)
		}
		return unicode.ToTitle(c)
	}, s)
}
