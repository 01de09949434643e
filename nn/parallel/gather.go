package parallel

import (
	"errors"
	"fmt"
	"reflect"

	"cresset/tensor"
)

const scalarsText = "Was asked to gather along dimension 0, but all input tensors were scalars; will instead unsqueeze and return a vector."

// gather puts the replicas' outputs together on the output device. Their structure is that of the first.
func gather[Out any](outputs []Out, c *config) (out Out) {
	parts := make([]reflect.Value, len(outputs))
	for i := range outputs {
		parts[i] = reflect.ValueOf(&outputs[i]).Elem()
	}
	g := gatherer{c, make(holders)}
	reflect.ValueOf(&out).Elem().Set(g.join(parts))
	return out
}

// gatherer puts values together.
type gatherer struct {
	*config
	held holders // of the first replica
}

// join returns what stands at one place in all outputs, put together.
func (g gatherer) join(parts []reflect.Value) reflect.Value {
	first := parts[0]
	switch first.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice:
		if first.IsNil() {
			return first
		}
	}
	switch {
	case first.Type() == tensorType:
		return reflect.ValueOf(g.joinTensors(parts))
	case first.Kind() == reflect.Interface:
		inner := make([]reflect.Value, len(parts))
		for i, p := range parts {
			if inner[i] = p.Elem(); !inner[i].IsValid() || inner[i].Type() != inner[0].Type() {
				panic(unjoinable(parts[0], p))
			}
		}
		return g.join(inner)
	case first.Kind() == reflect.Slice:
		defer g.held.enter(first)()
		return g.joinMembers(parts)
	case first.Kind() == reflect.Array:
		return g.joinMembers(parts)
	case first.Kind() == reflect.Map:
		defer g.held.enter(first)()
		return g.joinEntries(parts)
	case first.Kind() == reflect.Struct:
		return g.joinFields(parts)
	}
	panic(mistake(fmt.Sprintf("replicas returned %s, which cannot be put together: only tensors can, and slices, arrays, maps and structs of them", first.Type())))
}

func unjoinable(a, b reflect.Value) error {
	return mistake(fmt.Sprintf("replicas returned %v and %v, which cannot be put together", a, b))
}

func (g gatherer) joinTensors(parts []reflect.Value) *tensor.Tensor {
	ts := make([]*tensor.Tensor, len(parts))
	scalars := g.axis == 0
	for i, p := range parts {
		t := p.Interface().(*tensor.Tensor)
		switch {
		case t == nil:
			panic(mistake(fmt.Sprintf("replica %d returned no tensor where replica 0 did", i)))
		case t.Device().IsCPU():
			panic(mistake("Gather function not implemented for CPU tensors"))
		}
		ts[i], scalars = t, scalars && t.Dim() == 0
	}
	if scalars {
		g.scalarsWarned.Do(func() { g.warn(scalarsText) })
		for i, t := range ts {
			ts[i] = t.Reshape(1)
		}
	}
	checkShapes(ts, g.axis)
	return inner.CatOn(g.output, ts, g.axis)
}

// checkShapes panics where an extent differs along another axis than that of the parts.
func checkShapes(ts []*tensor.Tensor, axis int) {
	want := ts[0].Shape()
	if axis < 0 {
		axis += len(want)
	}
	for i, t := range ts[1:] {
		got := t.Shape()
		fits := len(got) == len(want)
		for k := 0; fits && k < len(got); k++ {
			fits = k == axis || got[k] == want[k]
		}
		if fits {
			continue
		}
		expected := append(tensor.Shape{}, want...)
		if len(got) == len(want) && axis >= 0 && axis < len(got) {
			expected[axis] = got[axis]
		}
		text := fmt.Sprintf("Input tensor at index %d has invalid shape %s, but expected %s", i+1, got.List(), expected.List())
		panic(&tensor.Error{Op: "data_parallel", Kind: tensor.ErrShape, Err: errors.New(text)})
	}
}

func (g gatherer) joinMembers(parts []reflect.Value) reflect.Value {
	n := parts[0].Len()
	out := reflect.New(parts[0].Type()).Elem()
	if out.Kind() == reflect.Slice {
		out.Set(reflect.MakeSlice(out.Type(), n, n))
	}
	for _, p := range parts {
		if p.Len() != n {
			panic(mistake(fmt.Sprintf("replicas returned lists of %d and %d, which cannot be put together", n, p.Len())))
		}
	}
	for k := range n {
		out.Index(k).Set(g.join(column(parts, func(p reflect.Value) reflect.Value { return p.Index(k) })))
	}
	return out
}

func (g gatherer) joinEntries(parts []reflect.Value) reflect.Value {
	out := reflect.MakeMap(parts[0].Type())
	for _, p := range parts {
		if p.Len() != parts[0].Len() {
			panic(mistake("All dicts must have the same number of keys"))
		}
	}
	for _, key := range parts[0].MapKeys() {
		entries := column(parts, func(p reflect.Value) reflect.Value { return p.MapIndex(key) })
		for i, e := range entries {
			if !e.IsValid() {
				panic(mistake(fmt.Sprintf("replica %d returned no %v, which replica 0 did", i, key)))
			}
		}
		out.SetMapIndex(key, g.join(entries))
	}
	return out
}

// joinFields puts exported fields together; the others are those of the first replica.
func (g gatherer) joinFields(parts []reflect.Value) reflect.Value {
	t := parts[0].Type()
	out := reflect.New(t).Elem()
	out.Set(parts[0])
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			out.Field(i).Set(g.join(column(parts, func(p reflect.Value) reflect.Value { return p.Field(i) })))
		}
	}
	return out
}

func column(parts []reflect.Value, of func(reflect.Value) reflect.Value) []reflect.Value {
	out := make([]reflect.Value, len(parts))
	for i, p := range parts {
		out[i] = of(p)
	}
	return out
}
