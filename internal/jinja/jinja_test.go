package jinja

import (
	"errors"
	"strings"
	"testing"
)

func render(source string, vars map[string]any) (string, error) {
	t, err := Parse(source)
	if err != nil {
		return "", err
	}
	return t.Execute(vars)
}

// TestRender has what Jinja 3.1 makes of it with trim_blocks and lstrip_blocks.
func TestRender(t *testing.T) {
	for source, want := range map[string]string{
		"{% set ns = namespace(a=[1]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}{% endfor %}{{ ns.a == [1] }}": "False",
		"a\n{% if true %}\nb\n{% endif %}\nc\n":                                      "a\nb\nc",
		"a  {%- if true -%}  b  {%- endif -%}  c":                                    "abc",
		"{{ 1 + 2 * 3 }} {{ (1 + 2) * 3 }} {{ 7 // -2 }}":                            "7 9 -4",
		"{{ 'a' ~ 1 ~ none }} {{ 1 == 1.0 }} {{ 'a' < 'b' }}":                        "a1None True True",
		"{{ [1, 2, 3][::-1] }} {{ 'hello'[1:-1] }} {{ [1, 2][9:] }}":                 "[3, 2, 1] ell []",
		"{{ x is defined }} {{ x | default('d') }} {{ x }}|":                         "False d |",
		"{% set a, b = 1, 2 %}{{ b }}{{ a }}":                                        "21",
		"{% for a, b in {'k': 'v'}.items() %}{{ a }}{{ b }}{% endfor %}":             "kv",
		"{% for i in [] %}x{% else %}none{% endfor %}":                               "none",
		`{{ "it's" }} {{ ["it's", 'a"b'] }}`:                                         `it's ["it's", 'a"b']`,
		"{{ {'a': {'b': [1]}}.a.b[0] }}":                                             "1",
		"{# no #}{{ ' x '|trim }}{{ 'abc'|upper|lower|first }}":                      "xa",
		"{{ 'a,b'.split(',') | join('+') }}":                                         "a+b",
		"{{ -5 % 3 }} {{ not false and true }}":                                      "1 True",
		"{% macro f(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ f(1) }}{{ f(1, b=3) }}": "1213",
	} {
		if got, err := render(source, nil); err != nil || got != want {
			t.Errorf("%s: got %q, want %q, %v", source, got, want, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for source, want := range map[string]string{
		"{% include 'x' %}":           "line 1: unknown tag include",
		"a\n{{ 'x' | shout }}":        "line 2: unknown filter shout",
		"{{ 1 is prime }}":            "unknown test prime",
		"{{ x.y }}":                   `"x" is undefined`,
		"{{ f() }}":                   "unknown function f",
		"{% if true %}":               "an if without endif",
		"{{ 1":                        "a tag without end",
		"{{ 1 / 0 }}":                 "division by zero",
		"{{ 'a'.shout() }}":           "str has no method shout",
		"{{ raise_exception('no') }}": "no",
		"{% for i in range(100000000) %}{% endfor %}": "too many steps",
		"{% set ns = namespace(a=[1]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}{% endfor %}{{ ns.a|tojson }}": "too many steps",
		"{{ 'a' * 1000000000 }}":                                                  "writes too much",
		"{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}":                         "too deep",
		"{{ " + strings.Repeat("(", 500) + "1" + strings.Repeat(")", 500) + " }}": "too deep",
	} {
		_, err := render(source, nil)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, want %q", source, err, want)
		}
	}
}

// FuzzRender wants no panic and an end for any template.
func FuzzRender(f *testing.F) {
	for _, s := range []string{"{% for m in messages %}{{ m.role|upper }}{% endfor %}", "{%- set ns = namespace(a=1) -%}{% set ns.a = 2 %}{{ ns.a }}", "{{ messages[::-1]|tojson(indent=2) }}", "{% macro f(a) %}{{ a }}{% endmacro %}{{ f(1)|trim }}", "{{ 'x' if a is not defined else b[1:2] }}"} {
		f.Add(s)
	}
	m := NewDict()
	m.Set("role", "user")
	m.Set("content", "hello")
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 1<<10 {
			return
		}
		template, err := Parse(source)
		if err != nil {
			return
		}
		_, _ = template.Execute(map[string]any{"messages": []any{m}}) // an error is as good as a text
	})
}
