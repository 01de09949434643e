package smi

import (
	"os"
	"slices"
	"strings"
)

// Environment is what decides which GPUs a CUDA program sees, and how it numbers
// them.
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

// Logical returns the GPUs that a CUDA program in this environment sees: element
// n is its cuda:n. It is sure unless numbers mean CUDA's default order, the
// fastest GPU first, in a machine with GPUs of several kinds, or GPUs are missing:
// which is the fastest, and what is counted, only the driver knows, and the package's
// Logical asks it. An inventory by the driver is already limited and ordered.
//
// Like CUDA it stops at the first element that names no GPU, and shows none where
// one is named twice. Of a list of MIG instances CUDA uses the first; the GPU that
// has it is returned, with no other Instances. Of a partitioned GPU that is named as
// a whole it uses the first of its Instances.
func (e Environment) Logical(gpus []GPU) (logical []GPU, sure bool) {
	ordered := slices.SortedStableFunc(slices.Values(gpus), func(a, b GPU) int { return a.Index - b.Index })
	numbered := (e.Order == "PCI_BUS_ID" || alike(ordered)) && complete(ordered)
	switch {
	case !e.Limited:
		return ordered, numbered
	case strings.HasPrefix(e.Visible, "MIG-"):
		return ofInstance(e.Visible, ordered), true
	}
	indices := visible(e.Visible, ordered)
	for _, i := range indices {
		logical = append(logical, ordered[i])
	}
	if strings.HasPrefix(e.Visible, "GPU-") || len(ordinals(e.Visible)) == 0 {
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

// alike reports whether all GPUs are of one kind, for then CUDA orders them by
// bus.
func alike(gpus []GPU) bool {
	for _, g := range gpus {
		if g.Name != gpus[0].Name {
			return false
		}
	}
	return true
}

// visible reads CUDA_VISIBLE_DEVICES and returns indices into gpus.
func visible(list string, gpus []GPU) []int {
	if strings.HasPrefix(list, "GPU-") {
		return byUUID(strings.Split(list, ","), gpus)
	}
	ordinals := ordinals(list)
	for i, n := range ordinals {
		if n >= len(gpus) {
			return ordinals[:i]
		}
	}
	return ordinals
}

func ordinals(list string) (all []int) {
	for part := range strings.SplitSeq(list, ",") {
		n := ordinal(strings.TrimSpace(part))
		if n < 0 {
			break
		}
		if slices.Contains(all, n) {
			return nil
		}
		all = append(all, n)
	}
	return all
}

// ordinal reads a number as C's strtoul does, which ignores what follows it. It
// is -1 where there is none.
func ordinal(text string) int {
	digits := strings.TrimPrefix(text, "+")
	negative := len(digits) == len(text) && strings.HasPrefix(text, "-")
	if negative {
		digits = text[1:]
	}
	const huge = 1 << 20 // more than any machine's GPUs
	n, read := 0, 0
	for read < len(digits) && '0' <= digits[read] && digits[read] <= '9' {
		n = min(10*n+int(digits[read]-'0'), huge)
		read++
	}
	switch {
	case read == 0:
		return -1
	case negative:
		return -n
	}
	return n
}

func byUUID(list []string, gpus []GPU) (indices []int) {
	var prefixes []string
	for _, prefix := range list {
		if !strings.HasPrefix(prefix, "GPU-") {
			break
		}
		if slices.Contains(prefixes, prefix) {
			return nil
		}
		prefixes = append(prefixes, prefix)
	}
	for _, prefix := range prefixes {
		i := onlyOne(gpus, prefix)
		if i < 0 {
			break
		}
		if slices.Contains(indices, i) {
			return nil
		}
		indices = append(indices, i)
	}
	return indices
}

// onlyOne returns the index of the GPU whose UUID has the prefix, and -1 where
// none or several have it.
func onlyOne(gpus []GPU, prefix string) int {
	found := -1
	for i, g := range gpus {
		if !strings.HasPrefix(g.UUID, prefix) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}
