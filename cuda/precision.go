package cuda

import (
	"fmt"

	"cresset/internal/backend/cuda"
)

// SetFloat32Precision says how GPUs alone multiply matrices of float32, and convolve, as torch.backends.cuda.matmul.fp32_precision does;
// tensor.SetFloat32MatmulPrecision says it of all devices, and the later call holds. "highest" keeps all bits and is what holds at first; "high" lets GPUs of compute
// capability 8.0 and later round the operands to TF32, 11 bits, which their tensor cores multiply much faster.
func SetFloat32Precision(precision string) error {
	if precision != "highest" && precision != "high" {
		return fmt.Errorf("cuda: invalid precision of float32 %q: highest or high", precision)
	}
	cuda.SetProductRounding(precision == "high")
	return nil
}

// Float32Precision returns the precision of GPUs.
func Float32Precision() string {
	if cuda.ProductRounding() {
		return "high"
	}
	return "highest"
}
