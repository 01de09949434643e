package vec

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A Level is a set of vector instructions.
type Level uint8

// The levels.
const (
	NoAsm  Level = iota // Go alone
	AVX2                // AVX2 and FMA
	AVX512              // AVX-512 F, DQ, BW and VL
	NEON                // arm64's
)

var levelNames = [...]string{NoAsm: "noasm", AVX2: "avx2", AVX512: "avx512", NEON: "neon"}

// String returns the level's name as CRESSET_CPU takes it.
func (l Level) String() string { return levelNames[l] }

// variable is the environment variable that forces a level.
const variable = "CRESSET_CPU"

// available are the levels of this machine, the best first.
var available = append(detect(), NoAsm)

var current, choiceErr = choose(os.Getenv(variable))

// choose returns the level of that name, the best one where it is empty.
func choose(name string) (Level, error) {
	if name == "" {
		return available[0], nil
	}
	var names []string
	for _, l := range available {
		if l.String() == name {
			return l, nil
		}
		names = append(names, l.String())
	}
	if slices.Contains(levelNames[:], name) {
		return NoAsm, fmt.Errorf("%s=%s: this CPU has %s", variable, name, strings.Join(names, ", "))
	}
	return NoAsm, fmt.Errorf("%s=%s: want %s", variable, name, strings.Join(names, ", "))
}

// Current returns the level whose loops run.
func Current() Level { return current }

// Err returns why the level that CRESSET_CPU asks for cannot be had.
func Err() error { return choiceErr }

// Available returns the levels of this machine, the best first.
func Available() []Level { return slices.Clone(available) }

// Use makes the loops of a level run, which must be available. It is for tests, of this package and of those above, which compare
// levels within one process: no loop may be running.
func Use(l Level) { current = l }

// ordinaryStores makes the loops with non-temporal stores write by ordinary ones and prefetch what they write. The assembly
// reads it.
var ordinaryStores = slowNonTemporal()

// UseOrdinaryStores is for tests of both kinds of stores: it sets ordinaryStores and returns what it was. No loop may be running.
func UseOrdinaryStores(on bool) (was bool) {
	was, ordinaryStores = ordinaryStores, on
	return was
}
