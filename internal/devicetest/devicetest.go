// Package devicetest runs a test on every device: one subtest each. The environment variable DEVICES names the devices,
// "cpu,cuda:0"; one that is named and cannot be used fails. Without it a test runs on the CPU and on a simulated GPU.
package devicetest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"cresset/device"
	"cresset/internal/backend/cuda"
	"cresset/internal/dl"
	"cresset/internal/dl/dltest"
	"cresset/internal/driver/sim"
	"cresset/internal/hardware"
	"cresset/internal/race"
	"cresset/internal/tenants"
	"cresset/tensor"
)

const variable = "DEVICES"

// Run runs f once for each device, as a subtest with the device's name.
func Run(t *testing.T, f func(t *testing.T, dev device.Device)) {
	t.Helper()
	for _, dev := range All(t) {
		t.Run(dev.String(), func(t *testing.T) { f(t, dev) })
	}
}

// RunValues is Run for tests that compute much to judge values: the race detector skips their GPUs, for interpreting kernels
// takes minutes with it, and shows no race that lighter tests of the same code do not.
func RunValues(t *testing.T, f func(t *testing.T, dev device.Device)) {
	t.Helper()
	Run(t, func(t *testing.T, dev device.Device) {
		if race.Enabled && dev.IsCUDA() {
			t.Skip("a simulated GPU is slow under the race detector")
		}
		f(t, dev)
	})
}

// JudgesValues skips a test under the race detector that computes much in one goroutine to judge values: what the ops below it share
// among threads, lighter tests have them share too.
func JudgesValues(t *testing.T) {
	t.Helper()
	if race.Enabled {
		t.Skip("computes much to judge values, and shares nothing of its own")
	}
}

// Bench is Run for benchmarks.
func Bench(b *testing.B, f func(b *testing.B, dev device.Device)) {
	b.Helper()
	for _, dev := range All(b) {
		b.Run(dev.String(), func(b *testing.B) { f(b, dev) })
	}
}

// All returns the devices to test. It ends the test where DEVICES names one that cannot hold tensors.
func All(t testing.TB) []device.Device {
	t.Helper()
	alone(t)
	list := os.Getenv(variable)
	if strings.TrimSpace(list) == "" {
		Simulate(t)
		list = "cpu,cuda:0"
	}
	devices, err := named(list)
	if err != nil {
		t.Fatal(err)
	}
	return devices
}

// Simulate makes the GPUs of this process simulated ones, two of them, unless DEVICES or CRESSET_SIM says what there is. The
// choice holds until the process ends: the driver looks once.
func Simulate(t testing.TB) {
	t.Helper()
	alone(t)
	if _, simulated := hardware.Asked(); simulated || strings.Contains(os.Getenv(variable), "cuda") {
		return
	}
	if err := os.Setenv(hardware.Variable, "2"); err != nil {
		t.Fatal(err)
	}
}

// GPUs are simulated ones, and what sees the calls of their driver and has them fail.
type GPUs struct {
	*sim.Driver
	*dltest.Spy
}

// Use makes the GPUs of this process those of a simulated machine until the test ends, in the words of CRESSET_SIM.
func Use(t testing.TB, machine string) *GPUs {
	t.Helper()
	m, err := hardware.Choose(machine)
	if err != nil {
		t.Fatal(err)
	}
	d := sim.New(m, sim.Options{LookupEnv: func(string) (string, bool) { return "", false }})
	spy := dltest.Watch(dl.Table{Struct: d.API, Key: "cu"})
	t.Cleanup(cuda.UseDriver(d.API))
	return &GPUs{d, spy}
}

// alone gives this process a simulated machine of its own: tests must not see what others hold.
func alone(t testing.TB) {
	if err := os.Setenv(tenants.Variable, "off"); err != nil {
		t.Fatal(err)
	}
}

// named reads a list of devices.
func named(list string) (devices []device.Device, err error) {
	for _, name := range strings.Split(list, ",") {
		dev, err := device.Parse(strings.TrimSpace(name))
		if err != nil {
			return nil, fmt.Errorf("%s=%s: %w", variable, list, err)
		}
		if err := tensor.Try(func() { tensor.On(dev).Zeros(1) }); err != nil {
			return nil, fmt.Errorf("%s=%s names %s, which cannot be used: %w", variable, list, dev, err)
		}
		devices = append(devices, dev)
	}
	return devices, nil
}
