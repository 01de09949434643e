package cpu

import (
	"cresset/dtype"
	"cresset/internal/kern"
	"cresset/internal/op"
)

func (t *table) addSelection() {
	loops := [4]loop{where[uint8], where[int16], where[int32], where[int64]}
	for dt := dtype.Bool; dt < dtype.Count; dt++ {
		t[op.Where][dt] = kernelOf(loops[sizeClass(dt)], dt, dtype.Bool, dt, dt).run
	}
}

// where is of elements of a size, whatever they are.
func where[T dtype.Element](dst, condition, a, b, _ pointer, n int, _ any) {
	kern.Where(elements[T](dst, n), elements[bool](condition, n), elements[T](a, n), elements[T](b, n))
}
