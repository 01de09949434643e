package sim

import (
	"slices"
	"testing"

	"cresset/internal/driver"
	"cresset/internal/hardware"
)

// TestVisibleOrdinals has NVIDIA's examples and the table of PyTorch's unit tests.
func TestVisibleOrdinals(t *testing.T) {
	for _, tc := range []struct {
		value string
		gpus  int
		want  []int
	}{
		{"1gpu2,2ampere", 8, []int{1, 2}},
		{"0, 1, 2, -1, 3", 8, []int{0, 1, 2}},
		{"0, 1, 2, 1", 8, nil},
		{"2, +3, -0, 5", 8, []int{2, 3, 0, 5}},
		{"one,two,3,4", 8, nil},
		{"", 8, nil},
		{"-1", 8, nil},
		{"4,3,two,one", 8, []int{4, 3}},
		{"0,2,-1,1", 8, []int{0, 2}},
		{"2,3", 4, []int{2, 3}},
		{"0,3,2", 4, []int{0, 3, 2}},
		{"1, 0", 2, []int{1, 0}},
		{"1, 5, 0", 2, []int{1}},
		{"0,5,0", 2, nil},
		{"99999999999999999999", 2, nil},
		{"NoDevFiles", 2, nil},
		{"MIG-89c850dc", 2, nil},
	} {
		if got := Visible(tc.value, make([]string, tc.gpus)); !slices.Equal(got, tc.want) {
			t.Errorf("%q of %d GPUs: got %v, want %v", tc.value, tc.gpus, got, tc.want)
		}
	}
}

func TestVisibleUUIDs(t *testing.T) {
	ids := []string{
		"GPU-9942190a-aa31-4ff1-4aa9-c388d80f85f1",
		"GPU-9e8d35e3-a134-0fdd-0e01-23811fdbd293",
		"GPU-e429a63e-c61c-4795-b757-5132caeb8e70",
		"GPU-eee1dfbc-0a0f-6ad8-5ff6-dc942a8b9d98",
		"GPU-bbcd6503-5150-4e92-c266-97cc4390d04e",
		"GPU-472ea263-58d7-410d-cc82-f7fdece5bd28",
		"GPU-e56257c4-947f-6a5b-7ec9-0f45567ccf4e",
		"GPU-1c20e77d-1c1a-d9ed-fe37-18b8466a78ad",
	}
	for value, want := range map[string][]int{
		"GPU-9e8d35e3":                {1},
		"GPU-e4,GPU-9e8d35e3":         {2, 1},
		"GPU-123,GPU-9e8d35e3":        nil,
		"GPU-9e8d35e3,GPU-123,GPU-47": {1},
		"GPU-9e8d35e3,GPU-e,GPU-47":   {1}, // GPU-e names three
		"GPU-9e8d35e3,GPU-47,GPU-9e8": nil, // one GPU twice
		"GPU-9e8d35e3,GPU-9e8d35e3":   nil,
		"GPU-9e8d35e3, GPU-47":        {1}, // a blank is no prefix
		"GPU-9e8d35e3,2":              {1},
		"GPU-":                        nil,
	} {
		if got := Visible(value, ids); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", value, got, want)
		}
	}
}

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

// TestMIG: a list that names an instance shows that alone, and a partitioned GPU
// without such a list its first.
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
