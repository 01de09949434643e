package tensor

import (
	"fmt"
	"math"
	"testing"

	"cresset/dtype"
)

func TestPrintOptions(t *testing.T) {
	set := func(change func(o *PrintOptions)) PrintOptions {
		o := DefaultPrint()
		change(&o)
		return o
	}
	long := Arange(0, 12, 1)
	tests := []struct {
		name    string
		options PrintOptions
		x       *Tensor
		want    string
	}{
		{"precision", set(func(o *PrintOptions) { o.Precision = 2 }), floats(1.005, 2), "tensor([1.00, 2.00])"},
		{"precision 0", set(func(o *PrintOptions) { o.Precision = 0 }), floats(1.5, 2.5), "tensor([2, 2])"},
		{"threshold", set(func(o *PrintOptions) { o.Threshold = 10 }), long, "tensor([ 0,  1,  2,  ...,  9, 10, 11])"},
		{"edge items", set(func(o *PrintOptions) { o.Threshold, o.EdgeItems = 10, 1 }), long, "tensor([ 0,  ..., 11])"},
		{"no edge items", set(func(o *PrintOptions) { o.Threshold, o.EdgeItems = 10, 0 }), long, "tensor([...])"},
		{"no edge items, matrix", set(func(o *PrintOptions) { o.Threshold, o.EdgeItems = 10, 0 }), long.View(3, 4), "tensor([...])"},
		{"line width", set(func(o *PrintOptions) { o.LineWidth = 20 }), Arange(0, 5, 1), "tensor([0, 1, 2, 3,\n        4])"},
		{"tiny lines", set(func(o *PrintOptions) { o.LineWidth = 1 }), Arange(0, 2, 1), "tensor([0,\n        1])"},
		{"always scientific", set(func(o *PrintOptions) { o.SciMode = SciAlways }), floats(1, 2), "tensor([1.0000e+00, 2.0000e+00])"},
		{"always scientific, zeros", set(func(o *PrintOptions) { o.SciMode = SciAlways }), Zeros(2), "tensor([0., 0.])"},
		{"never scientific", set(func(o *PrintOptions) { o.SciMode = SciNever }), floats(1e-5, 1.5), "tensor([0.0000, 1.5000])"},
		{"always scientific, signs", set(func(o *PrintOptions) { o.SciMode = SciAlways }), floats(1.5, -225), "tensor([ 1.5000e+00, -2.2500e+02])"},
		{"always scientific, some zeros", set(func(o *PrintOptions) { o.SciMode = SciAlways }), floats(0, 5), "tensor([0.0000e+00, 5.0000e+00])"},
		{"never scientific, large", set(func(o *PrintOptions) { o.SciMode = SciNever }), floats(1e9, -2), "tensor([1000000000.,         -2.])"},
		{"short", ShortPrint(), Arange(.5, 1001, 1), "tensor([5.00e-01, 1.50e+00,  ..., 1.00e+03, 1.00e+03])"},
		{"full", FullPrint(), Zeros(1001).Slice(0, 0, 3), "tensor([0., 0., 0.])"},
	}
	for _, tt := range tests {
		old := SetPrintOptions(tt.options)
		got := tt.x.String()
		if back := SetPrintOptions(old); back != tt.options {
			t.Errorf("%s: SetPrintOptions returned %+v, want %+v", tt.name, back, tt.options)
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestPrintVerbs(t *testing.T) {
	tests := []struct{ got, want string }{
		{fmt.Sprint(Of(1)), "tensor(1)"},
		{fmt.Sprintf("%v", Of([]int{1})), "tensor([1])"},
		{fmt.Sprintf("%s", Of([]int{1})), "tensor([1])"},
		{fmt.Sprintf("%.2f", Of(2.345)), "2.35"},
		{fmt.Sprintf("%8.3e", Of(float32(1.5))), "1.500e+00"},
		{fmt.Sprintf("%04d", Of(7)), "0007"},
		{fmt.Sprintf("%.2f", Of(7)), "7.00"},
		{fmt.Sprintf("%g", Of(uint8(7))), "7"},
		{fmt.Sprintf("%.1e", Of(true)), "1.0e+00"},
		{fmt.Sprintf("%t", Of(true)), "true"},
		{fmt.Sprintf("%.2f", Of([]int{1})), "%!f(*tensor.Tensor=tensor([1]))"},
		{fmt.Sprint((*Tensor)(nil)), "<nil>"},
		{fmt.Sprint([]*Tensor{Of(1), floats(2)}), "[tensor(1) tensor([2.])]"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

func TestPrintOfViews(t *testing.T) {
	x := Arange(0, 2000, 1).View(2, 1000)
	if got, want := x.T().String(), "tensor([[   0, 1000],\n        [   1, 1001],\n        [   2, 1002],\n        ...,\n        [ 997, 1997],\n        [ 998, 1998],\n        [ 999, 1999]])"; got != want {
		t.Errorf("transposed: got %s, want %s", got, want)
	}
	if got, want := Of(5).Expand(1001).String(), "tensor([5, 5, 5,  ..., 5, 5, 5])"; got != want {
		t.Errorf("expanded: got %s, want %s", got, want)
	}
	if got, want := x.Slice(1, 990, 1000, 4).String(), "tensor([[ 990,  994,  998],\n        [1990, 1994, 1998]])"; got != want {
		t.Errorf("sliced: got %s, want %s", got, want)
	}
}

// An expanded tensor of 2**40 elements prints without a copy of them.
func TestPrintOfTheHuge(t *testing.T) {
	x := Place{}.As(dtype.Float64).Full(nil, math.Pi).Expand(1<<20, 1<<20)
	want := "tensor([[3.1416, 3.1416, 3.1416,  ..., 3.1416, 3.1416, 3.1416],\n"
	if got := x.String(); len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("got %s", got)
	}
}

func TestPrintOfReleased(t *testing.T) {
	x := Ones(2)
	x.Release()
	if err := Try(func() { _ = x.String() }); err == nil {
		t.Error("a released tensor prints")
	}
}

func BenchmarkPrint(b *testing.B) {
	x := Randn(1000, 1000)
	for b.Loop() {
		_ = x.String()
	}
}
