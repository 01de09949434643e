package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"cresset/internal/hardware"
	"cresset/internal/tenants"
)

// BenchmarkSMI starts the command as it is built, from nothing to the table of eight simulated GPUs.
func BenchmarkSMI(b *testing.B) {
	program := filepath.Join(b.TempDir(), "cresset")
	build := exec.Command("go", "build", "-o", program, "cresset/cmd/cresset")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	b.Setenv(hardware.Variable, "h100:8")
	b.Setenv(tenants.Variable, b.TempDir())
	for b.Loop() {
		if out, err := exec.Command(program, "smi").CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
}
