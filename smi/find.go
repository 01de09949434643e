package smi

import (
	"fmt"
	"strconv"
	"strings"
)

// Find returns the GPU that id names: by index, serial number, UUID or a beginning of it that only one has, or bus id, whose
// domain may be left out.
func Find(gpus []GPU, id string) (GPU, error) {
	id = strings.TrimSpace(id)
	match := func(GPU) bool { return false }
	switch {
	case strings.HasPrefix(id, "GPU-"):
		match = func(g GPU) bool { return strings.HasPrefix(g.UUID, id) }
	case strings.Contains(id, ":"):
		match = func(g GPU) bool { return sameBus(g.BusID, id) }
	case id != "":
		index, err := strconv.Atoi(id)
		match = func(g GPU) bool { return err == nil && g.Index == index || g.Serial == id }
	}
	var found []GPU
	for _, g := range gpus {
		if match(g) {
			found = append(found, g)
		}
	}
	switch len(found) {
	case 0:
		return GPU{}, fmt.Errorf("%w that %q names", ErrNoGPU, id)
	case 1:
		return found[0], nil
	}
	return GPU{}, fmt.Errorf("%q names %d GPUs", id, len(found))
}

// sameBus compares places on the bus, which are written with a domain of eight digits, of four, or without one.
func sameBus(a, b string) bool {
	x, okX := busParts(a)
	y, okY := busParts(b)
	return okX && okY && x == y
}

func busParts(id string) (parts [4]uint64, ok bool) {
	place, function, _ := strings.Cut(id, ".")
	fields := strings.Split(place, ":")
	if len(fields) == 2 {
		fields = append([]string{"0"}, fields...)
	}
	if len(fields) != 3 {
		return parts, false
	}
	if function == "" {
		function = "0"
	}
	for i, field := range append(fields, function) {
		n, err := strconv.ParseUint(field, 16, 32)
		if err != nil {
			return parts, false
		}
		parts[i] = n
	}
	return parts, true
}
