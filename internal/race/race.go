// Package race says whether a test runs under the race detector, which slows computing twentyfold and makes pools forget at
// random: what looks at values or counts allocations is left to the run without it.
package race
