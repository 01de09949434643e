package data

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"

	"cresset/tensor"
)

// The sums were taken on amd64; another architecture must draw the same pixels.
func TestGlyphsAreTheSameEverywhere(t *testing.T) {
	cases := []struct {
		options []GlyphOption
		want    string
	}{
		{[]GlyphOption{Count(200)}, "dd942479ca2cb3ee"},
		{[]GlyphOption{Train(false), Count(200)}, "828b8c1f2266b28e"},
		{[]GlyphOption{Count(200), Seed(42)}, "0abb943c196c58e7"},
	}
	for _, c := range cases {
		m := Glyphs(c.options...)
		sum := sha256.Sum256(append(m.Pixels[:len(m.Pixels):len(m.Pixels)], m.Labels...))
		if got := hex.EncodeToString(sum[:8]); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.options, got, c.want)
		}
	}
}

func TestGlyphs(t *testing.T) {
	train, test := Glyphs(), Glyphs(Train(false))
	if train.Len() != 8000 || test.Len() != 2000 {
		t.Errorf("got %d and %d pictures, want 8000 and 2000", train.Len(), test.Len())
	}
	few := Glyphs(Count(50))
	if !bytes.Equal(few.Pixels, train.Pixels[:len(few.Pixels)]) || !bytes.Equal(few.Labels, train.Labels[:50]) {
		t.Error("a shorter set is not the beginning of the longer one")
	}
	seen := map[string]bool{}
	for _, m := range []*Images{train, test} {
		var count [10]int
		for i := range m.Len() {
			pixels, label := m.At(i)
			count[label]++
			seen[string(pixels)] = true
		}
		for digit, n := range count {
			// Four standard deviations of a binomial count with p = 1/10.
			if mean := float64(m.Len()) / 10; (float64(n)-mean)*(float64(n)-mean) > 16*0.9*mean {
				t.Errorf("digit %d occurs %d times in %d", digit, n, m.Len())
			}
		}
	}
	if len(seen) != train.Len()+test.Len() {
		t.Errorf("%d different pictures in %d", len(seen), train.Len()+test.Len())
	}
}

// TestGlyphsStayInside takes the border's brightness as a sign of a digit that is cut off.
func TestGlyphsStayInside(t *testing.T) {
	m := Glyphs(Count(2000))
	cut := 0
	for i := range m.Len() {
		pixels, _ := m.At(i)
		ink := 0
		for at, p := range pixels {
			x, y := at%GlyphSize, at/GlyphSize
			if (x == 0 || y == 0 || x == GlyphSize-1 || y == GlyphSize-1) && p > 160 {
				ink++
			}
		}
		if ink > 2 {
			cut++
		}
	}
	if cut > m.Len()/100 {
		t.Errorf("%d of %d digits touch the border", cut, m.Len())
	}
}

func BenchmarkGlyphs(b *testing.B) {
	digitFaces()
	for b.Loop() {
		Glyphs(Count(1000))
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "pictures/s")
}

func TestGlyphsRefusesNegativeCount(t *testing.T) {
	err := tensor.Try(func() { Glyphs(Train(false), Count(-1)) })
	if want := "a data set cannot have -1 pictures"; !errors.Is(err, tensor.ErrValue) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
