package jinja

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// globals are the functions that templates find without being given them.
var globals = map[string]function{
	"raise_exception": func(r *run, a args) any {
		panic(&Error{Line: r.line, Message: str_(a.get(0, "message", "")), Raised: true})
	},
	"namespace": func(r *run, a args) any { d := dict(a); d.namespace = true; return d },
	"dict":      func(r *run, a args) any { return dict(a) },
	"range": func(r *run, a args) any {
		var n [3]int
		for i, v := range a.list[:min(len(a.list), 3)] {
			k, ok := v.(int)
			if !ok {
				r.fail("range of %s", typeName(v))
			}
			n[i] = k
		}
		lo, hi, step := n[0], n[1], n[2]
		if len(a.list) == 1 {
			lo, hi = 0, n[0]
		}
		if len(a.list) < 3 {
			step = 1
		}
		if step == 0 {
			r.fail("range of step 0")
		}
		var out []any
		for i := lo; step > 0 && i < hi || step < 0 && i > hi; i += step {
			r.spend(0)
			out = append(out, i)
		}
		return out
	},
	"strftime_now": func(r *run, a args) any { return strftime(r, Now(), str_(a.get(0, "format", ""))) },
}

// Now is the time that strftime_now writes.
var Now = time.Now

func dict(a args) *Dict {
	d := NewDict()
	names := make([]string, 0, len(a.names))
	for n := range a.names {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		d.Set(n, a.names[n])
	}
	return d
}

var strftimes = map[byte]string{
	'd': "02", 'm': "01", 'b': "Jan", 'B': "January", 'Y': "2006", 'y': "06", 'H': "15", 'M': "04", 'S': "05", 'A': "Monday", 'a': "Mon", 'I': "03", 'p': "PM",
}

func strftime(r *run, t time.Time, format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		layout, ok := strftimes[format[i]]
		if !ok {
			r.fail("strftime_now does not know %%%c", format[i])
		}
		b.WriteString(t.Format(layout))
	}
	return b.String()
}

type filter func(r *run, v any, a args) any

// filters are what may follow |.
var filters = filterTable()

// tests are what may follow is.
var tests = map[string]func(r *run, v any, a args) bool{
	"defined":   func(r *run, v any, a args) bool { _, u := v.(undefined); return !u },
	"undefined": func(r *run, v any, a args) bool { _, u := v.(undefined); return u },
	"none":      func(r *run, v any, a args) bool { return v == nil },
	"string":    func(r *run, v any, a args) bool { _, ok := v.(string); return ok },
	"mapping":   func(r *run, v any, a args) bool { _, ok := v.(*Dict); return ok },
	"boolean":   func(r *run, v any, a args) bool { _, ok := v.(bool); return ok },
	"integer":   func(r *run, v any, a args) bool { _, ok := v.(int); return ok },
	"float":     func(r *run, v any, a args) bool { _, ok := v.(float64); return ok },
	"number":    func(r *run, v any, a args) bool { _, ok := number_(v); return ok },
	"callable":  func(r *run, v any, a args) bool { _, ok := v.(function); return ok },
	"true":      func(r *run, v any, a args) bool { return v == true },
	"false":     func(r *run, v any, a args) bool { return v == false },
	"iterable":  sequenceTest,
	"sequence":  sequenceTest,
	"odd":       func(r *run, v any, a args) bool { return r.integers("%", r.int(v), 2) == 1 },
	"even":      func(r *run, v any, a args) bool { return r.integers("%", r.int(v), 2) == 0 },
	"eq":        func(r *run, v any, a args) bool { return equal(v, a.get(0, "other", nil)) },
	"equalto":   func(r *run, v any, a args) bool { return equal(v, a.get(0, "other", nil)) },
	"ne":        func(r *run, v any, a args) bool { return !equal(v, a.get(0, "other", nil)) },
	"in":        func(r *run, v any, a args) bool { return r.contains(a.get(0, "seq", nil), v) },
}

func sequenceTest(r *run, v any, a args) bool {
	switch v.(type) {
	case []any, *Dict, string:
		return true
	}
	return false
}

func (r *run) int(v any) int {
	switch v := v.(type) {
	case int:
		return v
	case float64:
		return int(v)
	case bool:
		if v {
			return 1
		}
		return 0
	case string:
		n, err := strconv.Atoi(strings.TrimSpace(v))
		if err != nil {
			return 0
		}
		return n
	}
	r.fail("%s is no number", typeName(v))
	return 0
}
