package flags

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// field is a flag or an argument.
type field struct {
	name  string
	arg   bool
	value reflect.Value
	tag   reflect.StructTag
}

func (f *field) has(tag string) bool {
	_, ok := f.tag.Lookup(tag)
	return ok
}

func (f *field) isBool() bool { return f.value.Kind() == reflect.Bool }

// take reads the value from the arguments that follow the flag. One that begins with a hyphen is a number or a flag.
func (f *field) take(rest []string) ([]string, error) {
	if len(rest) == 0 || IsFlag(rest[0]) {
		return nil, fmt.Errorf("--%s: expected a value", f.name)
	}
	return rest[1:], f.set(rest[0])
}

// IsFlag reports whether an argument is a flag rather than a value; -1 and -.5 are values.
func IsFlag(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && arg[1] != '.' && (arg[1] < '0' || arg[1] > '9')
}

// set reads a value.
func (f *field) set(text string) error {
	if allowed, ok := f.tag.Lookup("enum"); ok && !slices.Contains(strings.Split(allowed, ","), text) {
		return fmt.Errorf(`--%s must be one of "%s" but got %q`, f.name, strings.ReplaceAll(strings.TrimPrefix(allowed, ","), ",", `","`), text)
	}
	v := f.value
	if v.Kind() == reflect.Pointer { // nil where the flag is not given
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if err := read(v, text); err != nil {
		return fmt.Errorf("--%s: %w", f.name, err)
	}
	return nil
}

func read(v reflect.Value, text string) error {
	wrong := func(kind string) error { return fmt.Errorf("expected %s but got %q", kind, text) }
	switch to := v.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		return to.UnmarshalText([]byte(text))
	case *time.Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return wrong("a duration such as 10m")
		}
		*to = d
		return nil
	case *[]int:
		for part := range strings.SplitSeq(text, ",") {
			n := 0
			if err := read(reflect.ValueOf(&n).Elem(), part); err != nil {
				return err
			}
			*to = append(*to, n)
		}
		return nil
	case *[]string:
		*to = append(*to, text)
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return wrong("true or false")
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 0, v.Type().Bits())
		if err != nil {
			return wrong(fmt.Sprintf("a valid %d bit int", v.Type().Bits()))
		}
		v.SetInt(n)
	case reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return wrong("a number")
		}
		v.SetFloat(x)
	default:
		panic("flags: a field cannot be a " + v.Type().String())
	}
	return nil
}

// meant suggests the name that is most like a wrong one.
func meant(wrong string, names []string) string {
	for distance := range 3 {
		for _, name := range names {
			if edits(wrong, name) <= distance {
				return fmt.Sprintf(", did you mean %q?", name)
			}
		}
	}
	return ""
}

// edits returns the Levenshtein distance of two words.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0]++
		for j := range len(b) {
			above := row[j+1]
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above+1, row[j]+1, diagonal+cost)
			diagonal = above
		}
	}
	return row[len(b)]
}
