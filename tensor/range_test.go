package tensor

import (
	"errors"
	"math"
	"testing"

	"cresset/device"
	"cresset/dtype"
)

func TestRanges(t *testing.T) {
	f64, i32 := On(device.CPU).As(dtype.Float64), On(device.CPU).As(dtype.Int32)
	tests := []struct {
		name string
		got  *Tensor
		want string
	}{
		{"arange(0,1,0.3)", Arange(0, 1, 0.3), "tensor([0.0000, 0.3000, 0.6000, 0.9000])"}, // goldens/promotion_torch26.txt
		{"arange(5,0,-2)", Arange(5, 0, -2), "tensor([5, 3, 1])"},                          // the same
		{"linspace(0,1,5)", Linspace(0, 1, 5), "tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])"},
		{"arange(0)", Arange(0, 0, 1), "tensor([], dtype=torch.int64)"},
		{"floats", Arange(0, 3.0, 1), "tensor([0., 1., 2.])"},
		{"bool", Arange(true, 3, 1), "tensor([1, 2])"},
		{"float64", f64.Arange(0, 1, 0.5), "tensor([0.0000, 0.5000], dtype=torch.float64)"},
		{"int32", i32.Arange(0, 3, 1), "tensor([0, 1, 2], dtype=torch.int32)"},
		{"half", Place{}.As(dtype.Float16).Arange(0, 2, 1), "tensor([0., 1.], dtype=torch.float16)"},
		{"whole range", Arange(int64(math.MinInt64), int64(math.MaxInt64), int64(math.MaxInt64)), "tensor([-9223372036854775808,                   -1,  9223372036854775806])"},
		{"backwards", Arange(0, int64(math.MinInt64), int64(math.MinInt64)), "tensor([0])"},
		{"linspace none", Linspace(0, 1, 0), "tensor([])"},
		{"linspace one", Linspace(3, 9, 1), "tensor([3.])"},
		{"linspace ints", i32.Linspace(0, 10, 4), "tensor([ 0,  3,  6, 10], dtype=torch.int32)"},
		{"linspace half", Place{}.As(dtype.BFloat16).Linspace(1, 0, 3), "tensor([1.0000, 0.5000, 0.0000], dtype=torch.bfloat16)"},
		{"eye", Eye(2), "tensor([[1., 0.],\n        [0., 1.]])"},
		{"eye wide", i32.Eye(2, 3), "tensor([[1, 0, 0],\n        [0, 1, 0]], dtype=torch.int32)"},
		{"eye high", Eye(3, 1), "tensor([[1.],\n        [0.],\n        [0.]])"},
		{"eye none", Eye(0, 3), "tensor([], size=(0, 3))"},
	}
	for _, tt := range tests {
		if got := tt.got.String(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestLinspaceIsSymmetric(t *testing.T) {
	for _, n := range []int{2, 3, 10, 101} {
		v := Values[float32](Linspace(-1, 1, n))
		for i := range v {
			if v[i] != -v[n-1-i] {
				t.Errorf("%d steps: element %d is %v, element %d is %v", n, i, v[i], n-1-i, v[n-1-i])
			}
		}
	}
}

func TestRangesRefuse(t *testing.T) {
	tests := []struct {
		call func()
		want string
	}{
		{func() { Arange(0, 1, 0) }, "step must be nonzero"},
		{func() { Arange(0, 1, 0.0) }, "step must be nonzero"},
		{func() { Place{}.As(dtype.Int64).Arange(0, 1, 0.5) }, "step must be nonzero"},
		{func() { Arange(0, 1, math.NaN()) }, "step must be nonzero"},
		{func() { Arange(0, 1, -1) }, "upper bound and larger bound inconsistent with step sign"},
		{func() { Arange(0, 1.0, -1) }, "upper bound and larger bound inconsistent with step sign"},
		{func() { Arange(0, math.Inf(1), 1) }, "unsupported range: 0 -> inf"},
		{func() { Arange(0, math.NaN(), 1) }, "unsupported range: 0 -> nan"},
		{func() { Arange(0, 1e300, 1) }, "invalid size, possible overflow?"},
		{func() { Arange(int64(math.MinInt64), int64(math.MaxInt64), 1) }, "invalid size, possible overflow?"},
		{func() { Linspace(0, 1, -1) }, "number of steps must be non-negative"},
		{func() { Eye(-1) }, "n must be greater or equal to 0, got -1"},
		{func() { Eye(1, -2) }, "m must be greater or equal to 0, got -2"},
		{func() { Eye(1, 2, 3) }, "eye takes rows and columns, but got 3 sizes"},
	}
	for _, tt := range tests {
		err := Try(tt.call)
		if err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

func TestFullRefusesWhatFillRefuses(t *testing.T) {
	for want, f := range map[string]func(){
		"value cannot be converted to type uint8_t without overflow":  func() { Place{}.As(dtype.Uint8).Full([]int{1}, 300) },
		"value cannot be converted to type int64_t without overflow":  func() { FullLike(Of([]int{1}), 1e300) },
		"value cannot be converted to type at::Half without overflow": func() { FullLike(Ones(2).Half(), 1e6) },
		"value cannot be converted to type float without overflow":    func() { Full([]int{2}, 1e300) },
	} {
		if err := Try(f); !errors.Is(err, ErrValue) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if got := (Place{}).As(dtype.Uint8).Full([]int{1}, -1).Item(); got != int64(255) {
		t.Errorf("-1 as uint8 is %v", got)
	}
}

func TestClampBeyondTheType(t *testing.T) {
	x := FromSlice([]uint8{0, 1, 100, 250})
	small := FromSlice([]int8{-128, 0, 127})
	for name, tc := range map[string]struct{ got, want *Tensor }{
		"uint8 from -1":      {x.Clamp(-1, nil), x},
		"uint8 from -300":    {x.Clamp(-300, 100), FromSlice([]uint8{0, 1, 100, 100})},
		"uint8 to 300":       {x.Clamp(nil, 300), x},
		"int8 within int16":  {small.Clamp(-1000, 1000), small},
		"int32 within int64": {FromSlice([]int32{-5, 5}).Clamp(0, 1<<40), FromSlice([]int32{0, 5})},
	} {
		if !tc.got.Equal(tc.want) || tc.got.DType() != tc.want.DType() {
			t.Errorf("%s: got %v", name, tc.got)
		}
	}
}
