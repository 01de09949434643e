package rng

import (
	"errors"
	"math"
	"testing"

	"cresset/dtype"
)

func TestMultinomialErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	rows := []struct {
		name            string
		weights         []float32
		single, replace error
	}{
		{"negative", []float32{1, -1}, errBadWeight, errNegativeWeight},
		{"nan", []float32{1, nan}, errBadWeight, errNegativeWeight},
		{"inf", []float32{1, inf}, errBadWeight, errInfiniteWeight},
		{"zero", []float32{0, 0}, errNoWeight, errNoWeight},
	}
	for _, r := range rows {
		d := make([]int64, 2)
		if err := Multinomial(New(0), d, r.weights); !errors.Is(err, r.single) {
			t.Errorf("%s: got %v, want %v", r.name, err, r.single)
		}
		if err := MultinomialReplace(New(0), d, r.weights); !errors.Is(err, r.replace) {
			t.Errorf("%s with replacement: got %v, want %v", r.name, err, r.replace)
		}
	}
}

func TestMultinomialFrequencies(t *testing.T) {
	weights := []dtype.F16{0, dtype.ToF16(1), dtype.ToF16(3)}
	const draws = 20_000
	single, replaced := [3]int{}, [3]int{}
	g := New(0)
	one := make([]int64, 1)
	for range draws {
		if err := Multinomial(g, one, weights); err != nil {
			t.Fatal(err)
		}
		single[one[0]]++
	}
	many := make([]int64, draws)
	if err := MultinomialReplace(g, many, weights); err != nil {
		t.Fatal(err)
	}
	for _, i := range many {
		replaced[i]++
	}
	tol := 5 * math.Sqrt(draws*.25*.75)
	for _, got := range [][3]int{single, replaced} {
		if got[0] != 0 || !(math.Abs(float64(got[1])-draws/4) <= tol) {
			t.Errorf("got %v of %d, want 0, %d and %d", got, draws, draws/4, draws*3/4)
		}
	}
}
