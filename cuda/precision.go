package cuda

import (
	"fmt"

	"cresset/internal/backend/cuda"
)

// SetFloat32Precision says how GPUs multiply matrices of float32, and convolve, as torch.set_float32_matmul_precision does: "highest" keeps all bits
// and is what holds at first; "high" lets GPUs of compute capability 8.0 and later round the operands to TF32, 11 bits, which their
// tensor cores multiply much faster.
func SetFloat32Precision(precision string) error {
	if precision != "highest" && precision != "high" {
		return fmt.Errorf("cuda: invalid precision of float32 %q: highest or high", precision)
	}
	cuda.SetProductRounding(precision == "high")
	return nil
}

// Float32Precision returns what SetFloat32Precision has set.
func Float32Precision() string {
	if cuda.ProductRounding() {
		return "high"
	}
	return "highest"
}
