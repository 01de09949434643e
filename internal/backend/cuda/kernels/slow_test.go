package kernels_test

import (
	"testing"

	"cresset/internal/race"
)

// slowUnderRace skips what takes minutes under the race detector and looks for wrong results alone: blocks of simulated GPUs run side by side in
// the tests that stay.
func slowUnderRace(t *testing.T) {
	if race.Enabled {
		t.Skip("takes minutes under the race detector")
	}
}
