package checkpoint

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"cresset/internal/pickle"
)

// call is the call of a global, by its module and name.
func call(name string, args ...any) *pickle.Call {
	dot := strings.LastIndex(name, ".")
	return &pickle.Call{Func: pickle.Global{Module: name[:dot], Name: name[dot+1:]}, Args: args}
}

func class(name string) pickle.Global { return pickle.Global{Module: "torch", Name: name} }

func storageOf(key string, numel any) any {
	return pickle.Persistent{ID: pickle.Tuple{"storage", class("FloatStorage"), key, "cpu", numel}}
}

func floats(storage any, offset any, shape, stride []int) *pickle.Call {
	return call("torch._utils._rebuild_tensor_v2", storage, offset, sizeTuple(shape), sizeTuple(stride), false, &pickle.Dict{Ordered: true})
}

// six is a sound tensor.
var six = floats(storageOf("0", 6), 0, []int{2, 3}, []int{3, 1})

func dictOf(items ...any) *pickle.Dict {
	d := new(pickle.Dict)
	for i := 0; i < len(items); i += 2 {
		if err := d.Set(items[i], items[i+1]); err != nil {
			panic(err)
		}
	}
	return d
}

// torchMembers are those of a sound file.
func torchMembers(value any) map[string]string {
	text, err := pickle.Encode(value, nil)
	if err != nil {
		panic(err)
	}
	return map[string]string{"a/data.pkl": string(text), "a/version": "3\n", "a/data/0": strings.Repeat("\x00", 24)}
}

