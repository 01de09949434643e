// Package hub reads and writes the config.json of Hugging Face's model folders.
package hub

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"cresset/dtype"
)

// Config is what a config.json says, by its keys.
type Config map[string]json.RawMessage

// Error is a config.json that cannot be used.
type Error struct {
	Key string // of the setting; "" for the whole file
	Err string
}

func (e *Error) Error() string {
	if e.Key == "" {
		return "config.json: " + e.Err
	}
	return fmt.Sprintf("config.json: %s: %s", e.Key, e.Err)
}

// Unsupported returns the error of a setting whose value is not implemented; the values that are may follow.
func Unsupported(key string, value any, known ...string) error {
	e := &Error{Key: key, Err: fmt.Sprintf("%v is not supported", value)}
	if len(known) > 0 {
		e.Err += "; known are " + strings.Join(known, ", ")
	}
	return e
}

// maxConfig bounds a file that is read whole.
const maxConfig = 16 << 20

// Read reads the text of a folder's config.json.
func Read(dir string) ([]byte, error) {
	path := filepath.Join(dir, "config.json")
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxConfig {
		return nil, &Error{Err: fmt.Sprintf("%d bytes, more than the %d of any known model", info.Size(), maxConfig)}
	}
	return os.ReadFile(path)
}

// Parse reads a config.json's text, old keys by their new names.
func Parse(text []byte) (Config, error) {
	var c Config
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, &Error{Err: err.Error()}
	}
	if c == nil {
		return nil, &Error{Err: "null where settings are expected"}
	}
	return c, c.modernize()
}

// Text returns the value of a key that is a string, "" where there is none.
func (c Config) Text(key string) string {
	var s string
	if json.Unmarshal(c[key], &s) != nil {
		return ""
	}
	return s
}

// Architecture returns the name of the model's class: the first of the architectures, or the one.
func (c Config) Architecture() string {
	var names []string
	if json.Unmarshal(c["architectures"], &names) != nil || len(names) == 0 {
		return c.Text("architecture")
	}
	return names[0]
}

// DType returns the dtype of the weights, float32 where the file names none.
func (c Config) DType() (dtype.DType, error) {
	name := c.Text("dtype")
	if name == "" {
		return dtype.Float32, nil
	}
	dt, err := dtype.Parse(name)
	if err != nil || !dt.IsFloat() {
		return dt, Unsupported("dtype", strconv.Quote(name), "float32", "float64", "float16", "bfloat16")
	}
	return dt, nil
}

// Has reports whether the file has a key, null or not.
func (c Config) Has(key string) bool {
	_, there := c[key]
	return there
}

// Decode reads the settings into a struct whose fields have tags of encoding/json; what the file lacks or has as null stays as it is. A field
// Rest, where there is one, gets the others.
func (c Config) Decode(into any) error {
	v := reflect.ValueOf(into).Elem()
	for f, field := range v.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		raw, there := c[key]
		if !there || string(raw) == "null" {
			continue
		}
		if err := json.Unmarshal(raw, field.Addr().Interface()); err != nil {
			return &Error{Key: key, Err: err.Error()}
		}
	}
	if rest := v.FieldByName("Rest"); rest.IsValid() {
		rest.Set(reflect.ValueOf(c.without(v.Type())))
	}
	return nil
}

// without returns the settings for which a struct has no field, but the dtype, which the weights tell, and the version of
// what wrote them.
func (c Config) without(t reflect.Type) map[string]json.RawMessage {
	rest := maps.Clone(map[string]json.RawMessage(c))
	for f := range t.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		delete(rest, key)
	}
	delete(rest, "dtype")
	delete(rest, "quantization_config")
	delete(rest, "transformers_version")
	return rest
}

// CheckSizes refuses settings that no model can have: sizes, with the tag `hub:"size"`, and numbers of layers and heads, `hub:"count"`.
func CheckSizes(settings any) error {
	most := map[string]int64{"size": 1 << 30, "count": 1 << 14}
	for f, field := range reflect.ValueOf(settings).Fields() {
		if bound, is := most[f.Tag.Get("hub")]; is && (field.Int() < 1 || field.Int() > bound) {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return &Error{Key: key, Err: fmt.Sprintf("%d is not between 1 and %d", field.Int(), bound)}
		}
	}
	return nil
}

// Write returns the settings of a struct as the text of a config.json: a key a line, in order, with the dtype of the
// weights, what else a file said that was read, and more settings. A sliding window of 0 is null there.
func Write(settings any, dt dtype.DType, more Config) ([]byte, error) {
	c, err := encode(reflect.ValueOf(settings))
	if err != nil {
		return nil, err
	}
	c["dtype"] = json.RawMessage(strconv.Quote(dt.Name()))
	maps.Copy(c, more)
	var b strings.Builder
	b.WriteString("{")
	for i, key := range slices.Sorted(maps.Keys(c)) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n  %q: %s", key, c[key])
	}
	b.WriteString("\n}\n")
	return []byte(b.String()), nil
}

// encode returns the values of a struct's fields by their keys. A float has a point or an exponent, as Python's types ask for.
func encode(v reflect.Value) (Config, error) {
	c := Config{}
	if rest := v.FieldByName("Rest"); rest.IsValid() {
		maps.Copy(c, rest.Interface().(map[string]json.RawMessage))
	}
	for f, field := range v.Fields() {
		key, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "-" || option == "omitzero" && field.IsZero() {
			continue
		}
		text, err := json.Marshal(field.Interface())
		if err != nil {
			return nil, err
		}
		if field.Kind() == reflect.Float64 && !strings.ContainsAny(string(text), ".e") {
			text = append(text, ".0"...)
		}
		if key == "sliding_window" && field.IsZero() {
			text = []byte("null")
		}
		c[key] = text
	}
	return c, nil
}
