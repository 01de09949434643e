// Package tenants tells the programs that share a simulated machine of each other. Each keeps one small file in a folder
// that only its user can write: what it holds of each GPU, and how busy it keeps it.
//
// Nothing here waits for another program. A file that is half written, hostile or of a program that has ended counts for
// nothing.
package tenants

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Usage is what a program has of a GPU.
type Usage struct {
	UUID        string `json:"uuid"`
	Memory      uint64 `json:"memory"`      // bytes
	Utilization int    `json:"utilization"` // percent of the time since the last publication
}

// Tenant is a program that uses the machine.
type Tenant struct {
	PID  int
	Name string // path of the program, with whatever bytes its user has chosen
	GPUs []Usage
}

// Table is a program's place at a machine. A nil Table is one at a machine of its own: it shows nothing and sees nobody.
type Table struct {
	folder string
	own    entry // what does not change of this program's file

	mu     sync.Mutex
	seen   []Tenant // the others, when it last looked
	looked time.Time
}

// Join returns a place at the machine whose programs keep their files in folder, which only the user can write; see Folder.
// It is made with the first file.
func Join(folder string) *Table {
	pid := os.Getpid()
	return &Table{folder: folder, own: entry{
		Version: version,
		ID:      strconv.FormatUint(rand.Uint64(), 36), // a program may have several places
		PID:     pid,
		Started: started(pid),
		Name:    programName(),
	}}
}

// programName returns this program's path, cut to what an entry may hold.
func programName() string {
	name, err := os.Executable()
	if err != nil && len(os.Args) > 0 {
		name = os.Args[0]
	}
	name = strings.ToValidUTF8(name, "?")
	for len(name) > maxName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	if name == "" {
		return "?"
	}
	return name
}

// Publish tells the others what this program uses from now on; nothing takes it off the machine.
func (t *Table) Publish(gpus []Usage) error {
	if t == nil {
		return nil
	}
	if len(gpus) == 0 {
		return t.withdraw()
	}
	e := t.own
	e.GPUs = gpus
	return e.write(t.folder)
}

// Others returns the other programs at the machine, in the order of their process numbers, as they were at most age ago.
func (t *Table) Others(age time.Duration) []Tenant {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); t.looked.IsZero() || now.Sub(t.looked) > age {
		t.seen, t.looked = read(t.folder, t.own.ID), now
	}
	return t.seen
}

// Held returns how much memory of a GPU the others hold, as it was at most age ago.
func (t *Table) Held(uuid string, age time.Duration) (bytes uint64) {
	for _, other := range t.Others(age) {
		for _, u := range other.GPUs {
			if u.UUID == uuid {
				bytes += u.Memory // each is small enough for a sum of all
			}
		}
	}
	return bytes
}
