package open

import (
	"errors"
	"os"
	"strings"
	"testing"

	"cresset/internal/dl"
	"cresset/internal/driver"
	"cresset/internal/driver/open"
	"cresset/internal/hardware"
	"cresset/internal/nvml"
	"cresset/internal/tenants"
)

func TestSimulated(t *testing.T) {
	t.Setenv(tenants.Variable, "off")
	t.Setenv(hardware.Variable, "2")
	t.Setenv("CUDA_VISIBLE_DEVICES", "") // which NVML ignores
	api, err := Library()
	if err != nil {
		t.Fatal(err)
	}
	if err := api.Start(); err != nil {
		t.Fatal(err)
	}
	if n, r := api.Count(); n != 2 || r != nvml.Success || !api.Simulated || !strings.Contains(api.Library, "CRESSET_SIM=2") {
		t.Errorf("got %d GPUs, %v, simulated %v by %s", n, r, api.Simulated, api.Library)
	}
}

// TestNeverBoth: a value that cannot be understood does not fall back to real GPUs.
func TestNeverBoth(t *testing.T) {
	for _, value := range []string{"two", "./absent.json"} {
		t.Setenv(hardware.Variable, value)
		if api, err := Library(); err == nil || !strings.Contains(err.Error(), "CRESSET_SIM="+value) {
			t.Errorf("%q: got %v, %v", value, api, err)
		}
	}
}

// TestOneMachine: what the driver gives out, NVML shows, until it is given back.
func TestOneMachine(t *testing.T) {
	t.Setenv(tenants.Variable, t.TempDir())
	if err := os.Chmod(os.Getenv(tenants.Variable), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(hardware.Variable, "a100:2")
	t.Setenv("CUDA_VISIBLE_DEVICES", "1")
	cu, err := open.Driver(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := cu.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, _ := cu.DevicePrimaryCtxRetain(0)
	if _, r := cu.MemAlloc(ctx, 5<<30); r != driver.Success {
		t.Fatal(r)
	}
	if used := usedByNVML(t, 1); used != 5<<30 {
		t.Errorf("NVML shows %d bytes", used)
	}
	if used := usedByNVML(t, 0); used != 0 {
		t.Errorf("the other GPU: NVML shows %d bytes", used)
	}
}

func usedByNVML(t *testing.T, index uint32) uint64 {
	t.Helper()
	api, err := Library()
	if err != nil {
		t.Fatal(err)
	}
	if err := api.Start(); err != nil {
		t.Fatal(err)
	}
	dev, _ := api.DeviceByIndex(index)
	m, r := api.Memory(dev)
	if r != nvml.Success {
		t.Fatal(r)
	}
	return m.Used
}

func TestReal(t *testing.T) {
	if _, set := os.LookupEnv(hardware.Variable); set {
		t.Skip("CRESSET_SIM is set: this process sees no real GPU")
	}
	api, err := Library()
	var missing *nvml.LibraryError
	switch {
	case err == nil:
		if api.Simulated {
			t.Error("a real library says that it is simulated")
		}
	case !errors.As(err, &missing):
		t.Logf("a library that cannot be used: %v", err)
	case !errors.Is(err, dl.ErrWithout):
		for _, path := range nvml.Candidates() {
			if !strings.Contains(err.Error(), path) {
				t.Errorf("%q does not say that %s was tried", err, path)
			}
		}
	}
}
