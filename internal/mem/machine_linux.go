package mem

import (
	"bufio"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// totalMemory returns the most bytes that this process can hold: the machine's memory, or less where a control group says
// so.
func totalMemory() int64 { return readTotal(os.DirFS("/")) }

// availableMemory returns how many bytes more this process can have now.
func availableMemory() int64 { return readAvailable(os.DirFS("/")) }

func readTotal(root fs.FS) int64 {
	total := kilobytes(root, "proc/meminfo", "MemTotal:")
	for _, g := range groups(root) {
		total = min(total, g.limit)
	}
	return total
}

func readAvailable(root fs.FS) int64 {
	left := kilobytes(root, "proc/meminfo", "MemAvailable:")
	for _, g := range groups(root) {
		left = min(left, g.limit-g.used+g.cache)
	}
	return max(left, 0)
}

// group is the memory of one control group, in bytes.
type group struct{ limit, used, cache int64 }

// hierarchy says where the two versions of control groups keep their numbers.
type hierarchy struct{ mount, limit, used, cache string }

var (
	groups1 = hierarchy{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}
	groups2 = hierarchy{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"}
)

// groups returns the control groups with a limit that the process is in, from its own to the root. In a container the path
// may not exist, but the root is the container's own group.
func groups(root fs.FS) (all []group) {
	data, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(data)) {
		// hierarchy-ID:controllers:path
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		h := groups2
		if fields[0] != "0" {
			if !strings.Contains(","+fields[1]+",", ",memory,") {
				continue
			}
			h = groups1
		}
		for at := path.Join("/", fields[2]); ; at = path.Dir(at) {
			if g, ok := h.read(root, at); ok {
				all = append(all, g)
			}
			if at == "/" {
				break
			}
		}
	}
	return all
}

func (h hierarchy) read(root fs.FS, at string) (g group, ok bool) {
	dir := path.Join(h.mount, at)
	if g.limit, ok = number(root, path.Join(dir, h.limit)); !ok {
		return g, false // "max", or no such group
	}
	g.used, _ = number(root, path.Join(dir, h.used))
	if s := field(root, path.Join(dir, "memory.stat"), h.cache); s != "" {
		g.cache, _ = strconv.ParseInt(s, 10, 64)
	}
	return g, true
}

func number(root fs.FS, name string) (int64, bool) {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return n, err == nil
}

// kilobytes returns, in bytes, a field that is counted in kB.
func kilobytes(root fs.FS, name, key string) int64 {
	n, err := strconv.ParseInt(field(root, name, key), 10, 64)
	if err != nil || n > math.MaxInt64/1024 {
		return assumedMemory
	}
	return n * 1024
}

// field returns the word after key in a file of lines "key word".
func field(root fs.FS, name, key string) string {
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if words := strings.Fields(lines.Text()); len(words) >= 2 && words[0] == key {
			return words[1]
		}
	}
	return ""
}
