// Package devicetest runs a test on every device: one subtest each. The environment variable DEVICES names the devices,
// "cpu,cuda:0"; one that is named and cannot be used fails. Without it a test runs on whatever this machine has.
package devicetest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"cresset/device"
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
	devices, err := named(os.Getenv(variable))
	if err != nil {
		t.Fatal(err)
	}
	return devices
}

// named reads a list of devices; an empty one means the CPU, on which alone tensors live today.
func named(list string) (devices []device.Device, err error) {
	if strings.TrimSpace(list) == "" {
		return []device.Device{device.CPU}, nil
	}
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
