package tensor_test

import (
	"testing"

	"cresset/tensor"
)

// BenchmarkMatMul1024 times a product of two float32 matrices; -cpu 1 gives the rate of one core.
func BenchmarkMatMul1024(b *testing.B) {
	x, y := tensor.Rand(1024, 1024), tensor.Rand(1024, 1024)
	for b.Loop() {
		x.MatMul(y).Release()
	}
	b.ReportMetric(2*1024*1024*1024*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
