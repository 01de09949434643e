package kern

import (
	"unsafe"

	"cresset/dtype"
)

const (
	detourPiece = 512 // elements that a cast by way of another type holds at a time
	detourLeast = 32  // elements that are worth the way
)

// addDetours lets casts between a half type and one that is not float32, where they have no vector loop, take two that have: a half
// becomes a float32 without loss, and what becomes a half is rounded to float32 first in any case.
func addDetours(table [dtype.Count][dtype.Count]CastFunc) [dtype.Count][dtype.Count]CastFunc {
	for _, half := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
		for other := range dtype.DType(dtype.Count) {
			if other == half || other == dtype.Float32 || table[half][other] == nil {
				continue
			}
			addDetour(&table, half, other, dtype.Float32)
			addDetour(&table, other, half, dtype.Float32)
		}
	}
	addDetour(&table, dtype.Uint8, dtype.Float64, dtype.Int32)
	addDetour(&table, dtype.Float64, dtype.Uint8, dtype.Int32)
	return table
}

func addDetour(table *[dtype.Count][dtype.Count]CastFunc, to, from, middle dtype.DType) {
	if _, ok := castLoops[[2]dtype.DType{to, from}]; !ok {
		table[to][from] = detour(table[middle][from], table[to][middle], table[to][from], to.Size(), from.Size())
	}
}

// detour is the cast by way of a type of four bytes, of few elements the direct one.
func detour(widen, narrow, direct CastFunc, to, from int) CastFunc {
	return func(dst, src unsafe.Pointer, n int) {
		if n < detourLeast {
			direct(dst, src, n)
			return
		}
		d := wideRooms.Get().(*wideRoom)
		defer wideRooms.Put(d)
		middle := unsafe.Pointer(&d[0])
		for done := 0; done < n; done += detourPiece {
			count := min(n-done, detourPiece)
			widen(middle, unsafe.Add(src, done*from), count) // inside, for done < n
			narrow(unsafe.Add(dst, done*to), middle, count)
		}
	}
}
