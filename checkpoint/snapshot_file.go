package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// snapshotFile is what the name of a snapshot's file tells.
type snapshotFile struct {
	number  int
	measure *float64 // nil where none was given
}

var snapshotName = regexp.MustCompile(`^snapshot-(\d{6,18})(?:_(.+))?\.pt$`)

func (f snapshotFile) name() string {
	if f.measure == nil {
		return fmt.Sprintf("snapshot-%06d.pt", f.number)
	}
	return fmt.Sprintf("snapshot-%06d_%s.pt", f.number, strconv.FormatFloat(*f.measure, 'g', -1, 64))
}

// listSnapshots returns the snapshots in a folder, the newest first.
func listSnapshots(dir string) ([]snapshotFile, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []snapshotFile
	for _, e := range entries {
		if f, ok := parseSnapshot(e.Name()); ok {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b snapshotFile) int { return cmp.Compare(b.number, a.number) })
	return all, nil
}

// parseSnapshot reads a name; one that name would not have made is not a snapshot's.
func parseSnapshot(name string) (f snapshotFile, ok bool) {
	parts := snapshotName.FindStringSubmatch(name)
	if parts == nil {
		return f, false
	}
	f.number, _ = strconv.Atoi(parts[1])
	if parts[2] != "" {
		v, err := strconv.ParseFloat(parts[2], 64)
		if err != nil {
			return f, false
		}
		f.measure = &v
	}
	return f, f.name() == name
}

// surplus returns which of all snapshots, the newest first, are no longer kept. Damaged ones are not among the newest.
func (d *Snapshots) surplus(all []snapshotFile) []snapshotFile {
	best := d.best(all)
	kept := 0
	return slices.DeleteFunc(slices.Clone(all), func(f snapshotFile) bool {
		if kept < d.keep {
			if !d.damaged[f.number] {
				kept++
			}
			return true
		}
		return best != nil && f.number == best.number
	})
}

// best returns the snapshot of the best measure, the newest of equal ones, nil where none has one.
func (d *Snapshots) best(all []snapshotFile) (best *snapshotFile) {
	for i, f := range all {
		switch {
		case d.sign == 0 || f.measure == nil || *f.measure != *f.measure || d.damaged[f.number]:
		case best == nil || d.sign**f.measure > d.sign**best.measure:
			best = &all[i]
		}
	}
	return best
}

// Best returns the path of the snapshot with the best measure, that of the newest where none has one or KeepLowest and KeepHighest
// are not given, and "" where there is none.
func (d *Snapshots) Best() (string, error) {
	all, err := listSnapshots(d.dir)
	if err != nil || len(all) == 0 {
		return "", err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if best := d.best(all); best != nil {
		return filepath.Join(d.dir, best.name()), nil
	}
	return filepath.Join(d.dir, all[0].name()), nil
}
