package patience

import "testing"

// TestRest: a wait looks without a pause for a while, and then sleeps twice as long each time, so that one that lasts costs no core.
func TestRest(t *testing.T) {
	var l Looks
	for range eager + 1 {
		if l.Rest() {
			t.Fatal("an eager look slept")
		}
	}
	l.since = l.since.Add(-2 * spinning)
	for want := 2 * firstNap; want < 4*longestNap; want *= 2 {
		if slept := l.Rest(); !slept || l.nap != min(want, longestNap) {
			t.Errorf("slept %t, next %v, want %v", slept, l.nap, min(want, longestNap))
		}
	}
}
