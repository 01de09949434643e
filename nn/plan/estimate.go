package plan

import (
	"errors"
	"fmt"
	"strings"

	"cresset/smi"
)

// Estimate is the memory of a GPU that a training step takes, in bytes, as cuda.MemoryAllocated counts them: from the second
// step on, when the optimizer has its state. The parts do not add up to Peak, for the backward pass gives activations back while
// it makes gradients.
type Estimate struct {
	Parameters     int64 `json:"parameters"` // and buffers
	OptimizerState int64 `json:"optimizer_state"`
	Batch          int64 `json:"batch"`
	Activations    int64 `json:"activations"` // held when the forward pass ends
	Gradients      int64 `json:"gradients"`   // held when the backward pass ends
	Workspace      int64 `json:"workspace"`   // of the peak, what was not held before its phase nor after it

	Peak     int64  `json:"peak"`     // the most that is held at once: cuda.MaxMemoryAllocated
	Phase    string `json:"phase"`    // where that is: forward, backward or update
	Reserved int64  `json:"reserved"` // what the allocator takes of the GPU for it: cuda.MaxMemoryReserved

	GPUs []Fit `json:"gpus,omitempty"` // where it fits, by Fits
}

// Fit says whether a step fits on a GPU.
type Fit struct {
	GPU       smi.GPU `json:"gpu"`
	Simulated bool    `json:"simulated,omitempty"`
	Fits      bool    `json:"fits"`
	Reason    string  `json:"reason,omitempty"` // why it does not
}

// On says on which GPUs the step fits: those whose free memory is Reserved or more, that compute, and that nobody else has
// reserved. A program takes more than Reserved of a GPU, some hundred MiB with a real driver: CUDA's context and the kernels.
func (e *Estimate) On(gpus []smi.GPU) []Fit {
	fits := make([]Fit, len(gpus))
	for i, g := range gpus {
		_, err := smi.Pick(gpus[i:i+1], smi.Wish{MinFree: uint64(e.Reserved)})
		fits[i] = Fit{GPU: g, Fits: err == nil}
		var refused *smi.PickError
		switch {
		case errors.As(err, &refused) && len(refused.Refused) == 1:
			fits[i].Reason = refused.Refused[0].Why
		case err != nil:
			fits[i].Reason = err.Error()
		}
	}
	return fits
}

// String tells the estimate as a table, and a line for each GPU.
func (e *Estimate) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "a training step takes %s, the most of it in %s\n", size(e.Peak), phases[e.Phase])
	for _, part := range []struct {
		name  string
		bytes int64
		note  string
	}{
		{"parameters", e.Parameters, ""},
		{"optimizer state", e.OptimizerState, ""},
		{"batch", e.Batch, ""},
		{"activations", e.Activations, "after the forward pass"},
		{"gradients", e.Gradients, "after the backward pass"},
		{"workspace", e.Workspace, "at the peak alone"},
		{"reserved", e.Reserved, "of the GPU, for all of it"},
	} {
		if part.bytes == 0 {
			continue
		}
		line := fmt.Sprintf("  %-16s %10s  %s", part.name, size(part.bytes), part.note)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	for _, f := range e.GPUs {
		b.WriteString(f.String() + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// phases are the phases of a step in words.
var phases = map[string]string{"forward": "the forward pass", "backward": "the backward pass", "update": "the optimizer's update"}

// String says it in a line.
func (f Fit) String() string {
	verdict, why := "fits", fmt.Sprintf("%s of %s free", size(int64(f.GPU.Memory.Free)), size(int64(f.GPU.Memory.Total)))
	if !f.Fits {
		verdict, why = "does not fit", f.Reason
	}
	name := smi.Printable(f.GPU.Name)
	if f.Simulated {
		name += " (simulated)"
	}
	return fmt.Sprintf("%s on GPU %d, %s: %s", verdict, f.GPU.Index, name, smi.Printable(why))
}

// size writes bytes in the largest unit of which there is one, or else in KiB.
func size(bytes int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB"}
	v, i := float64(bytes)/1024, 0
	for v >= 1024 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	return fmt.Sprintf("%.1f %s", v, units[i])
}
