package statedict

import (
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"cresset/tensor"
)

// ordered is a dictionary that is no map.
type ordered [][2]any

func (o ordered) All() iter.Seq2[any, any] {
	return func(yield func(any, any) bool) {
		for _, e := range o {
			if !yield(e[0], e[1]) {
				return
			}
		}
	}
}

func TestReading(t *testing.T) {
	type text string
	d := Read(map[string]any{
		"int": int64(-3), "float": float32(0.5), "scalar": tensor.Of(float32(20)), "big": int64(math.MaxInt64), "bool": true, "none": nil,
		"bytes": tensor.FromSlice([]uint8{1, 2}), "tuple": [2]float64{0.9, 0.5}, "list": []any{1, int64(2), 3.0},
		"dicts":    []map[text]any{{"a": 1}, {"a": 2}},
		"nested":   map[any]any{"a": map[string]int{"b": 7}, 3: "skipped"},
		"ordered":  ordered{{"a", 5}, {2, "skipped"}},
		"numbered": map[any]any{10: map[string]any{"x": 1}, int64(2): map[string]any{"x": 2}},
		"ranked":   ordered{{0, map[string]any{}}},
	})
	if d.Int("int") != -3 || d.Int("scalar") != 20 || d.Int("big") != math.MaxInt64 || d.Float("float") != 0.5 || d.Float("int") != -3 || !d.Bool("bool") {
		t.Error("numbers")
	}
	if d.Has("none") || d.Has("nothing") || !d.Has("int") || !d.Is("int", -3.0) || !d.Is("bool", true) || d.Is("list", 1) || d.Bytes("none") != nil {
		t.Error("presence")
	}
	if !slices.Equal(d.Bytes("bytes"), []byte{1, 2}) || !slices.Equal(d.Floats("tuple"), []float64{0.9, 0.5}) || !slices.Equal(d.Ints("list"), []int{1, 2, 3}) {
		t.Error("lists")
	}
	if all := d.Dicts("dicts"); len(all) != 2 || all[1].Int("a") != 2 || d.Dict("nested").Dict("a").Int("b") != 7 || d.Dict("ordered").Int("a") != 5 {
		t.Error("dicts")
	}
	if e := d.Dict("nested").Entries(); len(e) != 1 || e["a"] == nil {
		t.Errorf("entries %v", e)
	}
	var order []int
	for n, e := range d.Numbered("numbered") {
		order = append(order, n, e.Int("x"))
	}
	for n := range d.Numbered("ranked") {
		order = append(order, n)
	}
	if !slices.Equal(order, []int{2, 2, 10, 1, 0}) {
		t.Errorf("numbered %v", order)
	}
	if d.Err() != nil {
		t.Error(d.Err())
	}
}

func TestRefusals(t *testing.T) {
	state := map[string]any{"text": "x", "half": 0.5, "nan": math.NaN(), "huge": 1e300, "vector": tensor.Ones(3), "list": []any{1, "two"}, "numbered": map[any]any{
		"zero": nil}, "dict": map[int]any{0: map[string]any{"x": "y"}}}
	for want, read := range map[string]func(d *Dict){
		"the state dict has no none":                                           func(d *Dict) { d.Int("none") },
		"the state dict's text should be a whole number, not x":                func(d *Dict) { d.Int("text") },
		"the state dict's half should be a whole number, not 0.5":              func(d *Dict) { d.Int("half") },
		"the state dict's nan should be a whole number, not NaN":               func(d *Dict) { d.Int("nan") },
		"the state dict's huge should be a whole number, not 1e+300":           func(d *Dict) { d.Int("huge") },
		"the state dict's vector should be a number, not a *tensor.Tensor":     func(d *Dict) { d.Float("vector") },
		"the state dict's half should be True or False, not 0.5":               func(d *Dict) { d.Bool("half") },
		"the state dict's half should be a tensor, not 0.5":                    func(d *Dict) { d.Tensor("half") },
		"the state dict's vector should be a tensor of bytes, not a *tensor":   func(d *Dict) { d.Bytes("vector") },
		"the state dict's list[1] should be a number, not two":                 func(d *Dict) { d.Floats("list") },
		"the state dict's text should be a list, not x":                        func(d *Dict) { d.Ints("text") },
		"the state dict's dict should be a dict, not a map[int]interface":      func(d *Dict) { d.Dict("dict") },
		"the state dict's text should be a dict, not x":                        func(d *Dict) { d.Dict("text").Int("within") },
		"the state dict's key numbered[zero] should be a whole number, not ze": func(d *Dict) { d.Numbered("numbered") },
		"the state dict's half should be a dict, not 0.5":                      func(d *Dict) { d.Numbered("half") },
		"the state dict's dict[0].x should be a number, not y": func(d *Dict) {
			for _, e := range d.Numbered("dict") {
				e.Float("x")
			}
		},
	} {
		d := Read(state)
		read(d)
		d.Refuse("what is wrong first is told")
		if err := d.Err(); err == nil || !strings.HasPrefix(err.Error(), want) || !errors.Is(err, tensor.ErrValue) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
