package open

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cresset/internal/dl"
	"cresset/internal/driver"
	"cresset/internal/hardware"
	"cresset/internal/tenants"
)

func TestSimulated(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "1,0")
	t.Setenv(tenants.Variable, "off")
	t.Setenv(hardware.Variable, "2")
	api, err := Driver(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := api.Start(); err != nil {
		t.Fatal(err)
	}
	if n, r := api.DeviceGetCount(); n != 2 || r != driver.Success || !api.Simulated {
		t.Errorf("got %d devices, %v, simulated %v", n, r, api.Simulated)
	}
	if name, _ := api.DeviceGetName(0); !strings.HasSuffix(name, " (simulated)") {
		t.Errorf("got %q, want it to say that it is simulated", name)
	}
	if !strings.Contains(api.Library, "CRESSET_SIM=2") {
		t.Errorf("the library is %q", api.Library)
	}
}

// TestOldDriver is the machine of the first note: a driver that is too old.
func TestOldDriver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.json")
	text := `{"driver": "418.67", "cuda": "10.1", "gpus": [{"preset": "gtx1050", "name": "GeForce GTX 1050"}]}`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(tenants.Variable, "off")
	t.Setenv(hardware.Variable, path)
	api, err := Driver(nil)
	if err != nil {
		t.Fatal(err)
	}
	if v, r := api.DriverGetVersion(); v != 10010 || r != driver.Success {
		t.Errorf("got version %d, %v", v, r)
	}
	var old *driver.VersionError
	if err := api.Start(); !errors.As(err, &old) || old.Found != 10010 {
		t.Errorf("got %v, want a VersionError", err)
	}
}

// TestNeverBoth: a value that cannot be understood does not fall back to real GPUs.
func TestNeverBoth(t *testing.T) {
	for _, value := range []string{"two", "./absent.json"} {
		t.Setenv(tenants.Variable, "off")
		t.Setenv(hardware.Variable, value)
		if api, err := Driver(nil); err == nil || !strings.Contains(err.Error(), "CRESSET_SIM="+value) {
			t.Errorf("%q: got %v, %v", value, api, err)
		}
	}
}

func TestNoGPUs(t *testing.T) {
	for name, env := range map[string][2]string{"none in the machine": {"0", "0"}, "none visible": {"2", ""}} {
		t.Setenv(tenants.Variable, "off")
		t.Setenv(hardware.Variable, env[0])
		t.Setenv("CUDA_VISIBLE_DEVICES", env[1])
		api, err := Driver(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := api.Start(); !errors.Is(err, driver.ErrNoDevice) {
			t.Errorf("%s: got %v, want %v", name, err, driver.ErrNoDevice)
		}
	}
}

func TestReal(t *testing.T) {
	if _, set := os.LookupEnv(hardware.Variable); set {
		t.Skip("CRESSET_SIM is set: this process sees no real GPU")
	}
	api, err := Driver(nil)
	var missing *driver.LibraryError
	switch {
	case err == nil:
		if api.Simulated {
			t.Error("a real driver says that it is simulated")
		}
	case !errors.As(err, &missing):
		t.Logf("a driver that cannot be used: %v", err)
	case !errors.Is(err, dl.ErrWithout):
		for _, path := range driver.Candidates() {
			if !strings.Contains(err.Error(), path) {
				t.Errorf("%q does not say that %s was tried", err, path)
			}
		}
	}
}
