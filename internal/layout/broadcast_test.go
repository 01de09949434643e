package layout

import (
	"reflect"
	"testing"
)

func TestBroadcast(t *testing.T) {
	for _, c := range []struct {
		a, b, want Shape
		err        string
	}{
		{a: Shape{2, 3}, b: Shape{2, 3}, want: Shape{2, 3}},
		{a: Shape{2, 3}, b: Shape{3}, want: Shape{2, 3}},
		{a: Shape{3, 1, 4}, b: Shape{2, 1}, want: Shape{3, 2, 4}},
		{a: Shape{}, b: Shape{2}, want: Shape{2}},
		{a: Shape{1}, b: Shape{0}, want: Shape{0}},
		{a: Shape{0, 1}, b: Shape{3}, want: Shape{0, 3}},
		{a: Shape{2, 3}, b: Shape{2, 4}, err: "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"},
		{a: Shape{3}, b: Shape{4}, err: "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"},
		{a: Shape{2, 3}, b: Shape{2}, err: "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1"},
		{a: Shape{0}, b: Shape{2}, err: "The size of tensor a (0) must match the size of tensor b (2) at non-singleton dimension 0"},
		{a: Shape{5, 2, 3}, b: Shape{4, 3}, err: "The size of tensor a (2) must match the size of tensor b (4) at non-singleton dimension 1"},
	} {
		got, err := Broadcast(c.a, c.b)
		switch {
		case c.err != "":
			if err == nil || err.Error() != c.err {
				t.Errorf("%v and %v: error %v, want %q", c.a, c.b, err, c.err)
			}
		case err != nil || !got.Equal(c.want):
			t.Errorf("%v and %v meet in %v, %v, want %v", c.a, c.b, got, err, c.want)
		}
	}
}

func TestReducedAxes(t *testing.T) {
	for _, c := range []struct {
		operand, broadcast Shape
		want               string
	}{
		{Shape{2, 3}, Shape{2, 3}, "[]"}, {Shape{3}, Shape{2, 3}, "[0]"}, {Shape{1, 3}, Shape{2, 3}, "[0]"},
		{Shape{1}, Shape{4, 2, 3}, "[0, 1, 2]"}, {Shape{1, 1}, Shape{1, 5}, "[1]"}, {Shape{}, Shape{2}, "[0]"}, {Shape{1}, Shape{0}, "[0]"},
	} {
		if got := Shape(ReducedAxes(c.operand, c.broadcast)).List(); got != c.want {
			t.Errorf("%v in %v: axes %s, want %s", c.operand, c.broadcast, got, c.want)
		}
	}
}

func TestInferSize(t *testing.T) {
	const big = 1 << 40
	for _, c := range []struct {
		shape []int
		size  int
		want  Shape
		err   string
	}{
		{shape: []int{2, 3}, size: 6, want: Shape{2, 3}},
		{shape: []int{-1, 3}, size: 6, want: Shape{2, 3}},
		{shape: []int{-1}, size: 0, want: Shape{0}},
		{shape: []int{}, size: 1, want: Shape{}},
		{shape: []int{0, 5}, size: 0, want: Shape{0, 5}},
		{shape: []int{big, big, 0}, size: 0, want: Shape{big, big, 0}},
		{shape: []int{-1, 2}, size: 0, want: Shape{0, 2}},
		{shape: []int{4}, size: 6, err: "shape '[4]' is invalid for input of size 6"},
		{shape: []int{4, -1}, size: 6, err: "shape '[4, -1]' is invalid for input of size 6"},
		{shape: []int{}, size: 2, err: "shape '[]' is invalid for input of size 2"},
		{shape: []int{-1, -1}, size: 6, err: "only one dimension can be inferred"},
		{shape: []int{-2, 3}, size: 6, err: "invalid shape dimension -2"},
		{shape: []int{big, big}, size: 6, err: "shape '[1099511627776, 1099511627776]' is invalid for input of size 6"},
		{shape: []int{-1, 0}, size: 0, err: "cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified dimension size -1 can be any value and is ambiguous"},
		{shape: []int{-1, 0}, size: 6, err: "shape '[-1, 0]' is invalid for input of size 6"},
	} {
		got, err := InferSize(nil, c.shape, c.size)
		switch {
		case c.err != "":
			if err == nil || err.Error() != c.err {
				t.Errorf("%v for %d elements: error %v, want %q", c.shape, c.size, err, c.err)
			}
		case err != nil || !got.Equal(c.want):
			t.Errorf("%v for %d elements is %v, %v, want %v", c.shape, c.size, got, err, c.want)
		}
	}
}

func TestHolds(t *testing.T) {
	shapes := []Shape{{}, {1}, {2}, {3}, {1, 3}, {2, 3}, {2, 1}, {0, 3}, {2, 2, 3}}
	for _, s := range shapes {
		for _, u := range shapes {
			joint, err := Broadcast(s, u)
			if got, want := s.Holds(u), err == nil && joint.Equal(s); got != want {
				t.Errorf("%v holds %v: got %v, want %v", s, u, got, want)
			}
		}
	}
}

func TestFresh(t *testing.T) {
	if got, want := *Fresh(2, 0, 3), Contiguous(Shape{2, 0, 3}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
