package smi

import (
	"os"
	"slices"
	"strings"

	"cresset/internal/driver"
)

// Environment is what decides which GPUs a CUDA program sees, and how it numbers them.
type Environment struct {
	Limited bool   // whether CUDA_VISIBLE_DEVICES is set
	Visible string // CUDA_VISIBLE_DEVICES
	Order   string // CUDA_DEVICE_ORDER
}

// Env returns the environment of this process.
func Env() Environment {
	list, set := os.LookupEnv("CUDA_VISIBLE_DEVICES")
	return Environment{Limited: set, Visible: list, Order: os.Getenv("CUDA_DEVICE_ORDER")}
}

// Logical returns the GPUs that a CUDA program in this environment sees: element n is its cuda:n. It is sure unless numbers
// mean CUDA's default order, the fastest GPU first, in a machine with GPUs of several kinds, or GPUs are missing: which is
// the fastest, and what is counted, only the driver knows, and the package's Logical asks it. An inventory by the driver is
// already limited and ordered.
//
// Like CUDA it stops at the first element that names no GPU, and shows none where one is named twice. Of a list of MIG
// instances CUDA uses the first; the GPU that has it is returned, with no other Instances. Of a partitioned GPU that is
// named as a whole it uses the first of its Instances.
func (e Environment) Logical(gpus []GPU) (logical []GPU, sure bool) {
	ordered := slices.SortedStableFunc(slices.Values(gpus), func(a, b GPU) int { return a.Index - b.Index })
	numbered := (e.Order == "PCI_BUS_ID" || alike(ordered)) && complete(ordered)
	switch {
	case !e.Limited:
		return ordered, numbered
	case strings.HasPrefix(e.Visible, "MIG-"):
		return ofInstance(e.Visible, ordered), true
	}
	ids := make([]string, len(ordered)) // some may be unknown
	for i, g := range ordered {
		ids[i] = g.UUID
	}
	indices := driver.Visible(e.Visible, ids)
	for _, i := range indices {
		logical = append(logical, ordered[i])
	}
	if strings.HasPrefix(e.Visible, "GPU-") || len(driver.Ordinals(e.Visible)) == 0 {
		return logical, true // whatever the numbers mean
	}
	return logical, numbered || len(indices) == 0 && complete(ordered)
}

// complete reports whether no GPU is missing: one that is lost may still be counted.
func complete(gpus []GPU) bool {
	for i, g := range gpus {
		if g.Index != i {
			return false
		}
	}
	return true
}

// alike reports whether all GPUs are of one kind, for then CUDA orders them by bus.
func alike(gpus []GPU) bool {
	return !slices.ContainsFunc(gpus, func(g GPU) bool { return g.Name != gpus[0].Name })
}
