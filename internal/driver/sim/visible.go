package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cresset/internal/driver"
	"cresset/internal/hardware"
)

// visibleDevices returns the devices that CUDA_VISIBLE_DEVICES leaves, numbered as CUDA_DEVICE_ORDER says.
func (d *Driver) visibleDevices() []*device {
	order, _ := d.env("CUDA_DEVICE_ORDER")
	ordered := orderDevices(d.machine.GPUs, order)
	visible := ordered
	list, set := d.env("CUDA_VISIBLE_DEVICES")
	if strings.HasPrefix(list, "MIG-") {
		return d.instance(list)
	}
	if set {
		visible = nil
		for _, i := range driver.Visible(list, uuids(d.machine.GPUs, ordered)) {
			visible = append(visible, ordered[i])
		}
	}
	devices := make([]*device, len(visible))
	for i, physical := range visible {
		devices[i] = d.found(physical, 0)
	}
	return devices
}

// found returns a GPU as a device. One that MIG has partitioned is one of its instances to CUDA: that which was chosen, or
// the first.
func (d *Driver) found(physical, instance int) *device {
	dev := &device{physical: physical, gpu: &d.machine.GPUs[physical]}
	if len(dev.gpu.Instances) > 0 {
		dev.gpu = dev.gpu.Part(dev.gpu.Instances[instance])
	}
	if dev.gpu.Lost {
		dev.lose()
	}
	return dev
}

// instance returns the MIG device that a list names first, by a beginning of its UUID that only one has or by its GPU's and
// two numbers; CUDA uses no more.
func (d *Driver) instance(list string) (devices []*device) {
	id, _, _ := strings.Cut(list, ",")
	for physical, g := range d.machine.GPUs {
		for i, part := range g.Instances {
			older := fmt.Sprintf("MIG-%s/%d/%d", g.UUID, part.GPUInstance, part.ComputeInstance)
			if id == older || strings.HasPrefix(part.UUID, id) {
				devices = append(devices, d.found(physical, i))
			}
		}
	}
	if len(devices) > 1 {
		return nil
	}
	return devices
}

// orderDevices returns the indices of the GPUs in CUDA's order: by bus with PCI_BUS_ID; otherwise the fastest first and the
// others by bus.
func orderDevices(gpus []hardware.GPU, order string) []int {
	indices := make([]int, len(gpus))
	for i := range indices {
		indices[i] = i
	}
	slices.SortFunc(indices, func(i, j int) int { return cmp.Compare(gpus[i].Bus, gpus[j].Bus) })
	if order == "PCI_BUS_ID" || len(indices) == 0 {
		return indices
	}
	fastest := slices.MaxFunc(indices, func(i, j int) int { return cmp.Compare(gpus[i].Peak, gpus[j].Peak) })
	others := slices.DeleteFunc(indices, func(i int) bool { return i == fastest })
	return slices.Insert(others, 0, fastest)
}

func uuids(gpus []hardware.GPU, order []int) []string {
	ids := make([]string, len(order))
	for at, i := range order {
		ids[at] = gpus[i].UUID
	}
	return ids
}
