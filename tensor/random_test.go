package tensor

import "testing"

func TestRandPrintsPyTorchsNumbers(t *testing.T) {
	ManualSeed(0)
	if got, want := Rand(5).String(), "tensor([0.4963, 0.7682, 0.0885, 0.1320, 0.3074])"; got != want {
		t.Errorf("Rand(5) = %s, want %s", got, want)
	}
	ManualSeed(0)
	if got, want := Randn(3).String(), "tensor([ 1.5410, -0.2934, -2.1788])"; got != want {
		t.Errorf("Randn(3) = %s, want %s", got, want)
	}
	ManualSeed(0)
	if got, want := RandPerm(10).String(), "tensor([4, 1, 7, 5, 3, 9, 0, 8, 6, 2])"; got != want {
		t.Errorf("RandPerm(10) = %s, want %s", got, want)
	}
	ManualSeed(0)
	if got, want := RandInt(0, 10, 8).String(), "tensor([4, 9, 3, 0, 3, 9, 7, 3])"; got != want {
		t.Errorf("RandInt(0, 10, 8) = %s, want %s", got, want)
	}
}
