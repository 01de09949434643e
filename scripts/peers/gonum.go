package main

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// gonum returns what gonum can do: its BLAS in float32, which writes where it is told to, and its matrices, which make new
// results but hold float64 alone, for the small ops. Sums of vectors go into new memory, as cresset's do; what is little
// beside the work, as memory for a product is, stays.
func gonum() map[string]func() func() {
	w := map[string]func() func(){}
	product := func(name string, m, k, n int) {
		w[name] = func() func() {
			a, b, c := general(m, k), general(k, n), general(m, n)
			return func() { blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, a, b, 0, c) }
		}
	}
	for _, n := range []int{128, 256, 512, 1024, 2048} {
		product(fmt.Sprint("mm/", n), n, n, n)
	}
	for _, batch := range []int{1, 8, 32, 64} {
		product(fmt.Sprintf("mm/%dx784x256", batch), batch, 784, 256)
	}
	for size, n := range map[string]int{"1e3": 1e3, "1e5": 1e5, "1e7": 1e7} {
		w["add/"+size] = func() func() {
			x, y := vector(n), vector(n)
			return func() {
				z := blas32.Vector{N: n, Data: make([]float32, n), Inc: 1}
				blas32.Copy(x, z)
				blas32.Axpy(1, y, z)
			}
		}
	}
	for _, s := range [][2]int{{128, 128}, {4096, 1024}} {
		sums := func(t blas.Transpose, from, to int) func() func() {
			return func() func() {
				x, ones, y := general(s[0], s[1]), vector(from), vector(to)
				for i := range ones.Data {
					ones.Data[i] = 1
				}
				return func() { blas32.Gemv(t, 1, x, ones, 0, y) }
			}
		}
		w[fmt.Sprintf("sum_rows/%dx%d", s[0], s[1])] = sums(blas.NoTrans, s[1], s[0])
		w[fmt.Sprintf("sum_columns/%dx%d", s[0], s[1])] = sums(blas.Trans, s[0], s[1])
	}
	w["small/add"] = func() func() {
		x, y := mat.NewDense(1, 4, make([]float64, 4)), mat.NewDense(1, 4, make([]float64, 4))
		return func() {
			var z mat.Dense
			z.Add(x, y)
		}
	}
	return w
}

func vector(n int) blas32.Vector { return blas32.Vector{N: n, Data: random(n), Inc: 1} }

func general(m, n int) blas32.General {
	return blas32.General{Rows: m, Cols: n, Data: random(m * n), Stride: n}
}

func random(n int) []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, n)
	for i := range x {
		x[i] = r.Float32()
	}
	return x
}
