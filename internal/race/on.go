//go:build race

package race

// Enabled is whether the program was built with the race detector.
const Enabled = true
