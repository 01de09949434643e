package rng

import (
	"math"
	"slices"
	"testing"

	"cresset/dtype"
)

func TestRandIntErrors(t *testing.T) {
	rows := []struct {
		name string
		got  error
		want string
	}{
		{"empty", RandInt(New(0), []int64{0}, 0, 0), "random_ expects 'from' to be less than 'to', but got from=0 >= to=0"},
		{"reversed", RandInt(New(0), []int64{0}, 5, 3), "random_ expects 'from' to be less than 'to', but got from=5 >= to=3"},
		{"low", RandInt(New(0), []uint8{0}, -1, 3), "from is out of bounds for unsigned char"},
		{"high", RandInt(New(0), []int8{0}, 0, 129), "to - 1 is out of bounds for signed char"},
		{"bool", RandInt(New(0), []bool{false}, 0, 3), "to - 1 is out of bounds for bool"},
		{"int32", RandInt(New(0), []int32{0}, 0, math.MaxInt64), "to - 1 is out of bounds for int"},
		{"half", RandInt(New(0), []dtype.F16{0}, 2051, 2052), "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from=2051 >= to=2050"},
	}
	for _, r := range rows {
		if r.got == nil || r.got.Error() != r.want {
			t.Errorf("%s: got %v, want %s", r.name, r.got, r.want)
		}
	}
}

// PyTorch's own example: 65503 would round to half's 65504.
func TestRandIntStaysBelowRoundedHigh(t *testing.T) {
	if got := dropHigh(dtype.Float16, 65504); got != 65472 {
		t.Errorf("got %d, want 65472", got)
	}
	d := make([]dtype.F16, 5000)
	if err := RandInt(New(0), d, 0, 65504); err != nil {
		t.Fatal(err)
	}
	for _, h := range d {
		if h.Float32() >= 65504 {
			t.Fatalf("got %v", h.Float32())
		}
	}
}

func TestRandIntWidth(t *testing.T) {
	g, h := New(0), New(0)
	wide := make([]float64, 1)
	if err := RandInt(g, wide, -1<<40, 1<<40); err != nil {
		t.Fatal(err)
	}
	if want := float64(int64(h.Uint64()%(1<<41)) - 1<<40); wide[0] != want {
		t.Errorf("float64: got %v, want %v", wide[0], want)
	}
	full := make([]int64, 3)
	if err := RandInt(g, full, math.MinInt64, math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	for i := range full {
		if want := int64(h.Uint64()%math.MaxUint64 + 1<<63); full[i] != want {
			t.Errorf("int64: got %v, want %v", full[i], want)
		}
	}
}

func TestRandomRanges(t *testing.T) {
	checkRandom[bool](t, func(w uint32) int64 { return int64(w & 1) })
	checkRandom[uint8](t, func(w uint32) int64 { return int64(w % 256) })
	checkRandom[int8](t, func(w uint32) int64 { return int64(w % 128) })
	checkRandom[int16](t, func(w uint32) int64 { return int64(w % (1 << 15)) })
	checkRandom[int32](t, func(w uint32) int64 { return int64(w % (1 << 31)) })
	checkRandom[dtype.F16](t, func(w uint32) int64 { return int64(w % (1<<11 + 1)) })
	checkRandom[dtype.BF16](t, func(w uint32) int64 { return int64(w % (1<<8 + 1)) })
	checkRandom[float32](t, func(w uint32) int64 { return int64(w % (1<<24 + 1)) })

	g := New(1)
	for i, got := range fill(3, func(d []float64) { Random(New(1), d) }) {
		if want := float64(g.Uint64() % (1<<53 + 1)); got != want {
			t.Errorf("float64: draw %d is %v, want %v", i, got, want)
		}
	}
}

func checkRandom[T dtype.Element](t *testing.T, of func(uint32) int64) {
	t.Helper()
	g, convert := New(1), fromInt[T]()
	for i, got := range fill(100, func(d []T) { Random(New(1), d) }) {
		if want := convert(of(g.Uint32())); got != want {
			t.Errorf("%v: draw %d is %v, want %v", dtype.Of[T](), i, got, want)
		}
	}
}

func TestPermHoldsEachIndexOnce(t *testing.T) {
	for name, perm := range map[string]func(*MT19937, []int64){"narrow": Perm, "wide": permWide} {
		for _, n := range []int{0, 1, 2, 1000} {
			d := make([]int64, n)
			perm(New(3), d)
			slices.Sort(d)
			for i, v := range d {
				if v != int64(i) {
					t.Fatalf("%s, %d elements: %d is missing", name, n, i)
				}
			}
		}
	}
}
