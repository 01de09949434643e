//go:build !race

package ranktest

// Race reports whether the race detector runs.
const Race = false
