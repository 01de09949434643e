package tensor_test

import (
	"testing"

	"cresset/tensor"
)

// TestGradientsMayBeReadAfterTheyWereGiven backs through ops whose gradient functions go on with what they gave, where
// another gradient waits at the input and what is given is added to it at once.
func TestGradientsMayBeReadAfterTheyWereGiven(t *testing.T) {
	a, b := leafOf(1, 2), leafOf(3, 5)
	tensor.MSELoss(a, b, tensor.SumReduction).Add(a.Mul(a).Sum()).Backward()
	wantValues(t, "gradient of a", a.Grad(), -2, -2)
	wantValues(t, "gradient of b", b.Grad(), 4, 6)

	w := leafOf(4, 5)
	w.DivTrunc(w).Add(w).Add(w.MulScalar(2)).Sum().Backward()
	wantValues(t, "gradient of w", w.Grad(), 3, 3)
}
