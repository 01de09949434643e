package dl

import (
	"reflect"
	"slices"
	"strings"
)

// Table is a struct of functions that stand for those of a foreign library. Each is tagged, under Key, with its C symbols, the
// preferred first, and perhaps as optional: `cu:"cuMemAlloc_v2|cuMemAlloc,optional"`. Fields without a tag are of no concern.
type Table struct {
	Struct any // a pointer to the struct
	Key    string
}

// Each calls visit for every tagged field until visit fails.
func (t Table) Each(visit func(symbols []string, optional bool, field reflect.Value) error) error {
	v := reflect.ValueOf(t.Struct).Elem()
	for i := range v.NumField() {
		tag, ok := v.Type().Field(i).Tag.Lookup(t.Key)
		if !ok {
			continue
		}
		names, optional := strings.CutSuffix(tag, ",optional")
		if err := visit(strings.Split(names, "|"), optional, v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

// Drop takes functions out of the table by their preferred symbols, as if the library had none.
func (t Table) Drop(symbols ...string) {
	_ = t.Each(func(names []string, _ bool, field reflect.Value) error {
		if slices.Contains(symbols, names[0]) {
			field.SetZero()
		}
		return nil
	})
}

// Missing returns the preferred symbols of the functions that the table lacks.
func (t Table) Missing() (symbols []string) {
	_ = t.Each(func(names []string, _ bool, field reflect.Value) error {
		if field.IsNil() {
			symbols = append(symbols, names[0])
		}
		return nil
	})
	return symbols
}
