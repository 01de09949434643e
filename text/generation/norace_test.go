//go:build !race

package generation_test

const raceEnabled = false
