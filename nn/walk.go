package nn

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"cresset/tensor"
)

// Module is a layer with one input and one output. Whatever else holds parameters works with the functions of this
// package too.
type Module interface {
	Forward(x *tensor.Tensor) *tensor.Tensor
}

// member is a tensor or a module found in a struct.
type member struct {
	name   string
	value  reflect.Value // a *tensor.Tensor or a module
	role   role
	inline bool
}

// own reports whether the member is a tensor of the struct itself: a dot in its name makes it one of a module that PyTorch has there.
func (m *member) own() bool { return m.value.Type() == tensorType && !strings.Contains(m.name, ".") }

// role is what a tensor is to a model.
type role uint8

const (
	parameter role = iota
	buffer         // state that is not trained
	transient      // a buffer that moves with the model and is not in its state: PyTorch's persistent=False
)

var tensorType = reflect.TypeFor[*tensor.Tensor]()

// walker visits the tensors of a model: of each struct first its own, then those of its modules, as PyTorch orders them.
type walker struct {
	again bool         // visit shared modules and tied parameters under each of their names, as a state dict has them
	seen  map[any]bool // pointers that were visited; with again, those being visited, so that cycles end
	held  map[any]bool // slices and maps being visited
	names map[string]bool
	visit func(name string, t *tensor.Tensor, r role) bool
	enter func(path string, v reflect.Value) // called for each struct, where not nil
	done  bool
}

func walk(model any, w *walker) {
	if model == nil {
		panic(fault("walk", "a model must be a pointer to a struct, not nil"))
	}
	w.seen, w.held, w.names = make(map[any]bool), make(map[any]bool), make(map[string]bool)
	v := reflect.ValueOf(model)
	w.value("", v, parameter)
}

// value visits whatever a field holds.
func (w *walker) value(path string, v reflect.Value, r role) {
	if w.done || !v.IsValid() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		w.pointer(path, v, r)
	case reflect.Interface:
		w.value(path, v.Elem(), r)
	case reflect.Struct:
		if v.Type() == tensorType.Elem() {
			panic(fault("walk", fmt.Sprintf("the model holds %q as a tensor.Tensor, not as a pointer to one", path)))
		}
		w.structure(path, v)
	case reflect.Array:
		w.elements(path, v, r)
	case reflect.Slice, reflect.Map:
		if key := keyOf(v); !w.held[key] {
			w.held[key] = true
			w.elements(path, v, r)
			delete(w.held, key)
		}
	}
}

// elements visits what a slice, an array or a map holds.
func (w *walker) elements(path string, v reflect.Value, r role) {
	if v.Kind() == reflect.Map {
		for _, k := range sortedKeys(v) {
			w.value(join(path, k.String()), v.MapIndex(k), r)
		}
		return
	}
	for i := range v.Len() {
		if e := v.Index(i); e.Type().Implements(itemType) {
			w.value(join(path, e.Field(0).String()), e.Field(1), r)
		} else {
			w.value(join(path, strconv.Itoa(i)), e, r)
		}
	}
}

// reference tells a pointer, a slice or a map from all others, so that walks know where they have been.
type reference struct {
	at  any // an unsafe.Pointer, only compared
	len int
	typ reflect.Type
}

func keyOf(v reflect.Value) reference {
	r := reference{at: v.UnsafePointer(), typ: v.Type()}
	if v.Kind() == reflect.Slice {
		r.len = v.Len()
	}
	return r
}

func (w *walker) pointer(path string, v reflect.Value, r role) {
	if v.IsNil() || v.Type() != tensorType && v.Elem().Kind() != reflect.Struct {
		return
	}
	if v.Type() == tensorType && !v.CanInterface() {
		panic(fault("walk", fmt.Sprintf("the tensor %q stands in an unexported field, which cannot be moved; export it or tag it `nn:\"-\"`", path)))
	}
	p := v.UnsafePointer() // only compared
	if w.seen[p] {
		return
	}
	w.seen[p] = true
	if v.Type() == tensorType {
		w.tensor(path, v.Interface().(*tensor.Tensor), r)
	} else {
		w.structure(path, v.Elem())
	}
	if w.again {
		delete(w.seen, p)
	}
}

func (w *walker) tensor(path string, t *tensor.Tensor, r role) {
	if w.names[path] {
		panic(fault("walk", fmt.Sprintf("the model has two tensors of the name %q", path)))
	}
	w.names[path] = true
	t.SetName(path)
	w.done = !w.visit(path, t, r)
}

func (w *walker) structure(path string, v reflect.Value) {
	if w.enter != nil {
		w.enter(path, v)
	}
	ms := members(v)
	for _, m := range ms {
		if m.own() {
			w.value(join(path, m.name), m.value, m.role)
		}
	}
	for _, m := range ms {
		if !m.own() {
			w.value(join(path, m.name), m.value, m.role)
		}
	}
}

// members lists the fields of a struct that may hold tensors or modules.
func members(v reflect.Value) []member {
	t := v.Type()
	var ms []member
	for i := range t.NumField() {
		f := t.Field(i)
		if !mayHold(f.Type) {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("nn"), ",")
		r, known := map[string]role{"": parameter, "inline": parameter, "buffer": buffer, "buffer,persistent=false": transient}[options]
		if !known {
			panic(fault("walk", fmt.Sprintf("the tag of field %s says %q, which is none of buffer, buffer,persistent=false and inline", f.Name, options)))
		}
		if name == "-" {
			continue
		}
		m := member{name: name, value: v.Field(i), role: r, inline: options == "inline" || f.Anonymous && name == ""}
		if m.name == "" && !m.inline {
			m.name = snake(f.Name)
		}
		ms = append(ms, m)
	}
	return ms
}

// mayHold reports whether values of the type can lead to a tensor.
func mayHold(t reflect.Type) bool {
	var lists []reflect.Type // those that t is made of: type list []list holds itself alone
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map {
		if slices.Contains(lists, t) {
			return false
		}
		lists = append(lists, t)
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return t == tensorType || t.Elem().Kind() == reflect.Struct
	case reflect.Interface:
		return true
	case reflect.Struct:
		return t.PkgPath() != "sync" && t.PkgPath() != "time"
	default:
		return false
	}
}

func join(path, name string) string {
	switch {
	case name == "":
		return path
	case path == "":
		return name
	default:
		return path + "." + name
	}
}

func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

// snake turns a Go field name into a state-dict name: InProj is in_proj, FC1 is fc1, MLPHead is mlp_head.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 {
			startsWord := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if !unicode.IsUpper(runes[i-1]) && runes[i-1] != '_' || startsWord && unicode.IsUpper(runes[i-1]) {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// fault is a mistake in how a model is built or used.
func fault(op, text string) *tensor.Error {
	return &tensor.Error{Op: op, Kind: tensor.ErrValue, Err: fmt.Errorf("%s", text)}
}
