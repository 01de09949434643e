package tour

import (
	"os"
	"slices"
	"strings"

	"cresset/cuda"
)

// Setting is what a step needs of the machine. Where this process lacks it, the step runs on simulated GPUs.
type Setting struct {
	Words     string   // "two GPUs"
	GPUs      int      // so many at least
	Only      bool     // and not more
	All       bool     // and CUDA_VISIBLE_DEVICES does not limit them
	Simulated bool     // simulated in any case: the step breaks a GPU, or wants a certain machine
	Machine   string   // value of CRESSET_SIM that has what the step needs
	Env       []string // other variables, such as "CUDA_LAUNCH_BLOCKING=1"
	Ranks     int      // processes that cresset launch starts; 0 for one without
}

// Settings that any machine may have.
var (
	anyMachine = Setting{Words: "no GPU"}
	twoRanks   = Setting{Words: "two processes that cresset launch starts", Ranks: 2}
	oneGPU     = Setting{Words: "a GPU", GPUs: 1, Machine: "gtx1070"}
	onlyOneGPU = Setting{Words: "one GPU and no second", GPUs: 1, Only: true, Machine: "gtx1070"}
	twoGPUs    = Setting{Words: "two GPUs", GPUs: 2, Machine: "gtx1070:2"}
	fourGPUs   = Setting{Words: "four GPUs", GPUs: 4, All: true, Machine: "gtx1070:4"}
	blocking   = Setting{Words: "one GPU, kernels that are waited for", GPUs: 1, Only: true, Machine: "gtx1070", Env: []string{"CUDA_LAUNCH_BLOCKING=1"}}
)

// Settings that are simulated whatever the machine has.
var (
	withoutGPU      = Setting{Words: "a machine whose GPUs are hidden", Simulated: true, Machine: "gtx1070", Env: []string{"CUDA_VISIBLE_DEVICES="}}
	smallGPU        = Setting{Words: "a GPU with 4 GiB", Simulated: true, Machine: "gtx1050"}
	expendable      = Setting{Words: "a GPU that may break", Simulated: true, Machine: "gtx1070"}
	visibleTwoThree = Setting{Words: "four GPUs, two of them visible", Simulated: true, Machine: "gtx1070:4", Env: []string{"CUDA_VISIBLE_DEVICES=2,3"}}
	noteMachine     = Setting{Words: "the machine of note 001", Simulated: true, Machine: "note001.json"}
	desktop         = Setting{Words: "a slow GPU before a fast one", Simulated: true, Machine: "desktop.json"}
	desktopByBus    = Setting{Words: "a slow GPU before a fast one", Simulated: true, Machine: "desktop.json", Env: []string{"CUDA_DEVICE_ORDER=PCI_BUS_ID"}}
	lab             = Setting{Words: "four GPUs in use, driver 470", Simulated: true, Machine: "lab470.json"}
	newerLab        = Setting{Words: "four GPUs in use, driver 550", Simulated: true, Machine: "lab550.json"}
)

// decisive are the variables that decide which GPUs a process sees and how it uses them.
var decisive = []string{
	"CRESSET_SIM", "CRESSET_SIM_STATE", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING",
	"PYTORCH_CUDA_ALLOC_CONF",
}

// Here reports whether this process has what the setting asks for.
func (s Setting) Here() bool {
	if _, limited := os.LookupEnv("CUDA_VISIBLE_DEVICES"); s.Simulated || s.All && limited {
		return false
	}
	for _, pair := range s.Env {
		name, value, _ := strings.Cut(pair, "=")
		if got, set := os.LookupEnv(name); !set || got != value {
			return false
		}
	}
	if s.GPUs == 0 {
		return true
	}
	n := cuda.DeviceCount()
	return n == s.GPUs || n > s.GPUs && !s.Only
}

// Variables returns the environment that a step gets for what this process lacks, nothing where it lacks nothing.
func (s Setting) Variables() []string {
	if s.Here() {
		return nil
	}
	return append([]string{"CRESSET_SIM=" + s.Machine}, s.Env...)
}

// Simulates reports whether a step with this setting sees simulated GPUs.
func (s Setting) Simulates() bool {
	already := os.Getenv("CRESSET_SIM") != ""
	return !s.Here() || already && s.GPUs > 0
}

// environ returns the whole environment of a step's process.
func (s Setting) environ() []string {
	own := s.Variables()
	if own == nil {
		return os.Environ()
	}
	var env []string
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); !slices.Contains(decisive, name) {
			env = append(env, pair)
		}
	}
	return append(env, own...)
}
