package hardware

import (
	"fmt"
	"regexp"
)

// Instance is a part of a GPU that MIG has made of it.
type Instance struct {
	Profile         string // such as 1g.5gb: slices of multiprocessors, memory
	UUID            string // MIG-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx
	Memory          uint64 // bytes
	Multiprocessors int
	GPUInstance     int
	ComputeInstance int
}

// Slices returns how many of the seven slices of a GPU's multiprocessors the instance has: 3 of 3g.20gb.
func (i *Instance) Slices() int { return int(i.Profile[0] - '0') }

// Part returns the GPU that programs see in an instance of it.
func (g *GPU) Part(i Instance) *GPU {
	part := *g
	part.Name, part.UUID = g.Name+" MIG "+i.Profile, i.UUID
	part.Memory, part.Multiprocessors = i.Memory, i.Multiprocessors
	part.Peak = g.Peak * uint64(i.Multiprocessors) / uint64(g.Multiprocessors)
	part.Used, part.Reserved, part.Utilization = 0, 0, 0
	part.Processes, part.Instances = nil, nil
	eighths := (8*i.Memory + g.Memory/2) / g.Memory // of the memory and what belongs to it
	part.Bandwidth = g.Bandwidth * eighths / 8
	part.BAR1 = g.BAR1*eighths/8 - min(1<<20, g.BAR1*eighths/8) // the last MiB is the GPU's
	return &part
}

var (
	profileForm  = regexp.MustCompile(`^[1-7]g\.[1-9][0-9]{0,2}gb$`)
	instanceForm = regexp.MustCompile(`^MIG-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
)

const maxInstances = 7

func (r *reader) instances(n *node) (all []Instance) {
	if !r.is(n, list) {
		return nil
	}
	for _, item := range n.items {
		i := Instance{GPUInstance: len(all) + 1}
		r.fields(item, map[string]func(*node){
			"profile":         r.pattern(&i.Profile, profileForm, `"1g.5gb"`),
			"uuid":            r.pattern(&i.UUID, instanceForm, `"MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f"`),
			"memory":          r.quantity(size, &i.Memory),
			"multiprocessors": r.count(&i.Multiprocessors, 1, 1024),
			"gpuInstance":     r.count(&i.GPUInstance, 0, 255),
			"computeInstance": r.count(&i.ComputeInstance, 0, 255),
		})
		if r.err == nil && (i.Profile == "" || i.Memory == 0 || i.Multiprocessors == 0) {
			r.refuse(item, "an instance needs a profile, memory and multiprocessors")
		}
		all = append(all, i)
	}
	return all
}

// partitioned refuses instances that the GPU cannot have.
func (r *reader) partitioned(n *node, g *GPU) {
	if len(g.Instances) == 0 {
		return
	}
	var memory uint64
	multiprocessors := 0
	places := map[[2]int]bool{}
	for _, i := range g.Instances {
		memory += i.Memory
		multiprocessors += i.Multiprocessors
		places[[2]int{i.GPUInstance, i.ComputeInstance}] = true
	}
	switch {
	case g.MIG != On:
		r.refuse(n, `instances, and not "mig": true`)
	case len(g.Instances) > maxInstances:
		r.refuse(n, "%d instances: at most %d", len(g.Instances), maxInstances)
	case len(places) < len(g.Instances):
		r.refuse(n, "two instances with the same numbers")
	case memory > g.Memory || multiprocessors > g.Multiprocessors:
		r.refuse(n, "instances with %d bytes and %d multiprocessors of %d and %d", memory, multiprocessors, g.Memory, g.Multiprocessors)
	}
}

// nameInstances gives instances without a UUID one that follows from their GPU's.
func (g *GPU) nameInstances() {
	for at := range g.Instances {
		i := &g.Instances[at]
		if i.UUID == "" {
			i.UUID = "MIG-" + identifier(fmt.Sprintf("%d/%d of %s", i.GPUInstance, i.ComputeInstance, g.UUID))
		}
	}
}
