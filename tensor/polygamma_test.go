package tensor_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"cresset/dtype"
	"cresset/tensor"
)

// The values are PyTorch 2.15's of float64.
func TestPolygammaOfHigherOrder(t *testing.T) {
	in := []float64{0.3, 1.7, 12.5, -0.7, -2.4, 0, -1}
	inf := math.Inf(1)
	for n, want := range map[int][]float64{
		2: {-75.27253658872601, -0.6040890841034592, -0.006932436585788242, -69.44163279863852, 22.160707362543423, -inf, -inf},
		3: {743.1417646550497, 0.8895620066243167, 0.0011534128049134052, 768.1313523268523, 283.52473518224116, inf, inf},
		6: {-3292298.132908372, -18.330554984096477, -3.970634713243468e-05, -3283555.420020274, 413774.99935034185, -inf, -inf},
	} {
		got := tensor.Of(in).Polygamma(n)
		for i, v := range tensor.Values[float64](got) {
			if w := want[i]; v != w && math.Abs(v-w) > 1e-12*math.Abs(w) {
				t.Errorf("polygamma(%d, %v) is %v, want %v", n, in[i], v, w)
			}
		}
		half := tensor.Of(in).To(dtype.Float16)
		if got := half.Polygamma(n); got.DType() != dtype.Float16 {
			t.Errorf("polygamma(%d) of float16 is %v", n, got.DType())
		}
	}
}

func TestPolygammaRefusesNegativeOrder(t *testing.T) {
	err := tensor.Try(func() { tensor.Of([]float64{1}).Polygamma(-1) })
	if !errors.Is(err, tensor.ErrValue) || !strings.Contains(err.Error(), "polygamma(n, x) does not support negative n.") {
		t.Errorf("polygamma(-1) says %v", err)
	}
}
