package kern

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"cresset/dtype"
	"cresset/internal/kern/guarded"
	"cresset/internal/kern/vec"
	"cresset/internal/op"
)

// Each target reads bytes as the sizes, the places and the elements of operands, and compares every level with the
// loop in Go or with the definition.

// onEveryLevel runs f with every level of this machine.
func onEveryLevel(f func()) {
	defer vec.Use(vec.Current())
	for _, level := range vec.Available() {
		vec.Use(level)
		f()
	}
}

// parts are the bytes as so many slices of numbers, each of the same length.
func parts[T dtype.Number](data []byte, count int) [][]T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	n := len(data) / size / count
	all := make([][]T, count)
	for k := range all {
		all[k] = make([]T, n)
		for i := range all[k] {
			at := (i*count + k) * size
			switch p := any(&all[k][i]).(type) {
			case *float32:
				*p = math.Float32frombits(binary.LittleEndian.Uint32(data[at:]))
			case *float64:
				*p = math.Float64frombits(binary.LittleEndian.Uint64(data[at:]))
			case *int32:
				*p = int32(binary.LittleEndian.Uint32(data[at:]))
			case *int64:
				*p = int64(binary.LittleEndian.Uint64(data[at:]))
			}
		}
	}
	return all
}

// seeds are bytes of special numbers, of one size and the other.
func seeds(f *testing.F, add func(data []byte)) {
	var single, double []byte
	for _, x := range numbers(30) {
		single = binary.LittleEndian.AppendUint32(single, math.Float32bits(x))
		double = binary.LittleEndian.AppendUint64(double, math.Float64bits(float64(x)))
	}
	add(single)
	add(double)
}

// FuzzVectorLoops compares every loop, those of rows too, with its reference.
func FuzzVectorLoops(f *testing.F) {
	seeds(f, func(data []byte) {
		f.Add(data, uint8(0), false, uint8(0))
		f.Add(data, uint8(0), true, uint8(1))
	})
	f.Fuzz(func(t *testing.T, data []byte, pick uint8, double bool, offset uint8) {
		if double {
			fuzzLoop(t, vectorLoops[float64](), data, int(pick), int(offset))
			return
		}
		fuzzLoop(t, append(vectorLoops[float32](), vectorLoopsF32()...), data, int(pick), int(offset))
	})
}

// FuzzIntegerLoops compares every loop of integers with its reference.
func FuzzIntegerLoops(f *testing.F) {
	seeds(f, func(data []byte) {
		f.Add(data, uint8(0), false, uint8(0))
		f.Add(data, uint8(0), true, uint8(1))
	})
	f.Fuzz(func(t *testing.T, data []byte, pick uint8, long bool, offset uint8) {
		if long {
			fuzzLoop(t, integerLoops[int64](), data, int(pick), int(offset))
			return
		}
		fuzzLoop(t, integerLoops[int32](), data, int(pick), int(offset))
	})
}

func fuzzLoop[T dtype.Number](t *testing.T, loops []vectorLoop[T], data []byte, pick, offset int) {
	l, x := loops[pick%len(loops)], parts[T](data, 3)
	n, at := len(x[0]), offset%16
	want := make([]T, n)
	withoutAsm(func() { l.run(want, x[0], x[1], x[2]) })
	for k := range x {
		x[k] = guarded.Copy(t, append(make([]T, at), x[k]...), true)[at:]
	}
	got := guarded.Slice[T](t, n, offset >= 128)
	onEveryLevel(func() {
		clear(got)
		l.run(got, x[0], x[1], x[2])
		for i := range got {
			if !sameBits(got[i], want[i]) {
				t.Fatalf("%s, %v, element %d of %d: %v, %v, %v: got %v, want %v", l.name, vec.Current(), i, n, x[0][i], x[1][i], x[2][i], got[i], want[i])
			}
		}
	})
}

// FuzzMatrices compares functions of many rows or columns with themselves in Go. Elements come from a seed: bytes of the
// input would be minimized, for up to a minute each time one of them reaches new code.
func FuzzMatrices(f *testing.F) {
	f.Add(uint8(0), false, uint8(3), uint8(17), uint64(1))
	f.Add(uint8(1), true, uint8(4), uint8(64), uint64(2))
	for pick := range matrixFuncs[float32]() {
		f.Add(uint8(pick), false, uint8(0), uint8(0), uint64(pick)) // a row without elements
	}
	f.Fuzz(func(t *testing.T, pick uint8, double bool, rows, n uint8, seed uint64) {
		if double {
			fuzzMatrix[float64](t, int(pick), 1+int(rows)%20, int(n)%70, seed)
			return
		}
		fuzzMatrix[float32](t, int(pick), 1+int(rows)%20, int(n)%70, seed)
	})
}

