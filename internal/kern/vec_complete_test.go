package kern

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/vec"
	"cresset/internal/kgen/recipe"
)

// TestEveryVectorLoopHasARow runs all rows in Go and finds loops of the generator's tables that none of them asks for.
func TestEveryVectorLoopHasARow(t *testing.T) {
	asked := map[bool]map[vec.Loop]bool{false: {}, true: {}}
	withoutAsm(func() {
		vec.Missed = func(l vec.Loop, overRows bool) { asked[overRows][l] = true }
		defer func() { vec.Missed = nil }()
		runLoops(vectorLoops[float32]())
		runLoops(vectorLoops[float64]())
		runLoops(vectorLoopsF32())
		runLoops(integerLoops[int32]())
		runLoops(integerLoops[int64]())
		runLoops(integerLoops[uint8]())
		for _, l := range halfLoops() {
			l.run(make([]uint16, 40), make([]uint16, 40), make([]uint16, 40))
		}
		for types := range castLoops {
			src, dst := make([]byte, 40*types[1].Size()), make([]byte, 40*types[0].Size())
			Cast(types[0], types[1])(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), 40)
		}
	})
	behind := map[recipe.Elem]vec.Loop{recipe.F64: vec.Float64, recipe.I32: vec.Int32, recipe.I64: vec.Int64, recipe.U8: vec.Uint8}
	for overRows, loops := range map[bool][]*recipe.Loop{false: recipe.Loops(), true: recipe.Rows()} {
		numbers := map[string]vec.Loop{}
		for _, l := range loops {
			if _, ok := numbers[l.Name]; !ok {
				numbers[l.Name] = vec.Right * vec.Loop(len(numbers))
			}
			for _, elem := range l.Elems {
				number := numbers[l.Name] + behind[elem]
				if !asked[overRows][number] {
					t.Errorf("%s of %v has no row in vec_loops_test.go or vec_rows_test.go", l.Name, elem)
				}
			}
		}
	}
}

func runLoops[T dtype.Number](loops []vectorLoop[T]) {
	const n = 200
	rng := rand.New(rand.NewPCG(31, 32))
	dst, a, b, c := make([]T, n), values[T](rng, n), values[T](rng, n), values[T](rng, n)
	for _, l := range loops {
		l.run(dst, a, b, c)
	}
}
