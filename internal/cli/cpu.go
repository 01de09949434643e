package cli

import (
	"bufio"
	"io/fs"
	"runtime"
	"strings"
)

// readCPU returns the name of the CPU and the number of its cores, from Linux's /proc/cpuinfo. Where that is missing or
// silent, as on arm64, they are the architecture and the number of logical CPUs.
func readCPU(root fs.FS) (name string, cores int) {
	name = runtime.GOARCH
	seen := map[string]bool{}
	if f, err := root.Open("proc/cpuinfo"); err == nil {
		defer f.Close()
		socket := ""
		for lines := bufio.NewScanner(f); lines.Scan(); {
			key, value, _ := strings.Cut(lines.Text(), ":")
			value = strings.TrimSpace(value)
			switch strings.TrimSpace(key) {
			case "model name":
				name = value
			case "physical id":
				socket = value
			case "core id":
				seen[socket+"/"+value] = true // hyperthreads share one
			}
		}
	}
	if cores = len(seen); cores == 0 {
		cores = runtime.NumCPU()
	}
	return name, cores
}
