package cli

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"cresset/smi"
)

// environment is what a report of a GPU has to say for others to make sense of it.
type environment struct {
	versions
	System   string `json:"system,omitempty"` // "Debian GNU/Linux 12 (bookworm)", where it has a name
	Host     string `json:"host_cpu"`
	Compiler string `json:"compiler,omitempty"` // the library that compiles kernels for the driver, or what is wrong with it
	NVML     string `json:"nvml,omitempty"`     // what watches GPUs, or what is wrong with it
}

// environmentOf adds to what the doctor found what it did not look for.
func environmentOf(d diagnosis) environment {
	e := environment{versions: ownVersions(), System: systemName(os.DirFS("/")), Compiler: d.Compiler, NVML: nvml()}
	e.Driver = d.Driver
	e.Host, _ = readCPU(os.DirFS("/"))
	if d.CompilerProblem != "" {
		e.Compiler = d.CompilerProblem
	}
	return e
}

// String is a line for each part.
func (e environment) String() string {
	var b strings.Builder
	for _, line := range [...][2]string{
		{"cresset", e.Version + e.source() + ", " + e.Go}, {"system", strings.TrimSuffix(e.Platform+", "+e.System, ", ")}, {"cpu", e.Host + ", " + e.CPU},
		{"driver", e.Driver}, {"compiler", e.Compiler}, {"nvml", e.NVML},
	} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%-8s %s\n", line[0], line[1])
		}
	}
	return b.String()
}

// nvml says which driver NVML speaks of and how many GPUs it sees, or why it does not.
func nvml() string {
	found, err := smi.Take()
	switch {
	case found == nil:
		return firstLine(err.Error())
	case found.Source != smi.NVML:
		return "none, and the driver is asked"
	}
	text := fmt.Sprintf("driver %s, %s", found.Driver, count(len(found.GPUs), "GPU", "s"))
	if err != nil {
		text += "; " + firstLine(err.Error())
	}
	return text
}

// systemName returns the name of a Linux distribution, and nothing elsewhere.
func systemName(root fs.FS) string {
	f, err := root.Open("etc/os-release")
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "PRETTY_NAME="); ok {
			return strings.Trim(name, `"'`)
		}
	}
	return ""
}
