package reserve

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"cresset/internal/hardware"
	"cresset/internal/tenants"
)

// TestMachines: the machine's GPUs and those of each simulated machine have locks of their own.
func TestMachines(t *testing.T) {
	alone(t)
	mustTake(t, "GPU-1")
	t.Setenv(hardware.Variable, "a100:8")
	mustTake(t, "GPU-1")
	os.Unsetenv(hardware.Variable)
	t.Setenv(Variable, t.TempDir())
	mustTake(t, "GPU-1")
	if len(held(t, "GPU-1")) != 1 {
		t.Error("it is free")
	}
	t.Setenv(hardware.Variable, "8")
	t.Setenv(tenants.Variable, "off") // a machine of its own
	mustTake(t, "GPU-1")
	mustTake(t, "GPU-1")
	if len(held(t, "GPU-1")) != 0 {
		t.Error("somebody else is at a machine of this program's own")
	}
}

func TestCommonFolder(t *testing.T) {
	alone(t)
	os.Unsetenv(hardware.Variable)
	t.Setenv(Variable, "")
	if dir, _ := find(); dir != common {
		t.Errorf("got %s, want %s", dir, common)
	}
}

func TestFolderFaults(t *testing.T) {
	alone(t)
	os.Unsetenv(hardware.Variable)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(t.TempDir(), "gone")
	for _, dir := range []string{file, gone} {
		t.Setenv(Variable, dir)
		if _, err := take("GPU-1"); err == nil {
			t.Errorf("%s: got no error", dir)
		}
	}
	if who := held(t, "GPU-1"); len(who) != 0 {
		t.Errorf("a folder that is not there: got %v", who)
	}
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("nothing is unwritable to this user")
	}
	sealed := t.TempDir()
	if err := os.Chmod(sealed, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Variable, sealed)
	if _, err := take("GPU-1"); !os.IsPermission(err) {
		t.Errorf("a folder that cannot be written: got %v", err)
	}
}
