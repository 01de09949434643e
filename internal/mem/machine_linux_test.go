package mem

import (
	"testing"
	"testing/fstest"
)

func TestMachineMemory(t *testing.T) {
	const gib = 1 << 30
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	meminfo := file("MemTotal:       16777216 kB\nMemFree:  1 kB\nMemAvailable:    8388608 kB\n")
	for _, tc := range []struct {
		name             string
		files            fstest.MapFS
		total, available int64
	}{
		{"no groups", fstest.MapFS{"proc/meminfo": meminfo}, 16 * gib, 8 * gib},
		{"nothing readable", fstest.MapFS{}, assumedMemory, assumedMemory},
		{"version 2 without a limit", fstest.MapFS{
			"proc/meminfo":                   meminfo,
			"proc/self/cgroup":               file("0::/user\n"),
			"sys/fs/cgroup/user/memory.max":  file("max\n"),
			"sys/fs/cgroup/user/memory.stat": file("inactive_file 5\n"),
		}, 16 * gib, 8 * gib},
		{"version 2, limit on the parent", fstest.MapFS{
			"proc/meminfo":                     meminfo,
			"proc/self/cgroup":                 file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max":     file("max\n"),
			"sys/fs/cgroup/a/memory.max":       file("4294967296\n"),
			"sys/fs/cgroup/a/memory.current":   file("3221225472\n"),
			"sys/fs/cgroup/a/memory.stat":      file("anon 1\ninactive_file 1073741824\n"),
			"sys/fs/cgroup/memory.max":         file("8589934592\n"),
			"sys/fs/cgroup/a/b/memory.current": file("0\n"),
		}, 4 * gib, 2 * gib},
		{"version 2, a container's own root", fstest.MapFS{
			"proc/meminfo":                 meminfo,
			"proc/self/cgroup":             file("0::/docker/1234\n"),
			"sys/fs/cgroup/memory.max":     file("2147483648\n"),
			"sys/fs/cgroup/memory.current": file("2147483648\n"),
		}, 2 * gib, 0},
		{"version 1 beside an empty version 2", fstest.MapFS{
			"proc/meminfo":     meminfo,
			"proc/self/cgroup": file("9:name=systemd:/\n4:cpu,memory:/job\n0::/\n"),
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": file("1073741824\n"),
			"sys/fs/cgroup/memory/job/memory.usage_in_bytes": file("536870912\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     file("9223372036854771712\n"),
			"sys/fs/cgroup/memory/memory.usage_in_bytes":     file("536870912\n"),
		}, gib, gib / 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := readTotal(tc.files); got != tc.total {
				t.Errorf("total = %d, want %d", got, tc.total)
			}
			if got := readAvailable(tc.files); got != tc.available {
				t.Errorf("available = %d, want %d", got, tc.available)
			}
		})
	}
}
