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
	NoAsm   Level = iota // Go alone
	AVX2                 // AVX2 and FMA
	AVX512               // AVX-512 F, DQ, BW and VL
	NEON                 // arm64's
	AMX                  // AVX512, tiles of bfloat16 and of bytes, and arithmetic of float16
	AVXVNNI              // AVX2, and dot products of bytes
	NEONDot              // NEON, and dot products of bytes
)

var levelNames = [...]string{NoAsm: "noasm", AVX2: "avx2", AVX512: "avx512", NEON: "neon", AMX: "amx", AVXVNNI: "avxvnni", NEONDot: "neondot"}

// String returns the level's name as CRESSET_CPU takes it.
func (l Level) String() string { return levelNames[l] }

// variable is the environment variable that forces a level.
const variable = "CRESSET_CPU"

// available are the levels of this machine, the best first.
var available = append(detect(), NoAsm)

var level, choiceErr = choose(os.Getenv(variable))

// current is the level of the loops over vectors and of the micro-kernels, which AMX, AVXVNNI and NEONDot only add to.
var current = level.vectors()

func (l Level) vectors() Level {
	switch l {
	case AMX:
		return AVX512
	case AVXVNNI:
		return AVX2
	case NEONDot:
		return NEON
	}
	return l
}

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
func Current() Level { return level }

// Err returns why the level that CRESSET_CPU asks for cannot be had.
func Err() error { return choiceErr }

// Available returns the levels of this machine, the best first, for tests that compare them.
func Available() []Level { return slices.Clone(available) }

// Use makes the loops of a level run, which must be available. It is for tests, of this package and of those above, which compare
// levels within one process: no loop may be running.
func Use(l Level) { level, current = l, l.vectors() }

// SmallCaches reports whether the processor is of a kind whose second cache level has 256 or 512 KiB, as most without AVX-512 have.
func SmallCaches() bool { return current == AVX2 }

// HasAMX reports whether AMXTile runs.
func HasAMX() bool { return level == AMX }

// HasAVXVNNI reports whether Int8Rows and Int4Rows multiply vectors of 32 bytes by VPDPBUSD.
func HasAVXVNNI() bool { return level == AVXVNNI }

// HasDotProducts reports whether Int8Rows and Int4Rows multiply by SDOT.
func HasDotProducts() bool { return level == NEONDot }

// ordinaryStores makes the loops with non-temporal stores write by ordinary ones and prefetch what they write. The assembly
// reads it.
var ordinaryStores = slowNonTemporal()

// UseOrdinaryStores is for tests of both kinds of stores: it sets ordinaryStores and returns what it was. No loop may be running.
func UseOrdinaryStores(on bool) (was bool) {
	was, ordinaryStores = ordinaryStores, on
	return was
}

// slowPairs is whether products of pairs are slower than those of float32. Intel's processors with AMX begin one VDPBF16PS in two cycles, and
// four VFMADD231PS, which have half its work: 122 and 244 GFLOP/s by registers alone.
var slowPairs = hasSlowPairs()

// SlowPairs reports whether PairTile is slower than Tile.
func SlowPairs() bool { return slowPairs }

// UseSlowPairs is for tests of products with PairTile and without: it sets SlowPairs and returns what it was. No product may be running.
func UseSlowPairs(slow bool) (was bool) {
	was, slowPairs = slowPairs, slow
	return was
}
