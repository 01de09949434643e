// Package floors holds the order of the project's packages and the rules of the house, and a test that keeps them. The lists
// are policy: a test that fails asks for other code, not for another list.
package floors

import (
	"slices"
	"strings"
)

const module = "cresset"

// rows lists the packages from the ground up. A package imports only lower rows and what stands left of it in its own.
var rows = [][]string{
	{"internal/dl", "dtype", "device", "internal/layout", "internal/op", "internal/rng"},
	{
		"internal/hardware", "internal/roofline", "internal/tenants", "internal/filelock", "internal/race", "internal/reserve", "internal/mem", "internal/par", "internal/kern/vec", "internal/kern", "internal/lapack", "internal/ptx",
		"internal/cublas", "internal/patience", "internal/mpi", "internal/nccl", "internal/driver", "internal/driver/sim", "internal/driver/open",
		"internal/nvml", "internal/nvml/sim", "internal/nvml/open",
		"internal/friend", "internal/pickle", "internal/uniclass", "internal/onig",
	},
	{"internal/backend", "internal/backend/cuda/kernels", "internal/emit", "internal/profile", "internal/program", "internal/backend/cpu", "internal/backend/cuda", "smi"},
	{"tensor", "cuda"},
	{"internal/statedict", "internal/jinja", "linalg", "nn/nninit", "nn", "optim", "data", "vision", "dist", "nn/parallel", "nn/ddp", "nn/tp", "nn/pipeline", "nn/plan", "nn/quant", "checkpoint", "nn/fsdp", "text/tokenizer", "internal/hub", "models/bert", "models/gemma2", "models/gpt2", "models/llama", "models/resnet", "models/vit", "models", "text/generation", "text/serving"},
	{"internal/tui/paint", "internal/tui", "internal/tour", "internal/bench", "internal/selftest", "internal/serve", "internal/cli/flags", "internal/cli", "cmd/cresset"},
}

// support lists the packages that only tests import. They see everything below the programs.
var support = []string{"internal/devicetest", "internal/dl/dltest", "internal/mpi/mpitest", "internal/ranktest", "internal/nccl/ncclsim", "internal/gradcheck", "internal/golden", "internal/kern/guarded", "internal/floors", "internal/pyexpr", "internal/conformance", "internal/conformance/onnxnode"}

const (
	generator = "internal/kgen" // writes code before the build: on no floor, and sees none
	programs  = 5               // the row of the programs
)

// backends says who may import a backend: a package, or one file of it. Everything else that computes knows package
// internal/backend alone. The GPU runtime, the plan of a training step, the self-test and doctor are about GPUs themselves.
var backends = map[string][]string{
	"internal/backend/cpu":  {"tensor/backends.go", "internal/cli"},
	"internal/backend/cuda": {"tensor/backends.go", "cuda", "nn/plan", "internal/selftest/used.go", "internal/cli"},
}

// outside says who may import what the project did not write.
var outside = map[string][]string{
	"github.com/ebitengine/purego":    {"internal/dl"},
	"golang.org/x/sys":                {"internal"},
	"golang.org/x/term":               {"internal/tui", "internal/cli", "cmd"},
	"golang.org/x/image":              {}, // tests
	"golang.org/x/text":               {"internal/tui", "text/tokenizer"},
	"github.com/rogpeppe/go-internal": {}, // tests

	"github.com/VictoriaMetrics/metrics": {"internal/serve"},
	"github.com/ulikunitz/xz":            {"internal/backend/cuda/kernels"},
}

// within reports whether pkg is root or lies under it.
func within(pkg, root string) bool {
	return pkg == root || strings.HasPrefix(pkg, root+"/")
}

func withinAny(pkg string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return within(pkg, root) })
}

// place returns where pkg stands in rows.
func place(pkg string) (row, column int, ok bool) {
	for r, packages := range rows {
		for c, p := range packages {
			if p == pkg {
				return r, c, true
			}
		}
	}
	return 0, 0, false
}

// kind says which rules a package follows.
type kind int

const (
	unknown  kind = iota
	floored       // in rows
	helper        // in support
	writer        // the generator
	showcase      // examples, documentation and scripts
)

func kindOf(pkg string) kind {
	switch {
	case withinAny(pkg, support):
		return helper
	case within(pkg, generator):
		return writer
	case within(pkg, "examples"), within(pkg, "docs"), within(pkg, "scripts"):
		return showcase
	}
	if _, _, ok := place(pkg); ok {
		return floored
	}
	return unknown
}
