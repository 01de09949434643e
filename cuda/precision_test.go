package cuda_test

import (
	"testing"

	"cresset/cuda"
)

func TestFloat32Precision(t *testing.T) {
	defer cuda.SetFloat32Precision(cuda.Float32Precision())
	for _, p := range []string{"high", "highest"} {
		if err := cuda.SetFloat32Precision(p); err != nil || cuda.Float32Precision() != p {
			t.Errorf("after %q: %q, %v", p, cuda.Float32Precision(), err)
		}
	}
	if err := cuda.SetFloat32Precision("medium"); err == nil || cuda.Float32Precision() != "highest" {
		t.Errorf("medium: %q, %v", cuda.Float32Precision(), err)
	}
}
