package cuda

import (
	"testing"

	"cresset/internal/backend/cuda/kernels"
)

func TestEveryKernelOfTheTableExists(t *testing.T) {
	for _, name := range kernelNames {
		if _, ok := kernels.ModuleOf(name); !ok {
			t.Errorf("no module has %s: run make ptx", name)
		}
	}
	if len(kernelNames) > maxKernels {
		t.Errorf("%d kernels, room for %d", len(kernelNames), maxKernels)
	}
}

func TestEveryKernelIsUsed(t *testing.T) {
	used := map[string]bool{}
	for _, name := range kernelNames {
		used[name] = true
	}
	for _, m := range kernels.Modules() {
		for _, name := range m.Kernels {
			if !used[name] && name != "pick_b8" { // bools are picked by nobody
				t.Errorf("%s: nobody launches %s", m.Name, name)
			}
		}
	}
}
