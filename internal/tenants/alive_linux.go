package tenants

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// started returns when a process started, in ticks since the system did; 0 where it has ended or cannot be seen.
func started(pid int) uint64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name in parentheses may hold anything; what follows it are fields from the third on, which is the state. The 22nd
	// is the start.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 20 || string(fields[0]) == "Z" {
		return 0
	}
	ticks, _ := strconv.ParseUint(string(fields[19]), 10, 64)
	return ticks
}

// alive reports whether the process that started then still runs; 0 is any time.
func alive(pid int, then uint64) bool {
	now := started(pid)
	return now != 0 && (then == 0 || now == then)
}
