package driver

import "testing"

func TestNewestPTX(t *testing.T) {
	// PTX ISA, table of release notes.
	for cuda, want := range map[int32]int{10010: 64, 11000: 70, 11040: 74, 11080: 78, 12000: 80, 12040: 84, 12050: 85, 12060: 85, 12080: 87, 12090: 88, 13000: 90, 13010: 91} {
		if got := NewestPTX(cuda); got != want {
			t.Errorf("CUDA %d: got %d, want %d", cuda, got, want)
		}
	}
}
