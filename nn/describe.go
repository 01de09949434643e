package nn

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Describe prints a model as PyTorch does: a layer by its String, a struct by its name and its children, one per line.
func Describe(model any) string {
	v := reflect.ValueOf(model)
	if s, ok := model.(fmt.Stringer); ok && !isContainer(v) {
		return s.String()
	}
	return make(describer).describe(v)
}

// describer knows the pointers, slices and maps that are being printed: one that holds itself ends in dots.
type describer map[reference]bool

// isContainer reports whether the value's own String is made of Describe.
func isContainer(v reflect.Value) bool {
	switch v.Interface().(type) {
	case *Sequential, ModuleList:
		return true
	}
	return false
}

// nameOf returns what a type prints as: a plain slice or map of modules as the container that PyTorch keeps them in.
func nameOf(t reflect.Type) string {
	switch {
	case t.Name() != "":
		return t.Name()
	case t.Kind() == reflect.Map:
		return "ModuleDict"
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		return "ModuleList"
	}
	return ""
}

type child struct{ name, text string }

func (d describer) describe(v reflect.Value) string {
	if v.CanInterface() {
		if s, ok := v.Interface().(fmt.Stringer); ok && !isContainer(v) {
			return s.String()
		}
	}
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return "None"
		}
		if v.Kind() == reflect.Pointer {
			if d[keyOf(v)] {
				return nameOf(v.Type().Elem()) + "(...)"
			}
			d[keyOf(v)] = true
			defer delete(d, keyOf(v))
		}
		v = v.Elem()
		if v.CanInterface() {
			if s, ok := v.Interface().(fmt.Stringer); ok && !isContainer(v) {
				return s.String()
			}
		}
	}
	name := nameOf(v.Type())
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
		if d[keyOf(v)] {
			return name + "(...)"
		}
		d[keyOf(v)] = true
		defer delete(d, keyOf(v))
	}
	kids := d.children(v)
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Array {
		kids = repeated(kids)
	}
	if len(kids) == 0 {
		return name + "()"
	}
	var b strings.Builder
	b.WriteString(name + "(\n")
	for _, k := range kids {
		b.WriteString("  (" + k.name + "): " + strings.ReplaceAll(k.text, "\n", "\n  ") + "\n")
	}
	b.WriteString(")")
	return b.String()
}

// children lists the modules of a struct, a slice or a map.
func (d describer) children(v reflect.Value) []child {
	var kids []child
	add := func(name string, v reflect.Value) {
		if isModule(v) {
			kids = append(kids, child{name, d.describe(v)})
		}
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			add(strconv.Itoa(i), v.Index(i))
		}
	case reflect.Map:
		for _, k := range sortedKeys(v) {
			add(k.String(), v.MapIndex(k))
		}
	case reflect.Struct:
		for _, m := range members(v) {
			switch {
			case m.value.Type() == tensorType || m.value.Type() == modeType:
			case m.inline:
				kids = append(kids, d.children(m.value)...)
			default:
				add(m.name, m.value)
			}
		}
	}
	return kids
}

// isModule reports whether the value is a module that is there: not a nil, not a tensor.
func isModule(v reflect.Value) bool {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() || v.Type() == tensorType {
			return false
		}
		v = v.Elem()
	}
	return mayHold(v.Type())
}

// repeated merges equal neighbours of a list: "(0-2): 3 x Linear(...)".
func repeated(kids []child) []child {
	var out []child
	for i := 0; i < len(kids); {
		j := i + 1
		for j < len(kids) && kids[j].text == kids[i].text {
			j++
		}
		k := kids[i]
		if n := j - i; n > 1 {
			k.name = fmt.Sprintf("%s-%s", kids[i].name, kids[j-1].name)
			k.text = fmt.Sprintf("%d x %s", n, k.text)
		}
		out = append(out, k)
		i = j
	}
	return out
}
