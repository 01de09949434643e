package tensor

import (
	"testing"
)

func TestFirst(t *testing.T) {
	x := FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	w := FromSlice([]float32{1, 2, 3, -1, -2, 3}, 3, 2).SetRequiresGrad(true)
	bias := FromSlice([]float32{0.5, -30}, 2).SetRequiresGrad(true)
	y := bias.AddMM(x, w).ReLU().MulScalar(2)
	t.Log(Values[float32](y), y.GradFn())
	y.Sum().Backward()
	t.Log(Values[float32](w.Grad()), Values[float32](bias.Grad()))
	t.Log(Values[float32](x.Add(FromSlice([]float32{10, 20}, 2, 1))), x.T().Contiguous().Shape(), Values[float64](x.T()))
	t.Log(Values[float32](x.SumAxes([]int{0}, false)), Values[float32](x.T().SumAxes([]int{0}, true)))
	t.Log(Values[float32](x.Half().MulScalar(1.1).Float()))
	t.Log(Values[float32](x.ReLU()))
	err := Try(func() { x.MM(x) })
	t.Log(err, err.(*Error).Hint())
}

func BenchmarkAdd4(b *testing.B) {
	x := FromSlice([]float32{1, 2, 3, 4})
	b.ReportAllocs()
	for b.Loop() {
		x.Add(x)
	}
}
func BenchmarkAdd4Grad(b *testing.B) {
	x := FromSlice([]float32{1, 2, 3, 4})
	y := FromSlice([]float32{1, 2, 3, 4}).SetRequiresGrad(true)
	b.ReportAllocs()
	for b.Loop() {
		x.Add(y)
	}
}
func BenchmarkBackward4(b *testing.B) {
	x := FromSlice([]float32{1, 2, 3, 4})
	y := FromSlice([]float32{1, 2, 3, 4}).SetRequiresGrad(true)
	b.ReportAllocs()
	for b.Loop() {
		x.Mul(y).Sum().Backward()
	}
}
