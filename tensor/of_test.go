package tensor

import (
	"slices"
	"testing"

	"cresset/dtype"
)

func TestOf(t *testing.T) {
	type celsius float32
	tests := []struct {
		in   any
		want string
	}{
		{[]int{1, 2, 3}, "tensor([1, 2, 3])"},
		{[]int64{1, 2, 3}, "tensor([1, 2, 3])"},
		{[]int32{1, 2}, "tensor([1, 2], dtype=torch.int32)"},
		{[]int16{-1, 2}, "tensor([-1,  2], dtype=torch.int16)"},
		{[]int8{-128}, "tensor([-128], dtype=torch.int8)"},
		{[]uint8{1, 255}, "tensor([  1, 255], dtype=torch.uint8)"},
		{[]bool{true, false}, "tensor([ True, False])"},
		{[]float32{1.5}, "tensor([1.5000])"},
		{[]float64{1.5}, "tensor([1.5000], dtype=torch.float64)"},
		{[]dtype.F16{dtype.ToF16(1.5)}, "tensor([1.5000], dtype=torch.float16)"},
		{[]dtype.BF16{dtype.ToBF16(1.1)}, "tensor([1.1016], dtype=torch.bfloat16)"},
		{3, "tensor(3)"},
		{true, "tensor(True)"},
		{float32(3), "tensor(3.)"},
		{3.0, "tensor(3., dtype=torch.float64)"},
		{celsius(36.6), "tensor(36.6000)"},
		{[]celsius{1, 2}, "tensor([1., 2.])"},
		{dtype.ToF16(2), "tensor(2., dtype=torch.float16)"},
		{[2][2]int{{1, 2}, {3, 4}}, "tensor([[1, 2],\n        [3, 4]])"},
		{[][]bool{{true}, {false}}, "tensor([[ True],\n        [False]])"},
		{[][][]float32{{{1}, {2}}}, "tensor([[[1.],\n         [2.]]])"},
		{[]int{}, "tensor([], dtype=torch.int64)"},
		{[][]float32{{}, {}}, "tensor([], size=(2, 0))"},
		{[][]float32{}, "tensor([])"},
		{[]any{}, "tensor([])"},
		{[]any{1, 2}, "tensor([1, 2])"},
		{[]any{true, 2}, "tensor([1, 2])"},
		{[]any{1, float32(2.5)}, "tensor([1.0000, 2.5000])"},
		{[]any{[]int{1, 2}, []any{true, 4.5}}, "tensor([[1.0000, 2.0000],\n        [1.0000, 4.5000]], dtype=torch.float64)"},
		{[]any{dtype.ToF16(1.5), 1}, "tensor([1.5000, 1.0000], dtype=torch.float16)"},
	}
	for _, tt := range tests {
		if got := Of(tt.in).String(); got != tt.want {
			t.Errorf("Of(%#v) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestOfCopies(t *testing.T) {
	s := []float32{1, 2}
	x := Of(s)
	s[0] = 9
	if got := x.String(); got != "tensor([1., 2.])" {
		t.Errorf("after a change of the slice: %s", got)
	}
}

func TestOfInAnotherDType(t *testing.T) {
	got := Place{}.As(dtype.Int32).Of([]float64{1.9, -1.9}).String()
	if want := "tensor([ 1, -1], dtype=torch.int32)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOfRefuses(t *testing.T) {
	self := make([]any, 1)
	self[0] = self
	tests := []struct {
		in   any
		want string
	}{
		{[][]int{{1, 2}, {3}}, "expected sequence of length 2 at dim 1 (got 1)"},
		{[]any{[]int{1, 2}, []int{3}}, "expected sequence of length 2 at dim 1 (got 1)"},
		{[]any{[]int{1, 2}, 3}, "not a sequence"},
		{[]any{1, []int{3}}, "must be a number, not []int"},
		{"text", "new(): invalid data type 'string'"},
		{[]string{"text"}, "new(): invalid data type 'string'"},
		{[]any{"text"}, "new(): invalid data type 'string'"},
		{[]uint32{1}, "new(): invalid data type 'uint32'"},
		{nil, "Could not infer dtype of NoneType"},
		{[]any{nil}, "Could not infer dtype of NoneType"},
		{[]any{1, nil}, "Could not infer dtype of NoneType"},
		{[]*int{nil}, "Could not infer dtype of NoneType"},
		{self, "tensors with more than 16 dimensions are not supported"},
	}
	for _, tt := range tests {
		err := Try(func() { Of(tt.in) })
		if err == nil || err.Error() != tt.want {
			t.Errorf("Of(%T): got %v, want %s", tt.in, err, tt.want)
		}
	}
}

// Go's int is int64, as in Of: a slice of ints is shared, and copied, without a conversion.
func TestSlicesOfInts(t *testing.T) {
	s := []int{1, -2, 1 << 40}
	x := FromSlice(s)
	if x.DType() != dtype.Int64 {
		t.Fatalf("FromSlice([]int) is %v", x.DType())
	}
	Data[int](x)[0] = 7
	if got := Values[int](x); s[0] != 7 || !slices.Equal(got, s) {
		t.Errorf("Values[int] is %v of %v", got, s)
	}
	if got := Values[int](Of([]float32{1.5, -2.5})); !slices.Equal(got, []int{1, -2}) {
		t.Errorf("Values[int] of floats is %v", got)
	}
}
