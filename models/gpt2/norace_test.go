//go:build !race

package gpt2_test

const raceEnabled = false
