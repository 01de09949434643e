package tenants

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	version   = 1
	suffix    = ".json"
	maxBytes  = 64 << 10 // of an entry
	maxName   = 1024     // bytes
	maxGPUs   = 64       // of an entry
	maxMemory = 1 << 43  // bytes; more than any GPU has, and few enough for a sum
	maxFiles  = 4096     // that are looked at
)

// entry is a program's file: <process number>-<id>.json.
type entry struct {
	Version int     `json:"version"`
	ID      string  `json:"id"`
	PID     int     `json:"pid"`
	Started uint64  `json:"started"` // tells apart programs that had one number; 0 where the system does not say
	Name    string  `json:"name"`
	GPUs    []Usage `json:"gpus"`
}

func (e *entry) file() string { return fmt.Sprintf("%d-%s%s", e.PID, e.ID, suffix) }

// write puts the entry in place whole: a reader sees the old one or the new one. It makes the folder, which the last program
// to leave removes.
func (e *entry) write(folder string) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	for range 3 { // others may leave meanwhile
		if err = e.place(folder, data); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err = os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return e.place(folder, data)
}

func (e *entry) place(folder string, data []byte) error {
	name := filepath.Join(folder, e.file())
	partial := strings.TrimSuffix(name, suffix) + ".partial"
	if err := os.WriteFile(partial, data, 0o600); err != nil {
		return err
	}
	return os.Rename(partial, name)
}

func (t *Table) withdraw() error {
	err := os.Remove(filepath.Join(t.folder, t.own.file()))
	os.Remove(t.folder) // which fails while others are there
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// read returns the live programs of a folder but the one with an id, and removes what dead ones have left.
func read(folder, except string) (all []Tenant) {
	root, err := os.OpenRoot(folder) // no link leads out of it
	if err != nil {
		return nil
	}
	defer root.Close()
	for _, file := range list(root) {
		pid, id, ok := parseName(file)
		if !ok || id == except {
			continue
		}
		e, err := load(root, file)
		switch {
		case err != nil || e.PID != pid || e.ID != id:
			if !alive(pid, 0) {
				root.Remove(file)
			}
		case !alive(pid, e.Started):
			root.Remove(file)
		default:
			all = append(all, Tenant{e.PID, e.Name, e.GPUs})
		}
	}
	if len(all) == 0 {
		os.Remove(folder) // which fails while anything is there
	}
	slices.SortStableFunc(all, func(a, b Tenant) int { return cmp.Compare(a.PID, b.PID) })
	return all
}

func list(root *os.Root) []string {
	dir, err := root.Open(".")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(maxFiles) // what could be read is enough
	slices.Sort(names)
	return names
}

// parseName splits the name of a file of this package, half-written ones included.
func parseName(file string) (pid int, id string, ok bool) {
	stem, isEntry := strings.CutSuffix(file, suffix)
	if !isEntry {
		stem, ok = strings.CutSuffix(file, ".partial")
		if !ok {
			return 0, "", false
		}
	}
	number, id, ok := strings.Cut(stem, "-")
	if !ok || id == "" {
		return 0, "", false
	}
	if _, err := fmt.Sscanf(number, "%d", &pid); err != nil || fmt.Sprint(pid) != number || pid < 1 || pid > 1<<31-1 {
		return 0, "", false
	}
	return pid, id, true
}

var errEntry = errors.New("not an entry")

// load reads an entry, which anyone with the user's rights may have written.
func load(root *os.Root, file string) (*entry, error) {
	info, err := root.Lstat(file)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(file, suffix) || !info.Mode().IsRegular() || info.Size() > maxBytes {
		return nil, errEntry // a pipe would be waited for
	}
	f, err := root.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes))
	if err != nil {
		return nil, err
	}
	return parse(data)
}

func parse(data []byte) (*entry, error) {
	e := &entry{}
	if err := json.Unmarshal(data, e); err != nil {
		return nil, err
	}
	if !e.sound() {
		return nil, errEntry
	}
	return e, nil
}

func (e *entry) sound() bool {
	if e.Version != version || e.Name == "" || len(e.Name) > maxName || !utf8.ValidString(e.Name) || len(e.GPUs) > maxGPUs {
		return false
	}
	for i, u := range e.GPUs {
		if u.UUID == "" || u.Memory > maxMemory || u.Utilization < 0 || u.Utilization > 100 {
			return false
		}
		if slices.ContainsFunc(e.GPUs[:i], func(other Usage) bool { return other.UUID == u.UUID }) {
			return false
		}
	}
	return true
}
