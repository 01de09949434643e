package parallel

import (
	"fmt"
	"reflect"
	"slices"

	"cresset/tensor"
)

var tensorType = reflect.TypeFor[*tensor.Tensor]()

// scatterer divides values between devices.
type scatterer struct {
	*config
	parts int // of the first tensor; 0 before one was met
	held  holders
}

// scatter returns the parts of a value, each on its device. There may be fewer than devices.
func scatter[In any](in In, c *config) []In {
	s := &scatterer{config: c, held: make(holders)}
	v := reflect.ValueOf(&in).Elem()
	if v.Kind() == reflect.Struct && v.NumField() == 0 {
		return []In{in} // nothing to divide: one call
	}
	parts := s.value(v)
	out := make([]In, len(parts))
	for i, p := range parts {
		reflect.ValueOf(&out[i]).Elem().Set(p)
	}
	return out
}

// value returns the parts of a value: as many as its tensors have, or one for each device where it holds none.
func (s *scatterer) value(v reflect.Value) []reflect.Value {
	switch {
	case v.Type() == tensorType && !v.IsNil():
		return s.tensor(v.Interface().(*tensor.Tensor))
	case v.Kind() == reflect.Interface && !v.IsNil():
		return s.value(v.Elem())
	case v.Kind() == reflect.Slice && v.Len() > 0:
		defer s.held.enter(v)()
		return s.members(v, v.Len(), func() reflect.Value { return reflect.MakeSlice(v.Type(), v.Len(), v.Len()) })
	case v.Kind() == reflect.Array && v.Len() > 0:
		return s.members(v, v.Len(), func() reflect.Value { return reflect.New(v.Type()).Elem() })
	case v.Kind() == reflect.Map && v.Len() > 0:
		defer s.held.enter(v)()
		return s.entries(v)
	case v.Kind() == reflect.Struct:
		return s.fields(v)
	}
	return s.same(v)
}

// same gives every device the value itself.
func (s *scatterer) same(v reflect.Value) []reflect.Value {
	return slices.Repeat([]reflect.Value{v}, len(s.devices))
}

func (s *scatterer) tensor(x *tensor.Tensor) []reflect.Value {
	chunks := x.Chunk(len(s.devices), s.axis)
	switch {
	case s.parts == 0:
		s.parts = len(chunks)
	case s.parts != len(chunks) && !s.dropRows:
		panic(mistake(fmt.Sprintf("inputs are divided into %d and %d parts along dimension %d, so rows would be lost; give them equal sizes there, "+
			"or say DropRows(true) to lose them as PyTorch does", s.parts, len(chunks), s.axis)))
	}
	parts := make([]reflect.Value, len(chunks))
	for i, c := range chunks {
		parts[i] = reflect.ValueOf(c.To(s.devices[i], tensor.NonBlocking(true)))
	}
	return parts
}

// members divides what stands in a slice or an array.
func (s *scatterer) members(v reflect.Value, n int, empty func() reflect.Value) []reflect.Value {
	if !mayHold(v.Type().Elem()) {
		return s.same(v)
	}
	columns := make([][]reflect.Value, n)
	for k := range n {
		columns[k] = s.value(v.Index(k))
	}
	return zip(columns, empty, func(part reflect.Value, k int, e reflect.Value) { part.Index(k).Set(e) })
}

// entries divides what stands in a map.
func (s *scatterer) entries(v reflect.Value) []reflect.Value {
	if !mayHold(v.Type().Elem()) {
		return s.same(v)
	}
	keys := v.MapKeys()
	columns := make([][]reflect.Value, len(keys))
	for k, key := range keys {
		columns[k] = s.value(v.MapIndex(key))
	}
	empty := func() reflect.Value { return reflect.MakeMap(v.Type()) }
	return zip(columns, empty, func(part reflect.Value, k int, e reflect.Value) { part.SetMapIndex(keys[k], e) })
}

// fields divides what stands in the exported fields of a struct; each part has a copy of the others.
func (s *scatterer) fields(v reflect.Value) []reflect.Value {
	t := v.Type()
	var columns [][]reflect.Value
	var at []int
	for i := range t.NumField() {
		switch f := t.Field(i); {
		case f.IsExported() && mayHold(f.Type):
			columns = append(columns, s.value(v.Field(i)))
			at = append(at, i)
		case !f.IsExported() && holdsTensors(f.Type) && !v.Field(i).IsZero():
			panic(mistake(fmt.Sprintf("field %s of %s holds a tensor and is not exported: it cannot be divided", f.Name, t)))
		}
	}
	if len(columns) == 0 {
		return s.same(v)
	}
	copied := func() reflect.Value {
		c := reflect.New(t).Elem()
		c.Set(v)
		return c
	}
	return zip(columns, copied, func(part reflect.Value, k int, e reflect.Value) { part.Field(at[k]).Set(e) })
}

// zip makes parts of the parts of members: as many as the member with the fewest has.
func zip(columns [][]reflect.Value, empty func() reflect.Value, set func(part reflect.Value, k int, e reflect.Value)) []reflect.Value {
	n := len(columns[0])
	for _, c := range columns {
		n = min(n, len(c))
	}
	parts := make([]reflect.Value, n)
	for i := range parts {
		parts[i] = empty()
		for k, c := range columns {
			set(parts[i], k, c[i])
		}
	}
	return parts
}

// holdsTensors reports whether values of the type are tensors, or lists and maps of them.
func holdsTensors(t reflect.Type) bool { return element(t) == tensorType }

// mayHold reports whether a value of the type may hold a tensor that is to be divided. What a pointer leads to is not.
func mayHold(t reflect.Type) bool {
	t = element(t)
	return t == tensorType || t.Kind() == reflect.Interface || t.Kind() == reflect.Struct
}

// element returns what slices, arrays and maps of a type hold in the end; a list where they hold nothing but lists, as
// type list []list does.
func element(t reflect.Type) reflect.Type {
	var seen []reflect.Type
	for isList(t.Kind()) && !slices.Contains(seen, t) {
		seen = append(seen, t)
		t = t.Elem()
	}
	return t
}

func isList(k reflect.Kind) bool { return k == reflect.Slice || k == reflect.Array || k == reflect.Map }

// holders are the slices and maps whose members are being visited.
type holders map[holder]bool

type holder struct {
	at  uintptr // only compared, while the value is held
	len int
	typ reflect.Type
}

// enter notes that the members of a slice or a map are visited until leave is called. It panics where they are already: the
// value holds itself.
func (h holders) enter(v reflect.Value) (leave func()) {
	key := holder{v.Pointer(), v.Len(), v.Type()}
	if h[key] {
		panic(mistake(fmt.Sprintf("a value of type %s holds itself: it can neither be divided nor put together", v.Type())))
	}
	h[key] = true
	return func() { delete(h, key) }
}
