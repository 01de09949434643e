package kern

import (
	"math/rand/v2"
	"testing"
)

func TestLogicalLengths(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for n := range 40 {
		a, b, got := make([]bool, n), make([]bool, n), make([]bool, n+1)
		for i := range n {
			a[i], b[i] = rng.IntN(2) == 0, rng.IntN(2) == 0
		}
		for _, op := range []struct {
			name string
			run  func(dst, a, b []bool)
			want func(x, y bool) bool
		}{
			{"or", Or, func(x, y bool) bool { return x || y }},
			{"and", And, func(x, y bool) bool { return x && y }},
			{"xor", Xor, func(x, y bool) bool { return x != y }},
			{"not", func(dst, a, _ []bool) { Not(dst, a) }, func(x, _ bool) bool { return !x }},
		} {
			op.run(got[:n], a, b)
			for i := range n {
				if want := op.want(a[i], b[i]); got[i] != want {
					t.Fatalf("%s of %d elements, element %d of %v, %v: got %v, want %v", op.name, n, i, a[i], b[i], got[i], want)
				}
			}
			if got[n] {
				t.Fatalf("%s of %d elements wrote behind them", op.name, n)
			}
		}
	}
}

func TestBitwiseLengths(t *testing.T) {
	t.Run("int16", checkBitwise[int16])
	t.Run("int64", checkBitwise[int64])
}

func checkBitwise[T int16 | int64](t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	for n := range 40 {
		a, b, got := make([]T, n), make([]T, n), make([]T, n)
		for i := range n {
			a[i], b[i] = T(rng.Uint64()), T(rng.Uint64())
		}
		for _, op := range []struct {
			name string
			run  func(dst, a, b []T)
			want func(x, y T) T
		}{
			{"or", BitwiseOr[T], func(x, y T) T { return x | y }},
			{"and", BitwiseAnd[T], func(x, y T) T { return x & y }},
			{"xor", BitwiseXor[T], func(x, y T) T { return x ^ y }},
			{"not", func(dst, a, _ []T) { BitwiseNot(dst, a) }, func(x, _ T) T { return ^x }},
		} {
			op.run(got, a, b)
			for i := range n {
				if want := op.want(a[i], b[i]); got[i] != want {
					t.Fatalf("%s of %d elements, element %d of %v, %v: got %v, want %v", op.name, n, i, a[i], b[i], got[i], want)
				}
			}
		}
	}
}

func BenchmarkOr(b *testing.B) {
	x, y := make([]bool, 4096), make([]bool, 4096)
	b.SetBytes(int64(len(x)))
	for b.Loop() {
		Or(x, x, y)
	}
}
