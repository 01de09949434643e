//go:build race

package cli

// raced says that the race detector slows everything down by twenty times and more.
const raced = true
