package cuda

import (
	"os"

	"cresset/internal/nvml"
	"cresset/internal/nvml/open"
)

// Program is a process that computes on a GPU.
type Program struct {
	PID   int
	Bytes int64 // that it holds there
	Own   bool  // whether it is this process
}

// programs returns who computes on the device, in NVML's order, with the memory that each holds. It is empty where NVML is
// missing or does not tell: the error that asks for it is about something else.
func (d *Device) programs() (all []Program) {
	api, err := open.Library()
	if err != nil || api.Start() != nil {
		return nil
	}
	defer api.Shutdown()
	if api.DeviceByPCIBusID == nil {
		return nil
	}
	dev, r := api.DeviceByPCIBusID(d.properties.BusID) // a place on the bus, for ordinals differ
	if r != nvml.Success {
		return nil
	}
	found, r := nvml.Ask(api.ComputeProcesses, dev)
	if r != nvml.Success {
		return nil
	}
	for _, p := range found {
		if p.Memory == nvml.UnknownMemory {
			continue
		}
		all = append(all, Program{PID: int(p.PID), Bytes: int64(p.Memory), Own: int(p.PID) == os.Getpid()})
	}
	return all
}
