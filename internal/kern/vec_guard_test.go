//go:build unix

package kern

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"cresset/dtype"
)

// guarded returns n elements that end where a page begins, or begin where one ends, that must not be touched.
func guarded[T dtype.Element](t *testing.T, n int, atEnd bool) []T {
	t.Helper()
	page := unix.Getpagesize()
	var zero T
	bytes := n * int(unsafe.Sizeof(zero))
	inner := (bytes/page + 1) * page
	b, err := unix.Mmap(-1, 0, inner+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(b) }) // the process ends soon
	for _, guard := range [][]byte{b[:page], b[page+inner:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	first := page
	if atEnd {
		first += inner - bytes
	}
	// The pages hold n elements from first on, and first is a multiple of an element's size.
	return unsafe.Slice((*T)(unsafe.Pointer(&b[first])), n)
}

// TestVectorLoopsStayInside runs every loop on slices between pages that must not be touched; a touch ends the test.
func TestVectorLoopsStayInside(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, n := range []int{1, 3, 8, 15, 31, 64, 67} {
			for _, atEnd := range []bool{false, true} {
				stayInside(t, n, atEnd, vectorLoops[float32]())
				stayInside(t, n, atEnd, vectorLoops[float64]())
				stayInside(t, n, atEnd, vectorLoopsF32())
			}
		}
	})
}

func stayInside[T dtype.Float](t *testing.T, n int, atEnd bool, loops []vectorLoop[T]) {
	t.Run(fmt.Sprintf("%v/%d/%v", dtype.Of[T](), n, atEnd), func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, uint64(n)))
		var slices [4][]T
		for i := range slices {
			slices[i] = guarded[T](t, n, atEnd)
			copy(slices[i], values[T](rng, n))
		}
		for _, l := range loops {
			l.run(slices[0], slices[1], slices[2], slices[3])
		}
	})
}
