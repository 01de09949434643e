// Package vec holds the CPU's vector loops: assembly for AVX-512, for AVX2 with FMA, and for NEON, which the program
// internal/kgen writes from the descriptions in internal/kgen/recipe.
//
// A loop computes the first elements of its slices, on most machines all of them, and returns how many; package kern, which has
// the same loop in Go, computes the rest. Where there is no assembly, the rest is everything. The bits are those of the loop in
// Go, but for the payload of a NaN that arithmetic makes.
package vec

import "unsafe"

// A Loop names a vector loop for float32. Loops for other types, where there are any, have the numbers that follow.
type Loop uint16

const (
	// Loop + Float64 is the loop for float64, and so on.
	Float64, Int32, Int64, Uint8 = 1, 2, 3, 4

	// Loop + Right is the loop of a binary operation whose second operand is a scalar, and Loop + Left that whose first is.
	Right, Left = 5, 10

	operands = 5         // slices that a loop has at most
	most     = 64 * 1024 // elements of one call: Go cannot preempt a goroutine inside assembly
	few      = 8         // elements that Go adds or multiplies in less time than a call of assembly takes
)

// Unary runs the loop l over dst and a and returns how many elements it computed. The loop's scalars follow in order.
func Unary[D, A any](l Loop, dst []D, a []A, scalars ...A) int {
	l, ok := of[A](l)
	if !ok || len(dst) == 0 {
		return 0
	}
	n, a := len(dst), a[:len(dst)]
	p := [operands]unsafe.Pointer{pointer(dst, 0), pointer(a, 0)}
	if n <= most {
		return run(l, n, pointer(scalars, 0), &p)
	}
	return long(l, n, pointer(scalars, 0), p, [operands]int{size[D](), size[A]()})
}

// Binary runs the loop l over dst, a and b, as Unary does. Of a few elements it leaves arithmetic to Go.
func Binary[D, A, B any](l Loop, dst []D, a []A, b []B, scalars ...B) int {
	if len(dst) < few && l <= Div {
		return 0
	}
	l, ok := of[B](l)
	if !ok || len(dst) == 0 {
		return 0
	}
	n, a, b := len(dst), a[:len(dst)], b[:len(dst)]
	p := [operands]unsafe.Pointer{pointer(dst, 0), pointer(a, 0), pointer(b, 0)}
	if n <= most {
		return run(l, n, pointer(scalars, 0), &p)
	}
	return long(l, n, pointer(scalars, 0), p, [operands]int{size[D](), size[A](), size[B]()})
}

// Halves runs the loop l over operands of its half type, as Binary does.
func Halves[T ~uint16](l Loop, dst, a, b []T, scalars ...float32) int {
	if len(dst) < few {
		return 0
	}
	n, a, b := len(dst), a[:len(dst)], b[:len(dst)]
	p := [operands]unsafe.Pointer{pointer(dst, 0), pointer(a, 0), pointer(b, 0)}
	if n <= most {
		return run(l, n, pointer(scalars, 0), &p)
	}
	return long(l, n, pointer(scalars, 0), p, [operands]int{size[T](), size[T](), size[T]()})
}

// Half runs the loop l over operands of its half type, as Unary does.
func Half[T ~uint16](l Loop, dst, a []T, scalars ...float32) int {
	if len(dst) == 0 {
		return 0
	}
	n, a := len(dst), a[:len(dst)]
	p := [operands]unsafe.Pointer{pointer(dst, 0), pointer(a, 0)}
	if n <= most {
		return run(l, n, pointer(scalars, 0), &p)
	}
	return long(l, n, pointer(scalars, 0), p, [operands]int{size[T](), size[T]()})
}

// Ternary runs the loop l over dst, a, b and c, as Unary does.
func Ternary[D, A, B, C any](l Loop, dst []D, a []A, b []B, c []C, scalars ...C) int {
	l, ok := of[C](l)
	if !ok || len(dst) == 0 {
		return 0
	}
	n, a, b, c := len(dst), a[:len(dst)], b[:len(dst)], c[:len(dst)]
	p := [operands]unsafe.Pointer{pointer(dst, 0), pointer(a, 0), pointer(b, 0), pointer(c, 0)}
	if n <= most {
		return run(l, n, pointer(scalars, 0), &p)
	}
	return long(l, n, pointer(scalars, 0), p, [operands]int{size[D](), size[A](), size[B](), size[C]()})
}

// Update runs the loop l over operands of one type, those that it updates first, as Unary does.
func Update[T any](l Loop, x [][]T, scalars ...T) int {
	l, ok := of[T](l)
	n := len(x[0])
	if !ok || n == 0 {
		return 0
	}
	var p [operands]unsafe.Pointer
	var sizes [operands]int
	for k := range x {
		p[k], sizes[k] = pointer(x[k][:n], 0), size[T]()
	}
	if n <= most {
		return run(l, n, pointer(scalars, 0), &p)
	}
	return long(l, n, pointer(scalars, 0), p, sizes)
}

// Cast runs the loop l, which reads elements of one type and writes those of another, over n of them and returns how
// many it computed.
func Cast(l Loop, dst, src unsafe.Pointer, dstBytes, srcBytes, n int) int {
	p := [operands]unsafe.Pointer{dst, src}
	if n == 0 {
		return 0
	}
	if n <= most {
		return run(l, n, nil, &p)
	}
	return long(l, n, nil, p, [operands]int{dstBytes, srcBytes})
}

// Missed, where it is not nil, is told of each loop that the current level has no assembly for, those over rows by their
// number alone. It is for tests, which so find the loops that none of them runs: no loop may be running when it is set.
var Missed func(l Loop, overRows bool)

func missed(l Loop, overRows bool) {
	if Missed != nil {
		Missed(l, overRows)
	}
}

// pointer returns the address of element i, which a loop then reads or writes up to the slice's end.
func pointer[T any](s []T, i int) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(s[i:]))
}

func size[T any]() int { return int(unsafe.Sizeof(*new(T))) }

// of returns the loop for elements of type T, if it is a type that vector loops compute with.
func of[T any](l Loop) (Loop, bool) {
	var zero T
	switch any(zero).(type) {
	case float32:
		return l, true
	case float64:
		return l + Float64, true
	case int32:
		return l + Int32, true
	case int64:
		return l + Int64, true
	case uint8:
		return l + Uint8, true
	}
	return l, false
}
