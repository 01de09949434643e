//go:build race

package gpt2_test

const raceEnabled = true
