package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/cpu"
)

// version is cresset's own.
const version = "0.1.0"

type versionCommand struct {
	JSON bool `name:"json" help:"Print a JSON object on stdout."`
}

// Run prints cresset's version, Go's, and what the CPU offers.
func (c *versionCommand) Run(s *session) error {
	v := struct {
		Version  string `json:"version"`
		Commit   string `json:"commit,omitempty"`
		Go       string `json:"go"`
		Platform string `json:"platform"`
		CPU      string `json:"cpu"`
	}{version, commit(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, cpuLevel()}
	if c.JSON {
		return json.NewEncoder(s.stdout).Encode(v)
	}
	fmt.Fprintf(s.stdout, "cresset %s\n%s %s\ncpu %s\n", v.Version, v.Go, v.Platform, v.CPU)
	return nil
}

// commit returns the commit that the program was built from, where Go recorded it.
func commit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return ""
}

// cpuLevel names the widest vector instructions that the CPU offers. Kernels are plain Go so far.
func cpuLevel() string {
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL:
		return "avx512"
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return "avx2"
	case cpu.ARM64.HasASIMD:
		return "neon"
	default:
		return "scalar"
	}
}
