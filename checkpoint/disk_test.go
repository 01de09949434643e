package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// faultyDisk fails at one of its operations, or stops there as a machine that loses its power does: nothing that follows happens,
// and what was not synced is lost.
type faultyDisk struct {
	system
	left  int // operations before the fault
	fault error
	crash bool

	failed   bool
	unsynced map[string]bool // files
	undo     []func() error  // of each change of a name, in folders that were not synced
}

func newFaultyDisk(left int, fault error, crash bool) *faultyDisk {
	return &faultyDisk{left: left, fault: fault, crash: crash, unsynced: make(map[string]bool)}
}

// step fails where the fault is, and after a crash.
func (d *faultyDisk) step() error {
	d.left--
	if d.left == -1 || d.failed && d.crash {
		d.failed = true
		return d.fault
	}
	return nil
}

func (d *faultyDisk) create(path string, mode os.FileMode) (diskFile, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	f, err := d.system.create(path, mode)
	d.unsynced[path] = true
	return &faultyFile{f, d}, err
}

func (d *faultyDisk) rename(from, to string) error {
	if err := d.step(); err != nil {
		return err
	}
	before := d.restorer(to)
	d.undo = append(d.undo, func() error { return errors.Join(os.Rename(to, from), before()) })
	return d.system.rename(from, to)
}

func (d *faultyDisk) remove(path string) error {
	if err := d.step(); err != nil {
		return err
	}
	d.undo = append(d.undo, d.restorer(path))
	return d.system.remove(path)
}

// restorer returns what puts a file that stands at path at this moment there again, unless another is there.
func (d *faultyDisk) restorer(path string) func() error {
	content, err := os.ReadFile(path)
	return func() error {
		if _, there := os.Stat(path); err != nil || there == nil {
			return nil
		}
		return os.WriteFile(path, content, 0o666)
	}
}

func (d *faultyDisk) syncFolder(dir string) error {
	if err := d.step(); err != nil {
		return err
	}
	d.undo = nil
	return d.system.syncFolder(dir)
}

// faultyFile is a file on a faultyDisk.
type faultyFile struct {
	diskFile
	on *faultyDisk
}

func (f *faultyFile) Write(p []byte) (int, error) {
	if err := f.on.step(); err != nil {
		n, _ := f.diskFile.Write(p[:len(p)/2]) // the disk became full
		return n, err
	}
	return f.diskFile.Write(p)
}

func (f *faultyFile) Sync() error {
	if err := f.on.step(); err != nil {
		return err
	}
	delete(f.on.unsynced, f.Name())
	return f.diskFile.Sync()
}

func (f *faultyFile) Close() error {
	if err := f.on.step(); err != nil {
		f.diskFile.Close()
		return err
	}
	return f.diskFile.Close()
}

// lose does to the files what a crash may do: elements go that were not synced, and of the changes of names that no folder was
// synced with those whose bit is set.
func (d *faultyDisk) lose(t *testing.T, changes uint) {
	t.Helper()
	for path := range d.unsynced {
		if info, err := os.Stat(path); err == nil {
			if err := os.Truncate(path, info.Size()/2); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, undo := range slices.Backward(d.undo) {
		if changes>>i&1 == 0 {
			continue
		}
		if err := undo(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSaveThroughFaults saves again while each operation of the disk fails, or is the last before a crash: afterwards there is the
// snapshot before or the new one, whole, and the next Save works and leaves nothing behind.
func TestSaveThroughFaults(t *testing.T) {
	kinds := []struct {
		name        string
		crash, lost bool
	}{{"fails", false, false}, {"crash", true, false}, {"crash that loses what was not synced", true, true}}
	for _, kind := range kinds {
		faults := 0
		for ; ; faults++ {
			disk := newFaultyDisk(faults, syscall.ENOSPC, kind.crash)
			if !saveThrough(t, disk, kind.lost, fmt.Sprintf("%s at operation %d", kind.name, faults)) {
				break
			}
		}
		if faults < 7 { // create, write, sync, close, rename, sync the folder, remove
			t.Errorf("%s: there were %d operations that could fail", kind.name, faults)
		}
	}
}

// saveThrough reports whether the disk failed.
func saveThrough(t *testing.T, disk *faultyDisk, lose bool, name string) bool {
	t.Helper()
	dir := t.TempDir()
	value, weights := 1, make([]float64, 100)
	s := Snapshot{"value": &value, "weights": &weights}
	before := NewSnapshots(dir, Keep(1))
	if err := errors.Join(before.Save(s), before.Close()); err != nil {
		t.Fatal(err)
	}
	d := NewSnapshots(dir, Keep(1))
	d.disk = disk
	value = 2
	saved := d.Save(s)
	if disk.failed != (saved != nil) || saved != nil && !errors.Is(saved, syscall.ENOSPC) {
		t.Errorf("%s: got %v", name, saved)
	}
	d.Close()
	if lose {
		disk.lose(t, ^uint(0))
	}
	value = 0
	after := NewSnapshots(dir, Keep(1))
	defer after.Close()
	r, err := after.Resume(s)
	if err != nil || len(r.Skipped) > 0 || value != 2 && (value != 1 || saved == nil) {
		t.Errorf("%s: resumed with %d, %+v, %v", name, value, r, err)
	}
	value = 3
	if err := after.Save(s); err != nil {
		t.Errorf("%s: the next Save: %v", name, err)
	}
	if left := filesIn(t, dir); len(left) != 1 || !strings.HasPrefix(left[0], "snapshot-") {
		t.Errorf("%s: the folder holds %v", name, left)
	}
	if err := d.disk.remove(filepath.Join(dir, "none")); disk.crash && disk.failed && err == nil {
		t.Errorf("%s: the disk works after a crash", name)
	}
	return disk.failed
}

// TestErrorsOfSaveAsyncComeBack wants the error of a file that is written in the background from each call that may follow.
func TestErrorsOfSaveAsyncComeBack(t *testing.T) {
	value := 1
	s := Snapshot{"value": &value}
	for name, next := range map[string]func(d *Snapshots) error{
		"Save":      func(d *Snapshots) error { return d.Save(s) },
		"SaveAsync": func(d *Snapshots) error { return d.SaveAsync(s) },
		"Wait":      (*Snapshots).Wait,
		"Close":     (*Snapshots).Close,
		"Resume":    func(d *Snapshots) error { _, err := d.Resume(s); return err },
	} {
		d := NewSnapshots(t.TempDir())
		d.disk = newFaultyDisk(1, syscall.EROFS, false)
		if err := d.SaveAsync(s); err != nil {
			t.Errorf("%s: SaveAsync itself: %v", name, err)
		}
		if err := next(d); !errors.Is(err, syscall.EROFS) {
			t.Errorf("%s: got %v", name, err)
		}
		if err := errors.Join(d.Wait(), d.Close()); err != nil {
			t.Errorf("%s: told again: %v", name, err)
		}
	}
}
