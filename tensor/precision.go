package tensor

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// precisions are what SetFloat32MatmulPrecision takes, by how much of an operand they keep.
var precisions = []string{"highest", "high", "medium"}

var precision atomic.Int32 // the place in precisions of what is set

// SetFloat32MatmulPrecision says how matrices of float32 are multiplied, as torch.set_float32_matmul_precision does: "highest" keeps all bits and is what holds at
// first. "high" lets GPUs of compute capability 8.0 and later round the operands to TF32, 11 bits. "medium" lets CPUs with AMX round them to bfloat16 as well, 8 bits,
// in products and linear layers of 32 rows and more; sums stay in float32. Where a device has nothing that is faster so, it keeps more bits.
func SetFloat32MatmulPrecision(p string) error {
	n := slices.Index(precisions, p)
	if n < 0 {
		return fmt.Errorf("tensor: invalid precision of float32 %q: highest, high or medium", p)
	}
	precision.Store(int32(n))
	for _, f := range backends {
		if f.round != nil {
			f.round(p)
		}
	}
	return nil
}

// Float32MatmulPrecision returns what SetFloat32MatmulPrecision has set.
func Float32MatmulPrecision() string { return precisions[precision.Load()] }
