//go:build noasm || !amd64

package vec

import "unsafe"

// noTiles is the panic of who calls for tiles where there are none.
const noTiles = "vec: there are no tiles"

// HasPairs reports whether PairTile runs.
func HasPairs() bool { return false }

func runPairs(int, unsafe.Pointer) { panic(noTiles) }

func runPairRows(unsafe.Pointer) { panic(noTiles) }
