package sim

import (
	"reflect"
	"testing"

	"cresset/internal/hardware"
	"cresset/internal/nvml"
	"cresset/internal/tenants"
)

// partitioned has an A100 with two MIG devices.
const partitioned = `{"gpus": [{"preset": "a100", "mig": true, "instances": [
	{"profile": "3g.20gb", "memory": "20096MiB", "multiprocessors": 42},
	{"profile": "1g.5gb", "memory": "4864MiB", "multiprocessors": 14, "gpuInstance": 13}]}]}`

// TestMIG has a program on the second device, which is seen there and on the GPU.
func TestMIG(t *testing.T) {
	m, err := hardware.Read("test.json", []byte(partitioned))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	l := New(m, tenants.Join(folder))
	if err := l.API.Start(); err != nil {
		t.Fatal(err)
	}
	err = tenants.Join(folder).Publish([]tenants.Usage{{UUID: m.GPUs[0].Instances[1].UUID, Memory: 1 << 30}})
	if err != nil {
		t.Fatal(err)
	}
	a, dev := l.API, device(t, l, 0)
	first, _ := a.MIGDevice(dev, 0)
	second, _ := a.MIGDevice(dev, 1)
	for name, tc := range map[string]struct{ got, want []any }{
		"name":         {two(a.Name(first)), two("NVIDIA A100-SXM4-40GB MIG 3g.20gb", nvml.Success)},
		"UUID":         {two(a.UUID(second)), two(m.GPUs[0].Instances[1].UUID, nvml.Success)},
		"instance":     {two(a.GPUInstance(second)), two(uint32(13), nvml.Success)},
		"of the GPU":   {two(a.GPUInstance(dev)), two(uint32(0), nvml.ErrInvalidArgument)},
		"attributes":   {two(a.Attributes(first)), two(nvml.Attributes{Multiprocessors: 42, Copy: 3, Decoders: 2}, nvml.Success)},
		"third":        {two(a.MIGDevice(dev, 2)), two(nvml.Device(0), nvml.ErrNotFound)},
		"of a device":  {two(a.MIGDevice(first, 0)), two(nvml.Device(0), nvml.ErrNotSupported)},
		"memory":       {two(a.Memory(second)), two(nvml.Memory{Total: 4864 << 20, Used: 1 << 30, Free: 3840 << 20, Reserves: true}, nvml.Success)},
		"whole memory": {two(a.Memory(dev)), two(nvml.Memory{Total: 40960 << 20, Used: 1 << 30, Free: 39936 << 20, Reserves: true}, nvml.Success)},
		"utilization":  {two(a.Utilization(dev)), two(nvml.Utilization{}, nvml.ErrNotSupported)},
	} {
		if !reflect.DeepEqual(tc.got, tc.want) {
			t.Errorf("%s: got %v, want %v", name, tc.got, tc.want)
		}
	}
	if all, _ := a.ComputeProcesses(dev); len(all) != 1 || all[0].GPUInstance != 13 || all[0].ComputeInstance != 0 {
		t.Errorf("processes: got %+v", all)
	}
	l.gpus[0].lost = true
	if _, r := a.Memory(first); r != nvml.ErrGPULost {
		t.Errorf("of a lost GPU: got %v", r)
	}
}
