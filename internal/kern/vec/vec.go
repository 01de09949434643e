// Package vec holds the CPU's vector loops: assembly for AVX-512, for AVX2 with FMA, and for NEON, which the program
// internal/kgen writes from the descriptions in internal/kgen/recipe.
//
// A loop computes the first elements of its slices, on most machines all of them, and says how many; package kern, whose
// loop in Go stands behind every call, computes the rest. Where there is no assembly, the rest is everything. The bits
// are those of the loop in Go, but for the payload of a NaN that arithmetic makes.
package vec

import "unsafe"

// A Loop names a vector loop. That of float64, where there is one, has the number behind that of float32.
type Loop uint16

const (
	// Float64 behind a loop is the loop for float64.
	Float64 = 1

	// Right behind the loop of an operation on two operands is the loop that takes the second as a scalar, the same for all
	// elements, and Left the one that takes the first so.
	Right, Left = 2, 4

	operands = 4         // slices that a loop has at most
	most     = 64 * 1024 // elements of one call: Go cannot stop a goroutine inside assembly
)

// Unary runs the loop l over dst and a and returns how many elements it computed. The loop's scalars follow in order.
func Unary[D, A any](l Loop, dst []D, a []A, scalars ...A) int {
	l, ok := of[A](l)
	if !ok {
		return 0
	}
	a = a[:len(dst)]
	done := 0
	for done < len(dst) {
		n := min(len(dst)-done, most)
		did := run(l, n, pointer(scalars, 0), [operands]unsafe.Pointer{pointer(dst, done), pointer(a, done)})
		done += did
		if did < n {
			break
		}
	}
	return done
}

// Binary runs the loop l over dst, a and b, as Unary does.
func Binary[D, A, B any](l Loop, dst []D, a []A, b []B, scalars ...B) int {
	l, ok := of[B](l)
	if !ok {
		return 0
	}
	a, b = a[:len(dst)], b[:len(dst)]
	done := 0
	for done < len(dst) {
		n := min(len(dst)-done, most)
		did := run(l, n, pointer(scalars, 0),
			[operands]unsafe.Pointer{pointer(dst, done), pointer(a, done), pointer(b, done)})
		done += did
		if did < n {
			break
		}
	}
	return done
}

// Ternary runs the loop l over dst, a, b and c, as Unary does.
func Ternary[D, A, B, C any](l Loop, dst []D, a []A, b []B, c []C, scalars ...C) int {
	l, ok := of[C](l)
	if !ok {
		return 0
	}
	a, b, c = a[:len(dst)], b[:len(dst)], c[:len(dst)]
	done := 0
	for done < len(dst) {
		n := min(len(dst)-done, most)
		did := run(l, n, pointer(scalars, 0),
			[operands]unsafe.Pointer{pointer(dst, done), pointer(a, done), pointer(b, done), pointer(c, done)})
		done += did
		if did < n {
			break
		}
	}
	return done
}

// Cast runs the loop l, which reads elements of one type and writes those of another, over n of them and returns how
// many it computed.
func Cast(l Loop, dst, src unsafe.Pointer, dstBytes, srcBytes, n int) int {
	done := 0
	for done < n {
		m := min(n-done, most)
		// Both hold n elements of these sizes.
		did := run(l, m, nil, [operands]unsafe.Pointer{unsafe.Add(dst, done*dstBytes), unsafe.Add(src, done*srcBytes)})
		done += did
		if did < m {
			break
		}
	}
	return done
}

// pointer returns where element i lies, which a loop then reads or writes up to the slice's end.
func pointer[T any](s []T, i int) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(s[i:]))
}

// of returns the loop for elements of type T, if it is a type that vector loops compute with.
func of[T any](l Loop) (Loop, bool) {
	var zero T
	switch any(zero).(type) {
	case float32:
		return l, true
	case float64:
		return l + Float64, true
	}
	return l, false
}
