package smi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Wish says which GPUs a program can use.
type Wish struct {
	N              int    // how many; 0 stands for 1
	MinFree        uint64 // bytes of free memory that each must have
	MaxUtilization *int   // percent; a GPU that does not tell passes
	ExcludeBusy    bool   // leave out GPUs on which a program computes
}

// Pick returns the N best GPUs for a wish: the most free memory first, then the least utilization, then the lowest index.
// Left out besides are GPUs that others have reserved, that refuse to compute, and those partitioned by MIG, which have no
// memory of their own to give. It never returns fewer than N: then it fails with a *PickError. Two programs can pick the
// same GPU; see Reserve.
func Pick(gpus []GPU, wish Wish) ([]GPU, error) {
	n := max(wish.N, 1)
	var fit []GPU
	var refused []Refusal
	for _, g := range gpus {
		if why := wish.refuses(g); why != "" {
			refused = append(refused, Refusal{g, why})
			continue
		}
		fit = append(fit, g)
	}
	if len(fit) < n {
		return nil, &PickError{Wish: wish, Fit: len(fit), Refused: refused}
	}
	slices.SortStableFunc(fit, func(a, b GPU) int {
		return cmp.Or(cmp.Compare(b.Memory.Free, a.Memory.Free), cmp.Compare(busyness(a), busyness(b)), cmp.Compare(a.Index, b.Index))
	})
	return fit[:n], nil
}

func busyness(g GPU) int {
	if g.Utilization == nil {
		return 0
	}
	return *g.Utilization
}

// refuses says why a GPU is not what is wished for; "" if it is.
func (w Wish) refuses(g GPU) string {
	switch {
	case g.ComputeMode == Prohibited:
		return "has compute mode Prohibited"
	case g.MIG != nil && *g.MIG:
		return "is partitioned by MIG"
	case g.ReservedBy != nil:
		return "reserved by " + g.ReservedBy.String()
	case g.Memory.Free < w.MinFree:
		return gib(g.Memory.Free) + " free" + holders(g)
	case w.MaxUtilization != nil && busyness(g) > *w.MaxUtilization:
		return fmt.Sprintf("%d%% utilization%s", busyness(g), holders(g))
	case w.ExcludeBusy && computes(g):
		return "busy" + holders(g)
	}
	return ""
}

func computes(g GPU) bool {
	return slices.ContainsFunc(g.Processes, func(p Process) bool { return strings.Contains(p.Type, "C") })
}

// holders tells who holds a GPU's memory, the largest first.
func holders(g GPU) string {
	if len(g.Processes) == 0 {
		return ""
	}
	size := func(p Process) uint64 {
		if p.Memory == nil {
			return 0
		}
		return *p.Memory
	}
	sorted := slices.SortedStableFunc(slices.Values(g.Processes), func(a, b Process) int { return cmp.Compare(size(b), size(a)) })
	const most = 3
	var told []string
	for _, p := range sorted[:min(most, len(sorted))] {
		text := fmt.Sprintf("%s (pid %d", cmp.Or(Printable(p.Name), "a process"), p.PID)
		if p.Memory != nil {
			text += ", " + gib(*p.Memory)
		}
		told = append(told, text+")")
	}
	if more := len(sorted) - most; more > 0 {
		told = append(told, fmt.Sprintf("%d more", more))
	}
	return ", held by " + strings.Join(told, ", ")
}

// gib writes bytes in GiB, and what is less than one in MiB.
func gib(bytes uint64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

// Refusal is a GPU that is not what was wished for.
type Refusal struct {
	GPU GPU
	Why string
}

// PickError says that too few GPUs are what was wished for.
type PickError struct {
	Wish    Wish
	Fit     int // how many are
	Refused []Refusal
}

// Error says in one line what was wished for and why each GPU is not that.
func (e *PickError) Error() string {
	n := max(e.Wish.N, 1)
	text := fmt.Sprintf("wanted %s%s, have %d", plural(n), e.Wish.conditions(), e.Fit)
	for i, r := range e.Refused {
		separator := "; "
		if i == 0 {
			separator = ": "
		}
		text += fmt.Sprintf("%sGPU %d %s", separator, r.GPU.Index, r.Why)
	}
	return text
}

func plural(n int) string {
	if n == 1 {
		return "1 GPU"
	}
	return fmt.Sprintf("%d GPUs", n)
}

func (w Wish) conditions() string {
	var all []string
	if w.MinFree > 0 {
		all = append(all, "at least "+gib(w.MinFree)+" free")
	}
	if w.MaxUtilization != nil {
		all = append(all, fmt.Sprintf("at most %d%% utilization", *w.MaxUtilization))
	}
	if w.ExcludeBusy {
		all = append(all, "nobody computing")
	}
	if len(all) == 0 {
		return ""
	}
	return " with " + strings.Join(all, ", ")
}