// zipOf writes members to an archive.
func zipOf(members map[string]string, method uint16) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			_, err = w.Write([]byte(members[name]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// openBytes opens a file that is in memory.
func openBytes(content []byte, limits Limits) (*File, error) {
	s := &source{path: "x.pt", file: memoryFile{bytes.NewReader(content)}, size: int64(len(content)), limits: limits.orDefault()}
	return s.open(readers)
}

func TestTorchRefusesTensors(t *testing.T) {
	deep := any(six)
	for range 20 {
		deep = pickle.Tuple{deep}
	}
	huge := 1 << 59
	parameter := "torch._utils._rebuild_parameter"
	for _, tc := range []struct {
		name  string
		value any
		want  string
	}{
		{"elements behind the storage", floats(storageOf("0", 6), 0, []int{7}, []int{1}), "outside its storage"},
		{"an offset behind the storage", floats(storageOf("0", 6), 6, []int{1}, []int{1}), "outside its storage"},
		{"a stride behind the storage", floats(storageOf("0", 6), 0, []int{2}, []int{6}), "outside its storage"},
		{"strides that overflow", floats(storageOf("0", 6), 0, []int{huge, huge}, []int{huge, huge}), "outside its storage"},
		{"a shape that overflows", floats(storageOf("0", 6), 0, []int{huge, huge}, []int{0, 0}), "outside its storage"},
		{"a negative offset", floats(storageOf("0", 6), -1, []int{1}, []int{1}), "the offset of the first element"},
		{"a negative size", floats(storageOf("0", 6), 0, []int{-1}, []int{1}), "sizes that are whole numbers"},
		{"a negative stride", floats(storageOf("0", 6), 5, []int{2}, []int{-1}), "sizes that are whole numbers"},
		{"fewer strides than axes", floats(storageOf("0", 6), 0, []int{2, 3}, []int{1}), "1 strides for 2 axes"},
		{"65 axes", floats(storageOf("0", 6), 0, make([]int, 65), make([]int, 65)), "at most 64 sizes"},
		{"a size that is a float", call("torch._utils._rebuild_tensor_v2", storageOf("0", 6), 0, pickle.Tuple{1.5}, pickle.Tuple{1}, false, nil), "whole numbers"},
		{"a tensor without a storage", floats(nil, 0, nil, nil), "expected a storage"},
		{"too few arguments", call("torch._utils._rebuild_tensor_v2", storageOf("0", 6)), "arguments of another kind"},
		{"a tensor of other metadata", call("torch._utils._rebuild_tensor_v2", storageOf("0", 6), 0, pickle.Tuple{1}, pickle.Tuple{1}, false, nil, dictOf("sparse", true)), "metadata other than conj and neg"},
		{"metadata that is no dict", call("torch._utils._rebuild_tensor_v2", storageOf("0", 6), 0, pickle.Tuple{1}, pickle.Tuple{1}, false, nil, "neg"), "arguments of another kind"},
		{"metadata that is no switch", call("torch._utils._rebuild_tensor_v2", storageOf("0", 6), 0, pickle.Tuple{1}, pickle.Tuple{1}, false, nil, dictOf("neg", 1)), "metadata other"},
		{"a gradient that is no switch", call("torch._utils._rebuild_tensor_v2", storageOf("0", 6), 0, pickle.Tuple{1}, pickle.Tuple{1}, 1, nil), "arguments of another kind"},
		{"a parameter that is no switch", call(parameter, six, "yes", nil), "arguments of another kind"},
		{"a dtype that is none", call("torch._utils._rebuild_tensor_v3", storageOf("0", 6), 0, pickle.Tuple{1}, pickle.Tuple{1}, false, nil, "float32"), "arguments of another kind"},
		{"a parameter of a number", call(parameter, 1, true, nil), "arguments of another kind"},
		{"a type made of itself", call("torch._tensor._rebuild_from_type_v2", pickle.Global{Module: "torch._tensor", Name: "_rebuild_from_type_v2"}, class("Tensor"),
			pickle.Tuple{pickle.Global{Module: "torch._utils", Name: "_rebuild_tensor_v2"}, class("Tensor"), pickle.Tuple{}, nil}, nil), "arguments of another kind"},
		{"a storage of fewer elements", floats(storageOf("0", 5), 0, []int{5}, []int{1}), `member "a/data/0": expected 5 elements of float32, 20 bytes`},
		{"a storage of two sizes", pickle.Tuple{six, floats(storageOf("0", 5), 0, []int{5}, []int{1})}, "has 20 bytes here and had 24 before"},
		{"a storage that overflows", floats(storageOf("0", 1<<62), 0, []int{5}, []int{1}), "class, key, device and number"},
		{"a negative storage", floats(storageOf("0", -6), 0, []int{5}, []int{1}), "class, key, device and number"},
		{"a storage that is not there", floats(storageOf("1", 6), 0, []int{6}, []int{1}), `the bytes of storage "1"`},
		{"a storage elsewhere", floats(storageOf("../version", 6), 0, []int{6}, []int{1}), `the bytes of storage "../version"`},
		{"a storage with a number as its key", floats(pickle.Persistent{ID: pickle.Tuple{"storage", class("FloatStorage"), 0, "cpu", 6}}, 0, nil, nil), "class, key"},
		{"a storage of no class", floats(pickle.Persistent{ID: pickle.Tuple{"storage", class("float32"), "0", "cpu", 6}}, 0, nil, nil), "class, key"},
		{"a persistent id of another kind", pickle.Persistent{ID: pickle.Tuple{"module", "0", "cpu", 6, nil}}, "the persistent id of a storage"},
		{"a persistent id that is a text", pickle.Persistent{ID: "0"}, "the persistent id of a storage"},
		{"a view of a storage", floats(pickle.Persistent{ID: pickle.Tuple{"storage", class("FloatStorage"), "0", "cpu", 6, pickle.Tuple{"1", 0, 6}}}, 0, nil, nil), "no view of a storage"},
		{"a global", pickle.Global{Module: "os", Name: "system"}, "GLOBAL os.system was not an allowed global"},
		{"a quantized tensor", call("torch._utils._rebuild_qtensor", 1), "a quantized tensor is not supported"},
		{"a sparse tensor", call("torch._utils._rebuild_sparse_tensor", 1), "a sparse tensor is not supported"},
		{"a tensor without elements", call("torch._utils._rebuild_meta_tensor_no_storage", 1), "a tensor on the meta device, which has no elements, is not supported"},
		{"a device of a number", call("torch.device", 1), "arguments of another kind"},
		{"a size of a text", call("torch.Size", pickle.Tuple{"x"}), "arguments of another kind"},
		{"a function that is not called", pickle.Tuple{six, pickle.Global{Module: "collections", Name: "OrderedDict"}}, "which is no value"},
		{"a storage as a value", pickle.Tuple{six, storageOf("0", 6)}, "which is no value"},
		{"a size of a number", call("torch.Size", 1), "arguments of another kind"},
		{"values in one another", deep, "more than 10 values in one another"},
	} {
		_, err := openBytes(zipOf(torchMembers(tc.value), zip.Store), Limits{Depth: 10})
		var format *FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %s", tc.name, err, tc.want)
		}
	}
}

func TestTorchRefusesArchives(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(map[string]string)
		want   string
	}{
		{"no version", func(m map[string]string) { delete(m, "a/version") }, `member "a/version": expected a version from 1 to 10, but found no such member`},
		{"version 0", func(m map[string]string) { m["a/version"] = "0\n" }, "a version from 1 to 10"},
		{"version 11", func(m map[string]string) { m["a/version"] = "11\n" }, "a version from 1 to 10"},
		{"a long version", func(m map[string]string) { m["a/version"] = strings.Repeat("1", 100) }, "at most 64 bytes"},
		{"another byte order", func(m map[string]string) { m["a/byteorder"] = "middle" }, "expected little or big"},
		{"no folder", func(m map[string]string) { m["data.pkl"] = m["a/data.pkl"]; delete(m, "a/data.pkl") }, "data.pkl in a folder"},
		{"no values", func(m map[string]string) { delete(m, "a/data.pkl") }, `expected the member data.pkl in a folder, which holds the values, but found "a/data/0", "a/version"`},
		{"nothing", func(m map[string]string) { clear(m) }, "the member data.pkl in a folder, which holds the values, but found no members"},
		{"two folders", func(m map[string]string) { m["b/data.pkl"] = m["a/data.pkl"] }, `two, "a/" and "b/"`},
		{"a program", func(m map[string]string) { m["a/constants.pkl"] = "\x80\x02)." }, "TorchScript"},
		{"bytes behind the pickle", func(m map[string]string) { m["a/data.pkl"] += "x" }, "a pickle of"},
		{"a pickle that ends before", func(m map[string]string) { m["a/data.pkl"] = m["a/data.pkl"][:50] }, "unexpected EOF"},
		{"an empty pickle", func(m map[string]string) { m["a/data.pkl"] = "" }, "unexpected EOF"},
		{"a storage that is longer", func(m map[string]string) { m["a/data/0"] += "x" }, "expected 6 elements of float32, 24 bytes"},
	} {
		members := torchMembers(six)
		tc.change(members)
		_, err := openBytes(zipOf(members, zip.Store), Limits{})
		var format *FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %s", tc.name, err, tc.want)
		}
	}
	if _, err := openBytes(zipOf(torchMembers(six), zip.Deflate), Limits{}); err == nil || !strings.Contains(err.Error(), `data.pkl": expected bytes without compression, as torch.save writes them, but found deflated ones`) {
		t.Errorf("deflated: %v", err)
	}
	if _, err := openBytes(append([]byte("sys_info\x00"), make([]byte, 1<<10)...), Limits{}); err == nil || !strings.Contains(err.Error(), "tar") {
		t.Errorf("the tar form: %v", err)
	}
}

