package smi

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

const maxArguments = 4096 // bytes of a command line that are read; a process can make it as long as it likes

// inspect returns a process's user, the names that it goes by, and its command line.
func inspect(pid int) (uid int, names, arguments []string, ok bool) {
	folder := fmt.Sprintf("/proc/%d/", pid)
	status, err := head(folder + "status")
	if err != nil {
		return 0, nil, nil, false
	}
	uid, comm, ok := readStatus(status)
	if !ok {
		return 0, nil, nil, false
	}
	names = []string{comm}
	if exe, err := os.Readlink(folder + "exe"); err == nil { // another user's is not told
		names = append(names, strings.TrimSuffix(exe, " (deleted)"))
	}
	if line, err := head(folder + "cmdline"); err == nil {
		if arguments = splitArguments(line); len(arguments) > 0 {
			names = append(names, arguments[0])
		}
	}
	if len(arguments) == 0 { // a process may empty its command line
		arguments = []string{comm}
	}
	return uid, names, arguments, true
}

func head(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxArguments))
	return string(data), err
}

// readStatus reads a process's name and its effective user from /proc/PID/status, where the name's own line breaks are
// escaped.
func readStatus(text string) (uid int, name string, ok bool) {
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		switch key {
		case "Name":
			name = strings.TrimSpace(value)
		case "Uid": // real, effective, saved, of the file system
			fields := strings.Fields(value)
			if len(fields) < 2 {
				return 0, "", false
			}
			uid, err := strconv.Atoi(fields[1])
			return uid, name, err == nil
		}
	}
	return 0, "", false
}

// splitArguments splits a command line, whose arguments end in zeros.
func splitArguments(line string) []string {
	line = strings.TrimRight(line, "\x00")
	if line == "" {
		return nil
	}
	return strings.Split(line, "\x00")
}
