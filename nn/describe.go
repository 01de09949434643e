package nn

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"cresset/internal/friend"
	"cresset/tensor"
)

// Describe prints a model as PyTorch does: a layer by its String, a struct by its name and its children, one per line.
func Describe(model any) string {
	return make(describer).describe(reflect.ValueOf(model))
}

// describer knows the pointers, slices and maps that are being printed: one that holds itself ends in dots.
type describer map[reference]bool

var describedType = reflect.TypeFor[friend.Described]()

// ownText returns what the value's String makes, unless that is Describe again.
func ownText(v reflect.Value) (text string, ok bool) {
	if !v.IsValid() || !v.CanInterface() {
		return "", false
	}
	s, ok := v.Interface().(fmt.Stringer)
	if !ok || v.Type() == reflect.TypeFor[ModuleList]() || v.Type() == reflect.TypeFor[ModuleDict]() || v.Type() == reflect.TypeFor[*Sequential]() {
		return "", false
	}
	if v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct {
		for f := range v.Type().Elem().Fields() {
			if f.Type == describedType {
				return "", false
			}
		}
	}
	return s.String(), true
}

// nameOf returns what a type prints as: a plain slice or map of modules as the container that PyTorch keeps them in.
func nameOf(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Pointer:
		return nameOf(t.Elem())
	case t.Name() != "":
		name, _, _ := strings.Cut(t.Name(), "[") // of a generic type
		return name
	case t.Kind() == reflect.Map:
		return "ModuleDict"
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		return "ModuleList"
	}
	return ""
}

// parameterList prints a plain slice of tensors as the container that PyTorch keeps them in.
func parameterList(v reflect.Value) (text string, ok bool) {
	if !v.IsValid() || v.Type() != reflect.TypeFor[[]*tensor.Tensor]() || !v.CanInterface() {
		return "", false
	}
	var lines []child
	for i, p := range v.Interface().([]*tensor.Tensor) {
		lines = append(lines, child{strconv.Itoa(i), describeParameter(p)})
	}
	return printParameters("ParameterList", lines), true
}

type child struct{ name, text string }

func (d describer) describe(v reflect.Value) string {
	for {
		if text, ok := ownText(v); ok {
			return text
		}
		if list, ok := parameterList(v); ok {
			return list
		}
		kind := v.Kind()
		if (kind == reflect.Pointer || kind == reflect.Interface) && v.IsNil() {
			return "None"
		}
		if kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map {
			if d[keyOf(v)] {
				return nameOf(v.Type()) + "(...)"
			}
			d[keyOf(v)] = true
			defer delete(d, keyOf(v))
		}
		if kind != reflect.Pointer && kind != reflect.Interface {
			break
		}
		v = v.Elem()
	}
	name := nameOf(v.Type())
	kids := d.children(v)
	if (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) && v.Type() != reflect.TypeFor[ModuleDict]() {
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
			if e := v.Index(i); e.Type().Implements(itemType) {
				add(e.Field(0).String(), e.Field(1))
			} else {
				add(strconv.Itoa(i), e)
			}
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
		if v.IsNil() || v.Type() == tensorType || !mayHold(v.Type()) {
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
