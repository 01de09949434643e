package cli

import (
	"math"
	"testing"
	"time"
)

func TestJoin(t *testing.T) {
	for _, c := range []struct {
		accuracies []float64
		want       string
	}{
		{[]float64{0.5}, "0.5000"},
		{[]float64{.1, .2, .3, .4, .5, .6}, "0.1000 → 0.2000 → 0.3000 → 0.4000 → 0.5000 → 0.6000"},
		{[]float64{.1, .2, .3, .4, .5, .6, .7}, "0.1000 → 0.2000 → … → 0.5000 → 0.6000 → 0.7000"},
		{make([]float64, 1000), "0.0000 → 0.0000 → … → 0.0000 → 0.0000 → 0.0000"},
	} {
		if got := join(c.accuracies); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestWorst(t *testing.T) {
	if got := worst([]float64{0.9, math.NaN(), 0.4, 0.8}); got != 2 {
		t.Errorf("got class %d, want 2", got)
	}
}

func TestBrief(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 59 * time.Second: "59s", 61500 * time.Millisecond: "1m02s", 2*time.Hour + 5*time.Minute: "2h05m", 951 * time.Hour: "39d",
	} {
		if got := brief(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}
