package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
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
	damaged := func(f snapshotFile) bool { return d.damaged[f.number] }
	best := d.ranked(slices.DeleteFunc(slices.Clone(all), damaged))[0] // the one that was just written is whole
	kept := 0
	return slices.DeleteFunc(slices.Clone(all), func(f snapshotFile) bool {
		if kept < d.keep {
			if !damaged(f) {
				kept++
			}
			return true
		}
		return f.number == best.number
	})
}

// ranked returns snapshots, the newest first, so that the best measure comes first, and the newest of equal ones; those without a
// measure are last.
func (d *Snapshots) ranked(all []snapshotFile) []snapshotFile {
	worth := func(f snapshotFile) float64 {
		if d.sign == 0 || f.measure == nil {
			return math.NaN() // which cmp.Compare puts below every number
		}
		return d.sign * *f.measure
	}
	return slices.SortedStableFunc(slices.Values(all), func(a, b snapshotFile) int { return cmp.Compare(worth(b), worth(a)) })
}