// legacyOf writes the pickles of the legacy form, and what follows them.
func legacyOf(rest string, values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		text, err := pickle.Encode(v, nil)
		if err != nil {
			panic(err)
		}
		b.Write(text)
	}
	b.WriteString(rest)
	return b.Bytes()
}

func TestTorchRefusesLegacyFiles(t *testing.T) {
	machine := dictOf("little_endian", true)
	count := string(binary.LittleEndian.AppendUint64(nil, 6))
	sound := count + strings.Repeat("\x00", 24)
	keys := func(all ...any) any { return &pickle.List{Items: all} }
	for _, tc := range []struct {
		name   string
		values []any
		rest   string
		want   string
	}{
		{"sound", []any{torchMagic, 1001, machine, six, keys("0")}, sound, ""},
		{"another version", []any{torchMagic, 1002, machine, six, keys("0")}, sound, "version: expected 1001"},
		{"no machine", []any{torchMagic, 1001, 1, six, keys("0")}, sound, "machine: expected a dict"},
		{"fewer pickles", []any{torchMagic, 1001, machine}, "", "unexpected EOF"},
		{"no keys", []any{torchMagic, 1001, machine, six, nil}, sound, "a list of 1"},
		{"another key", []any{torchMagic, 1001, machine, six, keys("1")}, sound, `each storage once, but found "1"`},
		{"a key twice", []any{torchMagic, 1001, machine, pickle.Tuple{six, floats(storageOf("1", 6), 0, nil, nil)}, keys("0", "0")}, sound + sound, `each storage once, but found "0"`},
		{"too many keys", []any{torchMagic, 1001, machine, six, keys("0", "0")}, sound + sound, "a list of 1"},
		{"another count", []any{torchMagic, 1001, machine, six, keys("0")}, "\x05" + sound[1:], "6 elements, but found 5"},
		{"no count", []any{torchMagic, 1001, machine, six, keys("0")}, "\x06", "the end of the file"},
		{"fewer elements", []any{torchMagic, 1001, machine, six, keys("0")}, sound[:20], "24 bytes, but found 12"},
	} {
		f, err := openBytes(legacyOf(tc.rest, tc.values...), Limits{})
		if tc.want == "" {
			if err != nil || len(f.Entries()) != 1 {
				t.Errorf("%s: %v", tc.name, err)
			}
			continue
		}
		var format *FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %s", tc.name, err, tc.want)
		}
	}
}

