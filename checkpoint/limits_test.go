package checkpoint

import (
	"archive/zip"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cresset/internal/pickle"
)

// TestTorchLimits refuses a sound file by each limit that a caller sets, in both of PyTorch's formats.
func TestTorchLimits(t *testing.T) {
	value := pickle.Tuple{six, floats(storageOf("1", 6), 0, []int{6}, []int{1}), strings.Repeat("x", 5000)}
	members := torchMembers(value)
	members["a/data/1"] = members["a/data/0"]
	elements := "\x06\x00\x00\x00\x00\x00\x00\x00" + members["a/data/0"]
	files := map[string][]byte{
		"zip":    zipOf(members, zip.Store),
		"legacy": legacyOf(elements+elements, torchMagic, 1001, dictOf(), value, &pickle.List{Items: []any{"0", "1"}}),
	}
	for form, content := range files {
		if f, err := openBytes(content, Limits{}); err != nil || len(f.Entries()) != 2 {
			t.Fatalf("%s: %v", form, err)
		}
		for _, c := range []struct {
			limits Limits
			want   string
		}{
			{Limits{Tensors: 1}, "more than 1 storages"},
			{Limits{Bytes: 47}, "at most 47 bytes of tensors"},
			{Limits{Values: 5000}, "more than 5000 bytes of values"},
			{Limits{Depth: 1}, "more than 1 "},
			{Limits{Ops: 20}, "more than 20 steps"},
		} {
			_, err := openBytes(content, c.limits)
			var format *FormatError
			if !errors.As(err, &format) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %+v: got %v, want %s", form, c.limits, err, c.want)
			}
		}
	}
	if _, err := openBytes(files["zip"], Limits{Header: 2000}); err == nil || !strings.Contains(err.Error(), "expected at most 2000 bytes, but found") {
		t.Errorf("a longer pickle: %v", err)
	}
	tensors := torchMembers(pickle.Tuple{six, floats(storageOf("0", 6), 1, []int{1}, []int{1})})
	if _, err := openBytes(zipOf(tensors, zip.Store), Limits{Tensors: 1}); err == nil || !strings.Contains(err.Error(), "more than 1 tensors") {
		t.Errorf("more tensors: %v", err)
	}
	shared := torchMembers(pickle.Tuple{six, six})
	if _, err := openBytes(zipOf(shared, zip.Store), Limits{Tensors: 1}); err == nil || !strings.Contains(err.Error(), "more than 1 tensors") {
		t.Errorf("more names of a tensor: %v", err)
	}
}

// TestExpandedTensors refuses few elements that stand for very many: in one tensor, and in several together.
func TestExpandedTensors(t *testing.T) {
	expanded := func(n int) *pickle.Call { return floats(storageOf("0", 6), 5, []int{n, 1}, []int{0, 1}) }
	several := new(pickle.List)
	for range 5 {
		several.Items = append(several.Items, expanded(1<<20))
	}
	for name, c := range map[string]struct {
		value  any
		limits Limits
		sound  bool
	}{
		"one of 16 MiB":         {expanded(4 << 20), Limits{}, true},
		"one of 4 GiB":          {expanded(1 << 30), Limits{}, false},
		"several":               {several, Limits{}, false},
		"one that is asked for": {expanded(1 << 30), Limits{Ratio: 1 << 30}, true},
	} {
		_, err := openBytes(zipOf(torchMembers(c.value), zip.Store), c.limits)
		var format *FormatError
		if c.sound && err != nil || !c.sound && (!errors.As(err, &format) || format.Expected != "at most 1100 bytes of elements for each stored one") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestIndexLimits refuses more names and more files than an index may have.
func TestIndexLimits(t *testing.T) {
	var files strings.Builder
	for i := range maxShards + 1 {
		fmt.Fprintf(&files, `"%d":"%d.safetensors",`, i, i)
	}
	index := `{"weight_map":{` + strings.TrimSuffix(files.String(), ",") + `}}`
	for want, limits := range map[string]Limits{
		"at most 4096 files":              {},
		"at most 8 tensors":               {Tensors: 2},
		"an index of at most 1000 bytes":  {Header: 1000},
		"at most 1 values in one another": {Depth: 1},
	} {
		_, err := openBytes([]byte(index), limits)
		var format *FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestSafetensorsHeadersThatNoReaderTakes are not written.
func TestSafetensorsHeadersThatNoReaderTakes(t *testing.T) {
	if err := checkHeader("x", 100_000_000); err != nil {
		t.Error(err)
	}
	if err := checkHeader("x", 100_000_001); err == nil || !strings.Contains(err.Error(), "take 100000001 bytes") {
		t.Errorf("got %v", err)
	}
}
