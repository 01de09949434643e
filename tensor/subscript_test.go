package tensor

import (
	"slices"
	"testing"
)

// An index that names no place is refused, where a number as operand would be rounded.
func TestIndexRefusesOtherThanPlaces(t *testing.T) {
	x := Arange(0, 6, 1).View(3, 2)
	text := func(got string) string {
		return "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got " + got + ")"
	}
	checkErrors(t, []errorCase{
		{text: text("float64"), kind: ErrIndex, do: func() { x.Index(1.5) }},
		{text: text("float32"), kind: ErrIndex, do: func() { x.Index(All, float32(1)) }},
		{text: text("float64"), kind: ErrIndex, do: func() { x.SetIndex(0, 1.0) }},
		{text: text("string"), kind: ErrIndex, do: func() { x.Index("1") }},
		{text: text("uint64"), kind: ErrIndex, do: func() { x.Index(uint64(1) << 63) }},
	})
	if got, want := Values[int64](x), []int64{0, 1, 2, 3, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("a refused assignment left %v, want %v", got, want)
	}
}

func TestIndexTakesEachIntegerType(t *testing.T) {
	x := Arange(0, 6, 1).View(3, 2)
	for _, i := range []any{1, int64(1), int32(-2), uint8(1), uint64(1)} {
		if got, want := Values[int64](x.Index(i)), []int64{2, 3}; !slices.Equal(got, want) {
			t.Errorf("row %v of type %T is %v, want %v", i, i, got, want)
		}
	}
}

func TestIndexByTruthValuesInASlice(t *testing.T) {
	x := Arange(0, 6, 1).View(3, 2)
	if got, want := Values[int64](x.Index([]bool{true, false, true})), []int64{0, 1, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
	x.SetIndex(9, All, []bool{false, true})
	if got, want := Values[int64](x), []int64{0, 9, 2, 9, 4, 9}; !slices.Equal(got, want) {
		t.Errorf("after the assignment %v, want %v", got, want)
	}
}