func fuzzMatrix[T dtype.Float](t *testing.T, pick, rows, n int, seed uint64) {
	funcs := matrixFuncs[T]()
	f, rng, draw := funcs[pick%len(funcs)], rand.New(rand.NewPCG(seed, 23)), values[T]
	if seed%2 == 0 {
		draw = finite[T] // special values hide others in a row
	}
	x, w, v := draw(rng, rows*n), draw(rng, rows*n), draw(rng, n)
	var want [3][]T
	withoutAsm(func() {
		want = [3][]T{make([]T, rows*n), make([]T, rows+n+1), make([]T, rows+n+1)}
		f.run(rows, n, x, w, v, want[0], want[1], want[2])
	})
	atEnd := seed%4 < 2
	gx, gw, gv := guarded.Copy(t, x, atEnd), guarded.Copy(t, w, atEnd), guarded.Copy(t, v, atEnd)
	got := [3][]T{guarded.Slice[T](t, rows*n, atEnd), guarded.Slice[T](t, rows+n+1, atEnd), guarded.Slice[T](t, rows+n+1, atEnd)}
	onEveryLevel(func() {
		for _, y := range got {
			clear(y)
		}
		f.run(rows, n, gx, gw, gv, got[0], got[1], got[2])
		for k := range got {
			if !slices.EqualFunc(got[k], want[k], sameBits[T]) {
				t.Fatalf("%s, %v, %d × %d of %v, %v: result %d is %v, want %v", f.name, vec.Current(), rows, n, x, w, k, got[k], want[k])
			}
		}
	})
}

// FuzzCasts compares casts with those in Go.
func FuzzCasts(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data, uint8(0), false) })
	f.Fuzz(func(t *testing.T, data []byte, pick uint8, atEnd bool) {
		types := slices.SortedFunc(func(yield func([2]dtype.DType) bool) {
			for pair := range castLoops {
				if !yield(pair) {
					return
				}
			}
		}, func(a, b [2]dtype.DType) int { return slices.Compare(a[:], b[:]) })
		to, from := types[int(pick)%len(types)][0], types[int(pick)%len(types)][1]
		n := len(data) / from.Size()
		src := guarded.Copy(t, data[:n*from.Size()], atEnd)
		if from == dtype.Bool {
			for i := range src {
				src[i] &= 1
			}
		}
		cast := func() []byte {
			dst := guarded.Slice[uint8](t, n*to.Size(), atEnd)
			Cast(to, from)(unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), n)
			return dst
		}
		var want []byte
		withoutAsm(func() { want = cast() })
		onEveryLevel(func() { checkCast(t, to, cast(), want, n) })
	})
}

// FuzzTranspose turns matrices of every kind of element.
func FuzzTranspose(f *testing.F) {
	f.Add(uint8(16), uint8(33), uint8(1), true)
	f.Fuzz(func(t *testing.T, rows, cols, extra uint8, atEnd bool) {
		onEveryLevel(func() { checkTransposes(t, 1+int(rows), 1+int(cols), int(extra)%20, atEnd) })
	})
}

// FuzzGemm holds products to their forward error. Rows and columns go beyond two tiles of any level, and k beyond a block of
// it, but not all at once: products of at most fuzzProducts multiplications keep the target fast.
func FuzzGemm(f *testing.F) {
	f.Add(uint8(3), uint8(33), uint16(70), uint8(4), uint8(0), uint64(1))
	f.Add(uint8(29), uint8(65), uint16(9), uint8(9), uint8(3), uint64(2))
	f.Add(uint8(1), uint8(2), uint16(1100), uint8(5), uint8(1), uint64(3))
	f.Fuzz(func(t *testing.T, m, n uint8, k uint16, layout, kind uint8, seed uint64) {
		rows, cols := int(m)%30+1, int(n)%70+1
		steps := int(k) % min(1100, max(4, fuzzProducts/(rows*cols)))
		la, lb := int(layout)%len(layouts), int(layout)/len(layouts)%len(layouts)
		onEveryLevel(func() {
			rnd := rand.New(rand.NewPCG(seed, 17))
			if seed%2 == 0 {
				fuzzProduct[float32](t, rnd, rows, cols, steps, la, lb, int(kind))
				return
			}
			fuzzProduct[float64](t, rnd, rows, cols, steps, la, lb, int(kind))
		})
	})
}

