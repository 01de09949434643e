//go:build race

package ranktest

// Race reports whether the race detector runs, under which simulated GPUs take long: tests of values that have run without it are left out then, not those of what goes on at once.
const Race = true
