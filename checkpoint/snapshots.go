package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"cresset/internal/filelock"
	"cresset/tensor"
)

// SnapshotsOption is an option of NewSnapshots: Keep, KeepLowest, KeepHighest.
type SnapshotsOption func(*Snapshots)

// Keep is how many of the newest snapshots stay in the folder, 3 unless given.
func Keep(n int) SnapshotsOption { return func(d *Snapshots) { d.keep = max(n, 1) } }

// KeepLowest keeps the snapshot of the lowest Measure too, a loss for example.
func KeepLowest(on bool) SnapshotsOption { return keepBest(on, -1) }

// KeepHighest keeps the snapshot of the highest Measure too, an accuracy for example.
func KeepHighest(on bool) SnapshotsOption { return keepBest(on, 1) }

func keepBest(on bool, sign float64) SnapshotsOption {
	return func(d *Snapshots) {
		if on {
			d.sign = sign
		} else {
			d.sign = 0
		}
	}
}

// SaveOption is an option of Snapshots.Save and SaveAsync: Measure.
type SaveOption func(*saving)

type saving struct{ measure *float64 }

// Measure says how good the training is at a snapshot, for KeepLowest and KeepHighest. It stands in the file's name.
func Measure(v float64) SaveOption { return func(s *saving) { s.measure = &v } }

// Snapshots is a folder with the snapshots of one training, from the first on: snapshot-000001.pt, or snapshot-000001_0.9375.pt
// with a Measure. Each is a file that torch.load reads too, with a dict of what the Snapshot names. A snapshot is written beside
// its place, synced and renamed, so that one that is there is whole, whenever the program or the machine stops.
type Snapshots struct {
	dir  string
	keep int
	sign float64 // of the best measure: 1 for the highest, -1 for the lowest, 0 where the best is not kept
	disk disk

	mu      sync.Mutex // held while a snapshot is written
	lock    *os.File   // nil before the first is
	damaged map[int]bool

	calls   sync.Mutex // guards what follows
	pending chan error // what SaveAsync comes to, nil where it was asked for
}

// NewSnapshots returns the snapshots in a folder, which the first Save makes where it is missing.
func NewSnapshots(dir string, opts ...SnapshotsOption) *Snapshots {
	d := &Snapshots{dir: dir, keep: 3, disk: system{}, damaged: make(map[int]bool)}
	for _, set := range opts {
		if set != nil {
			set(d)
		}
	}
	return d
}

// ErrLocked is the error of Lock and Save where another process writes snapshots into the folder.
var ErrLocked = errors.New("another process writes snapshots there")

// Lock keeps other processes from writing snapshots into the folder, which it makes where it is missing, until Close or until this
// process ends. The first Save does so too; a training that resumes calls Lock before. The error is ErrLocked where another
// process was first.
func (d *Snapshots) Lock() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.enter()
}

// Save writes a snapshot, and then removes those that are no longer kept. It locks the folder, as Lock does. What the SaveAsync
// before failed with is returned too.
func (d *Snapshots) Save(s Snapshot, opts ...SaveOption) error {
	failed := d.Wait()
	state, err := s.capture()
	if err == nil {
		err = d.write(state, collectSaving(opts))
	}
	return errors.Join(failed, err)
}

// SaveAsync copies the state, then returns and writes the copy while the program goes on. What that fails with, the next call of
// Save, SaveAsync, Wait or Close returns; a call waits for the file before.
func (d *Snapshots) SaveAsync(s Snapshot, opts ...SaveOption) error {
	failed := d.Wait()
	state, err := s.capture()
	if err == nil {
		err = try(func() error {
			f := frozen{make(map[any]*tensor.Tensor)}
			state = f.value(state).(map[string]any)
			return nil
		})
	}
	if err != nil {
		return errors.Join(failed, err)
	}
	done := make(chan error, 1)
	go func() { done <- d.write(state, collectSaving(opts)) }()
	d.calls.Lock()
	defer d.calls.Unlock()
	d.pending = done
	return failed
}