const fuzzProducts = 6000

// fuzzProduct multiplies with a bias, adds to C with factors, or multiplies a batch; kind says which, and how far apart the
// rows of C are.
func fuzzProduct[T dtype.Float](t *testing.T, rnd *rand.Rand, m, n, k, la, lb, kind int) {
	t.Helper()
	a, b := randomMatrix[T](rnd, m, k, la), randomMatrix[T](rnd, k, n, lb)
	ldc := n + kind/3%4
	c := fill(rnd, make([]T, (m-1)*ldc+n))
	got := guarded.Copy(t, c, kind%2 == 0)
	a.Data, b.Data = guarded.Copy(t, a.Data, kind%2 == 0), guarded.Copy(t, b.Data, kind%2 == 0)
	switch kind % 3 {
	case 0:
		bias := fill(rnd, make([]T, n))
		for i := range m {
			copy(c[i*ldc:], bias)
		}
		GemmBias(m, n, k, a, b, bias, 0, op.Invalid, got, ldc)
		checkGemm(t, m, n, k, 1, a, b, 1, c, got, ldc)
	case 1:
		Gemm(m, n, k, -0.5, a, b, 2, got, ldc)
		checkGemm(t, m, n, k, -0.5, a, b, 2, c, got, ldc)
	default:
		const count = 3
		all := guarded.Slice[T](t, count*len(c), true)
		GemmBatch(count, m, n, k, 1, a, 0, b, 0, 0, all, len(c), ldc)
		for i := range count {
			checkGemm(t, m, n, k, 1, a, b, 0, c, all[i*len(c):], ldc)
		}
	}
}

// FuzzPool compares pools of every form with those in Go.
func FuzzPool(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data, uint64(1), true) })
	f.Fuzz(func(t *testing.T, data []byte, shape uint64, atEnd bool) {
		take := func(most int) int { // a number below most
			v := int(shape % uint64(most))
			shape /= uint64(most)
			return v
		}
		s := PoolShape{Planes: take(3), R: 1 + take(4), S: 1 + take(5), StrideH: 1 + take(3), StrideW: 1 + take(3), DilationH: 1 + take(2), DilationW: 1 + take(2)}
		s.PadH, s.PadW = take(s.R/2+1), take(s.S/2+1)
		s.H, s.W = (s.R-1)*s.DilationH+1+take(4), (s.S-1)*s.DilationW+1+take(20)
		if take(2) == 0 {
			fuzzPool[float32](t, s.withOutput(), data, atEnd)
		} else {
			fuzzPool[float64](t, s.withOutput(), data, atEnd)
		}
	})
}

func fuzzPool[T dtype.Float](t *testing.T, s *PoolShape, data []byte, atEnd bool) {
	x, from := make([]T, s.Planes*s.H*s.W), parts[T](data, 1)[0]
	for i := range x {
		if len(from) > 0 {
			x[i] = from[i%len(from)]
		}
	}
	onEveryLevel(func() { checkPool(t, s, x, atEnd) })
}

// FuzzConv2D compares convolutions of every form, and their gradients, with their definition.
func FuzzConv2D(f *testing.F) {
	f.Add(uint64(0))
	f.Add(uint64(0x9e3779b97f4a7c15))
	f.Fuzz(func(t *testing.T, shape uint64) {
		take := func(most int) int { // a number below most
			v := int(shape % uint64(most))
			shape /= uint64(most)
			return v
		}
		s := ConvShape{
			R: 1 + take(5), S: 1 + take(5), StrideH: 1 + take(3), StrideW: 1 + take(4), PadH: take(4), PadW: take(5), DilationH: 1 + take(3), DilationW: 1 + take(3),
			Groups: 1 + take(3), H: 1 + take(12), W: 1 + take(50), N: take(3),
		}
		s.C, s.K = s.Groups*(1+take(5)), s.Groups*(1+take(18))
		s.H, s.W = max(s.H, s.DilationH*(s.R-1)+1), max(s.W, s.DilationW*(s.S-1)+1)
		single, double := newConvCase[float32](s.withOutput()), newConvCase[float64](s.withOutput())
		onEveryLevel(func() {
			single.check(t)
			double.check(t)
		})
	})
}
