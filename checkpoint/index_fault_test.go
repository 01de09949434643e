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

	"cresset/internal/devicetest"
	"cresset/tensor"
)

// TestShardsThroughFaults writes a set of shards over an older model while each operation of the disk fails, or is the last before
// a crash that loses any of the names that were not synced: the folder holds the old model or the new one, or cannot be read.
func TestShardsThroughFaults(t *testing.T) {
	devicetest.JudgesValues(t)
	sharded := ShardSize(40)
	for _, old := range []struct {
		name string
		opts []WriteOption
	}{{"a set", []WriteOption{sharded}}, {"a file", nil}} {
		for _, crash := range []bool{false, true} {
			faults, lost := 0, uint(0)
			for failed := true; failed; {
				name := fmt.Sprintf("over %s, crash %t, operation %d, names %b lost", old.name, crash, faults, lost)
				dir := t.TempDir()
				path := filepath.Join(dir, "model.safetensors")
				if err := Write(path, threeOf(1), old.opts...); err != nil {
					t.Fatal(err)
				}
				disk := newFaultyDisk(faults, syscall.EIO, crash)
				err := Write(path, threeOf(2), sharded, option(func(o *options) { o.disk = disk }))
				if failed = disk.failed; failed != errors.Is(err, syscall.EIO) || !failed && err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if !crash {
					checkNoDrafts(t, dir, name)
				} else {
					disk.lose(t, lost)
				}
				if got := modelIn(t, dir, name); err == nil && got != 2 {
					t.Errorf("%s: the set is written, and the folder holds %d", name, got)
				}
				if err := Write(path, threeOf(3), sharded); err != nil || modelIn(t, dir, name) != 3 {
					t.Errorf("%s: the next set: %v", name, err)
				}
				if lost++; !crash || lost >= 1<<len(disk.undo) {
					faults, lost = faults+1, 0
				}
			}
			if faults < 20 {
				t.Errorf("over %s: there were %d operations that could fail", old.name, faults)
			}
		}
	}
}

// threeOf returns the tensors of a model, all of whose elements are v.
func threeOf(v float32) map[string]*tensor.Tensor {
	all := map[string]*tensor.Tensor{}
	for _, name := range []string{"a", "b", "c"} {
		all[name] = tensor.Full([]int{10}, v)
	}
	return all
}

// modelIn returns what the elements of the model in a folder are; 0 where it cannot be read.
func modelIn(t *testing.T, dir, name string) int {
	t.Helper()
	f, err := Open(dir)
	if err != nil {
		return 0
	}
	defer f.Close()
	all, err := f.Tensors()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	found := map[float32]bool{}
	for _, x := range all {
		for _, v := range tensor.Data[float32](x) {
			found[v] = true
		}
	}
	if len(all) != 3 || len(found) != 1 {
		t.Fatalf("%s: %d tensors with elements of the models %v", name, len(all), found)
	}
	return int(tensor.Data[float32](all["a"])[0])
}

// checkNoDrafts wants no part of a file that failed to be written.
func checkNoDrafts(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".tmp") }) {
		t.Errorf("%s: the folder holds %v", name, entries)
	}
}
