//go:build race

package generation_test

const raceEnabled = true
