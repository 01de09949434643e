package checkpoint

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"cresset/internal/pickle"
	"cresset/tensor"
)

// TestAttributesOfTensorsAreLeftOut reads tensors with attributes that hold tensors, one of which the value holds too, and converts
// them.
func TestAttributesOfTensorsAreLeftOut(t *testing.T) {
	elements := func(first, n int) *pickle.Call { return floats(storageOf("0", 6), first, []int{n}, []int{1}) }
	hooks, both := &pickle.Dict{Ordered: true}, elements(4, 1)
	v2 := pickle.Global{Module: "torch._utils", Name: "_rebuild_tensor_v2"}
	value := dictOf(
		"parameter", call("torch._utils._rebuild_parameter_with_state", elements(1, 2), true, hooks, dictOf("extra", elements(0, 6))),
		"tensor", call("torch._tensor._rebuild_from_type_v2", v2, class("Tensor"), elements(2, 3).Args, dictOf("list", &pickle.List{Items: []any{elements(0, 1), both}})),
		"both", both,
		"again", both,
		"last", elements(5, 1),
	)
	members := torchMembers(value)
	members["a/data/0"] = string(little.AppendUint32(nil, 0)) + "\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x00\x00\x80\x40\x00\x00\xa0\x40" // 0 to 5
	f, err := openBytes(zipOf(members, zip.Store), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]float32{"parameter": {1, 2}, "tensor": {2, 3, 4}, "both": {4}, "again": {4}, "last": {5}}
	check := func(what string, got map[string]*tensor.Tensor, err error) {
		t.Helper()
		if err != nil || len(got) != len(want) {
			t.Fatalf("%s: %v, %v", what, got, err)
		}
		for name, want := range want {
			if x := tensor.Values[float32](got[name].Detach()); !slices.Equal(x, want) {
				t.Errorf("%s: %s is %v, want %v", what, name, x, want)
			}
		}
	}
	all, err := f.Tensors()
	check("by name", all, err)
	path := filepath.Join(t.TempDir(), "x.pt")
	if err := f.within.write(path, collect([]WriteOption{})); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for what, f := range map[string]*File{"the value": f, "the value that was written": again} {
		v, err := f.Value()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]*tensor.Tensor{}
		for name, x := range v.(map[string]any) {
			got[name] = x.(*tensor.Tensor)
		}
		check(what, got, nil)
	}
}

// TestFilesWithoutChecksums reads a file of which no member has one, and refuses one in which a single member lacks its own.
func TestFilesWithoutChecksums(t *testing.T) {
	content := zipOf(torchMembers(six), zip.Store)
	without := func(members ...string) []byte {
		changed := slices.Clone(content)
		for at := 0; ; at++ {
			next := bytes.Index(changed[at:], []byte(directorySignature))
			if next < 0 {
				return changed
			}
			at += next
			n := int(binary.LittleEndian.Uint16(changed[at+28:]))
			if name := string(changed[at+directoryEntryBytes:][:n]); len(members) == 0 || slices.Contains(members, name) {
				clear(changed[at+16:][:4])
			}
		}
	}
	for _, members := range [][]string{nil, {"a/data/0"}, {"a/data.pkl"}, {"a/version"}} {
		f, err := openBytes(without(members...), Limits{})
		if err == nil {
			_, err = f.Value()
		}
		var format *FormatError
		switch {
		case members == nil && err != nil:
			t.Error(err)
		case members != nil && (!errors.As(err, &format) || !strings.Contains(err.Error(), "bytes with the CRC-32 00000000")):
			t.Errorf("%q: got %v", members, err)
		}
	}
}

// TestConvertKeepsTypes takes along what Value has no type for.
func TestConvertKeepsTypes(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "x.pt")
	value := dictOf("counts", call("collections.Counter", dictOf(5, 2)), "bytes", pickle.ByteArray("\x00\xff"), "x", six)
	if err := os.WriteFile(from, zipOf(torchMembers(value), zip.Store), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, format := range []Format{PyTorch, PyTorchLegacy} {
		to := filepath.Join(dir, string(format))
		if err := Convert(from, to, format); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"ccollections\nCounter\n", "c__builtin__\nbytearray\n"} {
			if !bytes.Contains(text, []byte(name)) {
				t.Errorf("%s: %q is missing", format, name)
			}
		}
		f, err := Open(to)
		if err != nil {
			t.Fatal(err)
		}
		v, err := f.Value()
		f.Close()
		if got, ok := v.(map[string]any); err != nil || !ok || !reflect.DeepEqual(got["counts"], map[int]any{5: 2}) || !bytes.Equal(got["bytes"].([]byte), []byte{0, 255}) {
			t.Errorf("%s: %v, %v", format, v, err)
		}
	}
}
