package smi

import (
	"fmt"
	"strings"

	"cresset/internal/nvml"
)

// instances lists the parts of a GPU. Their slots may have gaps.
func (s *nvmlSource) instances(dev nvml.Device) (all []Instance) {
	slots := tell(s.api.MaxMIGDevices, dev, whole)
	if slots == nil {
		return nil
	}
	for i := range *slots {
		part, r := nvml.AskFor(s.api.MIGDevice, dev, uint32(i))
		if r != nvml.Success {
			continue
		}
		instance := Instance{Index: i, Memory: s.memory(part), BAR1: s.bar1(part)}
		if name, r := s.api.Name(part); r == nvml.Success {
			instance.Name = profile(name)
		}
		instance.UUID, _ = s.api.UUID(part)
		if n := tell(s.api.GPUInstance, part, whole); n != nil {
			instance.GPUInstance = *n
		}
		if n := tell(s.api.ComputeInstance, part, whole); n != nil {
			instance.ComputeInstance = *n
		}
		if a := tell(s.api.Attributes, part, same[nvml.Attributes]); a != nil {
			instance.Multiprocessors = &a.Multiprocessors
			instance.Engines = &Engines{a.Copy, a.Encoders, a.Decoders, a.OpticalFlow, a.JPEG}
		}
		all = append(all, instance)
	}
	return all
}

// profile is what follows the GPU's name in that of an instance: NVIDIA A100-SXM4-40GB MIG 1g.5gb.
func profile(name string) string {
	if _, after, ok := strings.Cut(name, " MIG "); ok {
		return after
	}
	return name
}

// ofInstance returns the GPU that has the instance which a value of CUDA_VISIBLE_DEVICES names first, with that instance
// alone: by UUID, or in the older form by its GPU and two numbers, MIG-GPU-<uuid>/1/0.
func ofInstance(list string, gpus []GPU) (found []GPU) {
	id, _, _ := strings.Cut(list, ",")
	for _, g := range gpus {
		for _, part := range g.Instances {
			older := fmt.Sprintf("MIG-%s/%d/%d", g.UUID, part.GPUInstance, part.ComputeInstance)
			if id == older || strings.HasPrefix(part.UUID, id) {
				g.Instances = []Instance{part}
				found = append(found, g)
			}
		}
	}
	if len(found) > 1 {
		return nil
	}
	return found
}