// TestTorchLegacyOfOtherProtocols tells the legacy form by its first bytes, which torch.save lets its caller choose.
func TestTorchLegacyOfOtherProtocols(t *testing.T) {
	for head, want := range map[string]bool{
		"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80":    true,
		"\x80\x03\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80":    true,
		"\x80\x04\x95\x0d\x00\x00\x00\x00\x00\x00\x00\x8a\x0a\x6c\xfc\x9c": true,
		"\x80\x04\x95\x0d\x00\x00\x00\x00\x00\x00\x00\x8a\x0a\x6c\xfc\x9d": false,
		"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x1a.\x80":    false,
		"\x80\x02}q\x00(X\x01\x00\x00\x00aK\x01u.":                         false,
		"\x80\x02\x8a\x0a": false,
	} {
		if got := startsTorchLegacy([]byte(head)); got != want {
			t.Errorf("% x: %v, want %v", head, got, want)
		}
	}
}

// TestTorchViewsOfBefore04 reads storages that are parts of others.
func TestTorchViewsOfBefore04(t *testing.T) {
	view := pickle.Persistent{ID: pickle.Tuple{"storage", class("FloatStorage"), "0", "cpu", 6, pickle.Tuple{"1", 2, 3}}}
	part := call("torch._utils._rebuild_tensor", view, 1, pickle.Tuple{2}, pickle.Tuple{1})
	rest := binary.LittleEndian.AppendUint64(nil, 6)
	for i := range 6 {
		rest = binary.LittleEndian.AppendUint32(rest, uint32(i)) // tiny floats, told by their bits
	}
	f, err := openBytes(legacyOf(string(rest), torchMagic, 1001, dictOf(), dictOf("part", part), &pickle.List{Items: []any{"0"}}), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if e := f.Entries()[0]; e.Offset != 3 || e.Name != "part" {
		t.Errorf("got %+v, want offset 3", e)
	}
	x, err := f.Tensor("part")
	if err != nil {
		t.Fatal(err)
	}
	if err := tensors.ReadMemory(x.Contiguous(), func(b []byte) error {
		if b[0] != 3 || b[4] != 4 {
			return fmt.Errorf("the elements are % x", b)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestTorchNames lists tensors of values that hold one another, themselves, and names that read alike.
func TestTorchNames(t *testing.T) {
	cycle := &pickle.List{Items: []any{six}}
	cycle.Items = append(cycle.Items, cycle)
	shared := dictOf("x", six)
	other := func() any { return floats(storageOf("0", 6), 1, []int{1}, []int{1}) }
	attributes := dictOf("x", other())
	attributes.Ordered, attributes.Attrs = true, dictOf("y", other())
	for _, tc := range []struct {
		name  string
		value any
		want  []string
	}{
		{"a tensor alone", six, []string{""}},
		{"keys of several types", dictOf("a", six, 1, other(), "1", other(), false, other(), 2.5, other(), nil, other(), pickle.Tuple{1}, other(), pickle.Tuple{"k", pickle.Tuple{}, nil}, other()),
			[]string{"a", "1", "1#2", "False", "2.5", "None", "(1,)", "('k', (), None)"}},
		{"a list that holds itself", cycle, []string{"[0]"}},
		{"a dict in two places", pickle.Tuple{shared, shared}, []string{"[0].x", "[1].x"}},
		{"names that read alike", dictOf("a.b", six, "a", dictOf("b", other()), "a.b#2", other()), []string{"a.b", "a.b#2", "a.b#2#2"}},
		{"attributes", attributes, []string{"x", ".__dict__.y"}},
	} {
		f, err := openBytes(zipOf(torchMembers(tc.value), zip.Store), Limits{})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		var got []string
		for _, e := range f.Entries() {
			got = append(got, e.Name)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
		if _, err := f.Value(); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}
