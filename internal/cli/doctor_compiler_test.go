package cli

import (
	"errors"
	"strings"
	"testing"

	backend "cresset/internal/backend/cuda"
	"cresset/internal/driver/sim"
	"cresset/internal/hardware"
)

// TestDoctorTellsOfAMissingCompiler: where the driver's compiler cannot be opened the doctor says so, and why.
func TestDoctorTellsOfAMissingCompiler(t *testing.T) {
	m, err := hardware.Preset("t4", 1)
	if err != nil {
		t.Fatal(err)
	}
	api := sim.New(m, sim.Options{LookupEnv: func(string) (string, bool) { return "", false }}).API
	api.JITCompiler = func() (string, error) {
		return "", errors.New("open /lib/libnvidia-ptxjitcompiler.so.1: no such file\nopen libnvidia-ptxjitcompiler.so.1: no such file")
	}
	defer backend.UseDriver(api)()
	d := diagnose()
	var text strings.Builder
	if err := d.print(&text); err != nil {
		t.Fatal(err)
	}
	const want = "\ncompiler the driver's compiler is missing, and kernels that it has not kept cannot be loaded: " +
		"open /lib/libnvidia-ptxjitcompiler.so.1: no such file; open libnvidia-ptxjitcompiler.so.1: no such file\n"
	if d.Compiler != "" || !strings.Contains(text.String(), want) {
		t.Errorf("got %q and\n%s", d.Compiler, text.String())
	}
}