func collectSaving(opts []SaveOption) (s saving) {
	for _, set := range opts {
		if set != nil {
			set(&s)
		}
	}
	return s
}

// Wait returns when what SaveAsync writes is written, with what it failed with.
func (d *Snapshots) Wait() error {
	d.calls.Lock()
	defer d.calls.Unlock()
	if d.pending == nil {
		return nil
	}
	err := <-d.pending
	d.pending = nil
	return err
}

// Close waits as Wait does, and lets other processes write into the folder.
func (d *Snapshots) Close() error {
	failed := d.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock == nil {
		return failed
	}
	err := filelock.Unlock(d.lock)
	d.lock = nil
	return errors.Join(failed, err)
}

// write writes a snapshot.
func (d *Snapshots) write(state map[string]any, s saving) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.enter(); err != nil {
		return err
	}
	all, err := listSnapshots(d.dir)
	if err != nil {
		return err
	}
	next := snapshotFile{number: 1, measure: s.measure}
	if len(all) > 0 {
		next.number = all[0].number + 1
	}
	path := filepath.Join(d.dir, next.name())
	on := option(func(o *options) { o.disk = lockedDisk{d.disk, d} })
	if err := try(func() error { return WriteValue(path, state, on) }); err != nil {
		return err
	}
	for _, old := range d.surplus(append([]snapshotFile{next}, all...)) {
		if err := d.disk.remove(filepath.Join(d.dir, old.name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is written, but an old snapshot stays: %w", path, err)
		}
	}
	return nil
}

// Found is the snapshot that Resume or Best has taken.
type Found struct {
	Path    string  // "" where the folder has none
	Skipped []error // why those that came before it could not be read, the first of them first
}

// Resume restores the newest snapshot that can be read. Damaged ones are passed over, and Skipped tells why; where there are
// snapshots and none can be read, the error does. A folder without snapshots, or none, changes nothing and is no error. An error
// about a snapshot that does not fit, such as a *nn.StateError, may leave a part of it restored.
func (d *Snapshots) Resume(s Snapshot) (Found, error) {
	failed := d.Wait()
	all, err := listSnapshots(d.dir)
	if err != nil || failed != nil {
		return Found{}, errors.Join(failed, err)
	}
	return d.first(all, s.restore)
}

// Best finds the snapshot of the best measure among those that can be read, which it tries; the newest where none has a measure or
// KeepLowest and KeepHighest are not given. Damaged ones and folders without snapshots are as for Resume.
func (d *Snapshots) Best() (Found, error) {
	all, err := listSnapshots(d.dir)
	if err != nil {
		return Found{}, err
	}
	return d.first(d.ranked(all), func(map[string]any) error { return nil })
}

// first takes the first snapshot that can be read.
func (d *Snapshots) first(files []snapshotFile, take func(state map[string]any) error) (Found, error) {
	var r Found
	for _, file := range files {
		path := filepath.Join(d.dir, file.name())
		state, err := readSnapshot(path)
		switch {
		case err == nil:
			if err := take(state); err != nil {
				return r, fmt.Errorf("%s: %w", path, err)
			}
			r.Path = path
			return r, nil
		case errors.Is(err, fs.ErrPermission):
			return r, err
		}
		r.Skipped = append(r.Skipped, err)
		d.mu.Lock()
		d.damaged[file.number] = true
		d.mu.Unlock()
	}
	if len(r.Skipped) == 0 {
		return r, nil
	}
	return r, fmt.Errorf("%s: no snapshot is whole: %w", d.dir, errors.Join(r.Skipped...))
}

// readSnapshot reads all of a snapshot.
func readSnapshot(path string) (map[string]any, error) {
	f, err := openFile(path, Limits{}.orDefault(), shardReaders)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var v any
	if err := try(func() error { v, err = f.Value(); return err }); err != nil {
		return nil, err
	}
	state, ok := v.(map[string]any)
	if !ok {
		return nil, &FormatError{File: path, Expected: "the dict of a snapshot", Found: "another value"}
	}
	return state, nil
}
