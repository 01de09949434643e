package sim

import (
	"slices"
	"testing"

	"cresset/internal/driver"
	"cresset/internal/hardware"
)

// mixed is a machine whose fastest GPU is the second on the bus.
func mixed(t *testing.T) *hardware.Machine {
	t.Helper()
	m, err := hardware.Read("mixed.json", []byte(`{"gpus": [
		{"preset": "gtx1070", "bus": "00000000:03:00.0"},
		{"preset": "gtx1050", "bus": "00000000:01:00.0"},
		{"preset": "h200", "bus": "00000000:02:00.0"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestDeviceOrder(t *testing.T) {
	const slow, fast, middle = "0000:01:00.0", "0000:02:00.0", "0000:03:00.0"
	for _, tc := range []struct {
		name string
		env  []string
		want []string
	}{
		{"unset", nil, []string{fast, slow, middle}},
		{"fastest first", []string{"CUDA_DEVICE_ORDER=FASTEST_FIRST"}, []string{fast, slow, middle}},
		{"by bus", []string{"CUDA_DEVICE_ORDER=PCI_BUS_ID"}, []string{slow, fast, middle}},
		{"list by speed", []string{"CUDA_VISIBLE_DEVICES=1,0"}, []string{slow, fast}},
		{"list by bus", []string{"CUDA_VISIBLE_DEVICES=2,0", "CUDA_DEVICE_ORDER=PCI_BUS_ID"}, []string{middle, slow}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := startMachine(t, mixed(t), Options{}, tc.env...)
			n, r := b.api.DeviceGetCount()
			b.ok(r)
			var got []string
			for i := range n {
				bus, r := b.api.DeviceGetPCIBusID(driver.Device(i))
				b.ok(r)
				got = append(got, bus)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

// TestMIG: a list that names an instance shows that alone, and a partitioned GPU without such a list its first.
func TestMIG(t *testing.T) {
	m, err := hardware.Read("test.json", []byte(`{"gpus": [{"preset": "t4"}, {"preset": "a100", "mig": true,
		"uuid": "GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77", "instances": [
		{"profile": "3g.20gb", "memory": "20096MiB", "multiprocessors": 42, "uuid": "MIG-2b564873-f113-475b-f89f-05ee473d5b22"},
		{"profile": "1g.5gb", "memory": "4864MiB", "multiprocessors": 14, "gpuInstance": 13, "uuid": "MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	const first, second = "NVIDIA A100-SXM4-40GB MIG 3g.20gb", "NVIDIA A100-SXM4-40GB MIG 1g.5gb"
	for list, want := range map[string][]string{
		"MIG-c6d4":          {second},
		"MIG-2b56,MIG-c6d4": {first},
		"MIG-GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77/13/0": {second},
		"MIG-":    nil,
		"MIG-1":   nil,
		"1":       {first},
		"GPU-5d5": {first},
	} {
		env := map[string]string{"CUDA_VISIBLE_DEVICES": list, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
		d := New(m, Options{LookupEnv: func(name string) (string, bool) { value, set := env[name]; return value, set }})
		var got []string
		for _, dev := range d.visibleDevices() {
			got = append(got, dev.gpu.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", list, got, want)
		}
	}
}
