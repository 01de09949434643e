package smi

import (
	"os/user"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Identity is what the operating system tells of a process. In a container whose GPUs report the process numbers of the host
// it tells nothing.
type Identity struct {
	User    string // who runs it: a name, or a number where that has no name; "" where it is not told
	Command string // the program and its arguments; "" where they are not told
}

// Identify asks the operating system who runs a process and how it was started. What it finds under the process's number
// counts only if it has the name that the GPU tells: numbers can be another container's, or used again.
func Identify(p Process) Identity {
	uid, names, arguments, ok := inspect(p.PID)
	if !ok || p.Name != "" && !sameProgram(p.Name, names) {
		return Identity{}
	}
	command := strings.Join(arguments, " ")
	if len(arguments) > 0 && path.IsAbs(arguments[0]) { // the folder says less than the arguments
		command = strings.Join(append([]string{path.Base(arguments[0])}, arguments[1:]...), " ")
	}
	return Identity{User: accounts.name(uid), Command: command}
}

// sameProgram reports whether a program that a GPU names, perhaps by its path, is one of those that a process goes by. Only
// the last parts are compared: a container mounts folders elsewhere.
func sameProgram(name string, names []string) bool {
	return slices.ContainsFunc(names, func(known string) bool { return known != "" && path.Base(known) == path.Base(name) })
}

// accountNames remembers the names of users: finding one reads a file, or asks the network.
type accountNames struct {
	mu    sync.Mutex
	names map[int]string
}

var accounts accountNames

const maxAccounts = 4096 // that are remembered

func (a *accountNames) name(uid int) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if name, known := a.names[uid]; known {
		return name
	}
	name := strconv.Itoa(uid)
	if account, err := user.LookupId(name); err == nil && account.Username != "" {
		name = account.Username
	}
	if a.names == nil || len(a.names) >= maxAccounts {
		a.names = map[int]string{}
	}
	a.names[uid] = name
	return name
}
