// Package lanes writes the loops of the interpreter of PTX over the 32 lanes of a warp in Go's assembly language, for AVX2 with FMA.
//
// A loop has no loop: a register of 32-bit lanes is four vectors, one of 64-bit lanes eight, and its instructions stand one after the other.
package lanes

import (
	"fmt"

	"cresset/internal/kgen/asm"
)

const (
	bytes  = 32 // of a vector
	narrow = 4  // bytes of a lane of 32 bits
	wide   = 8
)

// vectors is how many a register has whose lanes are of some bytes.
func vectors(lane int) int { return 32 * lane / bytes }

// registers is the Go type of one.
func registers(lane int) string { return fmt.Sprintf("*lanes%d", 8*lane) }

// Files returns the files of package ptx that hold the loops and their declarations, by their names.
func Files() map[string][]byte {
	f := &asm.File{}
	computations(f)
	conversions(f)
	comparisons(f)
	choices(f)
	addresses(f)
	moves(f)
	products(f)
	return map[string][]byte{
		"lanes_amd64.s":      f.Assembly(),
		"lanes_amd64_gen.go": asm.Declarations("ptx", "amd64", f),
	}
}

// A writer writes one loop.
type writer struct{ *asm.Func }

// loop begins a function and loads its parameters into the registers that follow each.
func loop(f *asm.File, name, doc string, params []asm.Param, into ...string) writer {
	w := writer{f.Func(name+"AVX2", doc, params...)}
	for n, register := range into {
		w.Op("MOVQ", w.Arg(params[n].Name), register)
	}
	return w
}

func (w writer) end() {
	w.Op("VZEROUPPER")
	w.Op("RET")
}

// at is the n-th vector of a register of lanes.
func at(register string, n int) string { return fmt.Sprintf("%d(%s)", n*bytes, register) }

func constant(n int) string { return fmt.Sprintf("$%d", n) }

// half is the n-th half of a vector.
func half(register string, n int) string { return fmt.Sprintf("%d(%s)", n*bytes/2, register) }

// params are parameters of one type.
func params(kind string, names ...string) (all []asm.Param) {
	for _, name := range names {
		all = append(all, asm.Param{Name: name, Type: kind})
	}
	return all
}

// repeated is the address of a constant: a vector of one number.
func repeated(f *asm.File, lane int, low, high uint32) string {
	var words []uint32
	for range bytes / lane {
		words = append(words, low)
		if lane == wide {
			words = append(words, high)
		}
	}
	return f.Words(words...)
}
