package jinja

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// undefined is a variable or an entry that there is not: false, empty, and an error where it is used as more.
type undefined struct{ name string }

// Dict is a dictionary that keeps its order, as Python's.
type Dict struct {
	keys      []string
	values    map[string]any
	namespace bool
}

// NewDict returns an empty dictionary.
func NewDict() *Dict { return &Dict{values: map[string]any{}} }

// Set puts a value under a key.
func (d *Dict) Set(key string, v any) {
	if _, ok := d.values[key]; !ok {
		d.keys = append(d.keys, key)
	}
	d.values[key] = v
}

// FromJSON reads a JSON value as a template takes it. Objects keep the order of their keys.
func FromJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return fromJSON(d)
}

func fromJSON(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Number:
		if n, err := strconv.Atoi(t.String()); err == nil {
			return n, nil
		}
		return t.Float64()
	case json.Delim:
		dict, list := NewDict(), []any{}
		for d.More() {
			key := ""
			if t == '{' {
				k, err := d.Token()
				if err != nil {
					return nil, err
				}
				key, _ = k.(string)
			}
			v, err := fromJSON(d)
			if err != nil {
				return nil, err
			}
			dict.Set(key, v)
			list = append(list, v)
		}
		if _, err := d.Token(); err != nil { // the end
			return nil, err
		}
		if t == '{' {
			return dict, nil
		}
		return list, nil
	}
	return t, nil
}

// function is a macro or a function that templates call.
type function func(r *run, a args) any

type args struct {
	list  []any
	names map[string]any
}

func (a args) has(name string) bool {
	_, ok := a.names[name]
	return ok
}

// get returns the i-th argument, or that of the name, or what is given for none.
func (a args) get(i int, name string, none any) any {
	if i < len(a.list) {
		return a.list[i]
	}
	if v, ok := a.names[name]; ok {
		return v
	}
	return none
}

func truth(v any) bool {
	switch v := v.(type) {
	case nil, undefined:
		return false
	case bool:
		return v
	case int:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case *Dict:
		return v.namespace || len(v.keys) > 0
	}
	return true
}

// str_ is Python's str.
func str_(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case undefined:
		return ""
	}
	left := maxRepr
	return repr(v, &left)
}

// maxRepr is about how much of a list is written: one that holds another twice, and so on, has no end to speak of.
const maxRepr = 1 << 20

// repr is Python's repr.
func repr(v any, left *int) string {
	if *left--; *left < 0 {
		return "..."
	}
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case int:
		return strconv.Itoa(v)
	case float64:
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if v == math.Trunc(v) && !strings.ContainsAny(s, "en") {
			s += ".0"
		}
		return s
	case string:
		quote := "'"
		if strings.Contains(v, "'") && !strings.Contains(v, `"`) {
			quote = `"`
		}
		return quote + strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, quote, `\`+quote).Replace(v) + quote
	case []any:
		parts := make([]string, min(len(v), max(*left, 1)))
		for i, x := range v[:len(parts)] {
			parts[i] = repr(x, left)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *Dict:
		parts := make([]string, len(v.keys))
		for i, k := range v.keys {
			parts[i] = repr(k, left) + ": " + repr(v.values[k], left)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case undefined:
		return "Undefined"
	}
	return "<function>"
}

func number_(v any) (float64, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func equal(a, b any) bool {
	left := maxRepr
	return equalWithin(a, b, &left)
}

// equalWithin compares at most so many values that lists and dictionaries hold; what is larger is not equal.
func equalWithin(a, b any, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	if x, ok := number_(a); ok {
		y, ok := number_(b)
		return ok && x == y
	}
	switch a := a.(type) {
	case nil:
		return b == nil
	case undefined:
		_, ok := b.(undefined)
		return ok
	case string:
		s, ok := b.(string)
		return ok && a == s
	case []any:
		l, ok := b.([]any)
		return ok && slices.EqualFunc(a, l, func(x, y any) bool { return equalWithin(x, y, left) })
	case *Dict:
		d, ok := b.(*Dict)
		if !ok || len(a.keys) != len(d.keys) {
			return false
		}
		for k, v := range a.values {
			if w, ok := d.values[k]; !ok || !equalWithin(v, w, left) {
				return false
			}
		}
		return true
	}
	return false
}

// iterate returns the items of a list, the keys of a dictionary, the characters of a string.
func (r *run) iterate(v any) []any {
	switch v := v.(type) {
	case []any:
		r.spend(len(v))
		return v
	case *Dict:
		r.spend(len(v.keys))
		out := make([]any, len(v.keys))
		for i, k := range v.keys {
			out[i] = k
		}
		return out
	case string:
		r.spend(len(v))
		var out []any
		for len(v) > 0 {
			_, w := utf8.DecodeRuneInString(v)
			out = append(out, v[:w])
			v = v[w:]
		}
		return out
	case undefined:
		return nil
	}
	r.fail("%s has no items", typeName(v))
	return nil
}

// toJSON writes as json.dumps does, not escaping what is not ASCII.
func (r *run) toJSON(b *strings.Builder, v any, indent, depth int) {
	r.spend(0)
	if depth > maxDepth {
		r.fail("too deep")
	}
	line := func(d int) {
		if indent > 0 {
			b.WriteString("\n" + strings.Repeat(" ", indent*d))
		}
	}
	comma := ", "
	if indent > 0 {
		comma = ","
	}
	switch v := v.(type) {
	case []any:
		b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				b.WriteString(comma)
			}
			line(depth + 1)
			r.toJSON(b, x, indent, depth+1)
		}
		if len(v) > 0 {
			line(depth)
		}
		b.WriteByte(']')
	case *Dict:
		b.WriteByte('{')
		for i, k := range v.keys {
			if i > 0 {
				b.WriteString(comma)
			}
			line(depth + 1)
			r.toJSON(b, k, 0, depth)
			b.WriteString(": ")
			r.toJSON(b, v.values[k], indent, depth+1)
		}
		if len(v.keys) > 0 {
			line(depth)
		}
		b.WriteByte('}')
	case string:
		var quoted strings.Builder
		e := json.NewEncoder(&quoted)
		e.SetEscapeHTML(false)
		_ = e.Encode(v) // a string is always written
		s := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSuffix(quoted.String(), "\n"))
		b.WriteString(r.bounded(s))
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case int, float64:
		b.WriteString(str_(v))
	default:
		r.fail("%s cannot be written as JSON", typeName(v))
	}
}
