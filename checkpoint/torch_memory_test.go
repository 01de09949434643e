package checkpoint

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"cresset/internal/devicetest"
	"cresset/internal/pickle"
	"cresset/tensor"
)

// TestTorchMemoryOfHostileFiles refuses what would take more memory than 16 MiB and the file's size, before it takes it.
func TestTorchMemoryOfHostileFiles(t *testing.T) {
	devicetest.JudgesValues(t)
	doubling := &pickle.List{Items: []any{six}}
	empty := &pickle.List{}
	for range 64 {
		doubling = &pickle.List{Items: []any{doubling, doubling}}
		empty = &pickle.List{Items: []any{empty, empty}}
	}
	many := new(pickle.List)
	for range 100_000 {
		many.Items = append(many.Items, floats(storageOf("0", 6), 0, []int{1}, []int{1}))
	}
	storages := new(pickle.List)
	for i := range 100_000 {
		storages.Items = append(storages.Items, storageOf(fmt.Sprint(i), 0))
	}
	for _, tc := range []struct {
		name  string
		value any
		want  string
	}{
		{"lists that double", doubling, "bytes of values"},
		{"lists that double without a tensor", &pickle.List{Items: []any{empty, six}}, ""},
		{"many tensors in little memory", many, "bytes of values"},
		{"many storages", storages, "bytes of values"},
	} {
		content := zipOf(torchMembers(tc.value), zip.Store)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := openBytes(content, Limits{})
		runtime.ReadMemStats(&after)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: got %v, want %q", tc.name, err, tc.want)
		}
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(16<<20+len(content)); got > most {
			t.Errorf("%s: %d bytes were allocated for a file of %d", tc.name, got, len(content))
		}
	}
}

// TestMemoryOfManyMembers refuses archives of members without content, of which there are more than bytes for them.
func TestMemoryOfManyMembers(t *testing.T) {
	devicetest.JudgesValues(t)
	for _, n := range []int{19_000, 150_000} {
		members := torchMembers(six)
		delete(members, "a/version")
		for i := range n {
			members[fmt.Sprintf("%x", i)] = ""
		}
		content := zipOf(members, zip.Store)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := openBytes(content, Limits{})
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%d members are read", n)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > uint64(16<<20+len(content)) {
			t.Errorf("%d members: %d bytes were allocated for a file of %d: %v", n, got, len(content), err)
		}
	}
}

// TestTorchManySmallTensors reads what is listed in more memory than it has in the file.
func TestTorchManySmallTensors(t *testing.T) {
	value := new(pickle.Dict)
	for i := range 5_000 {
		if err := value.Set(fmt.Sprintf("layers.%d.bias", i), floats(storageOf("0", 6), 0, []int{2}, []int{1})); err != nil {
			t.Fatal(err)
		}
	}
	content := zipOf(torchMembers(value), zip.Store)
	if f, err := openBytes(content, Limits{}); err != nil || len(f.Entries()) != 5_000 {
		t.Errorf("5,000 tensors: %v", err)
	}
	var limit *pickle.LimitError
	if _, err := openBytes(content, Limits{Values: 1 << 20}); !errors.As(err, &limit) {
		t.Errorf("with a limit of 1 MiB: %v", err)
	}
}

// TestTorchAsManyTensorsAsAreAllowed reads 65,536 tensors of an element each, which take far more memory than in the file.
func TestTorchAsManyTensorsAsAreAllowed(t *testing.T) {
	devicetest.JudgesValues(t)
	most := Limits{}.orDefault().Tensors
	given := make([]*tensor.Tensor, most)
	for i := range given {
		given[i] = tensor.Of(float32(i))
	}
	for _, format := range []Format{PyTorch, PyTorchLegacy} {
		path := filepath.Join(t.TempDir(), "x.pt")
		if err := WriteValue(path, given, format); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		if n := len(f.Entries()); n != most {
			t.Errorf("%s: %d tensors, want %d", format, n, most)
		}
		f.Close()
	}
}

// TestTorchMutations cuts each golden short and changes single bits: what comes of it is read or refused, in little memory.
func TestTorchMutations(t *testing.T) {
	devicetest.JudgesValues(t)
	files, err := filepath.Glob("testdata/*.pt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		step := 1 + len(content)/120
		for i := 0; i < len(content); i += step {
			readMutation(t, fmt.Sprintf("%d bytes of %s", i, file), content[:i])
			changed := slices.Clone(content)
			changed[i] ^= 1 << (i % 8)
			readMutation(t, fmt.Sprintf("byte %d of %s", i, file), changed)
		}
	}
}

func readMutation(t *testing.T, what string, content []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := openBytes(content, Limits{Bytes: 1 << 24})
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(16<<20+len(content)); got > most {
		t.Errorf("%s: %d bytes were allocated", what, got)
	}
	if err == nil {
		if _, err = f.Value(); err == nil {
			return
		}
	}
	refusal(t, err)
}
