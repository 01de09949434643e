package checkpoint

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/tensor"
)

// TestTorchGoldensWrittenAgain reads each golden, writes its value in both forms, and holds what is read then to what PyTorch read.
func TestTorchGoldensWrittenAgain(t *testing.T) {
	for name, want := range goldens(t) {
		if !strings.HasSuffix(name, ".pt") || want.Refused || name == "complex.pt" || name == "dtypes_more.pt" {
			continue
		}
		for _, form := range []Format{PyTorch, PyTorchLegacy} {
			t.Run(name+" "+string(form), func(t *testing.T) {
				f, err := Open(filepath.Join("testdata", name))
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				v, err := f.Value()
				if err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(writtenFolder(t), string(form)+" "+name)
				if err := WriteValue(path, v, form); err != nil {
					t.Fatal(err)
				}
				g, err := Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer g.Close()
				if g.Format() != form {
					t.Errorf("the format is %s, want %s", g.Format(), form)
				}
				compareValue(t, g, want)
			})
		}
	}
}

// writtenFolder is where scripts/check_written.py reads what tests write.
func writtenFolder(t *testing.T) string {
	if folder := os.Getenv("CRESSET_WRITTEN"); folder != "" {
		return folder
	}
	return t.TempDir()
}

func TestWriteValue(t *testing.T) {
	x := tensor.Arange(0, 6, 1).View(2, 3)
	shared := map[string]any{"n": 1}
	list := []any{1, "two"}
	cycle := map[string]any{}
	cycle["self"] = cycle
	for _, tc := range []struct {
		name        string
		value, want any
	}{
		{"nil", nil, nil},
		{"integers", []any{1, int8(-2), uint16(3), uint64(1) << 63 >> 1, int64(-1 << 63)}, []any{1, -2, 3, 1 << 62, -1 << 63}},
		{"floats", []float32{0.5, 1}, []any{0.5, 1.0}},
		{"maps", map[string]map[int]string{"a": {2: "b", -1: "c"}}, map[string]any{"a": map[int]any{2: "b", -1: "c"}}},
		{"tuple", Tuple{1, Tuple{}, "x"}, Tuple{1, Tuple{}, "x"}},
		{"shape", x.Shape(), tensor.Shape{2, 3}},
		{"dtype", dtype.BFloat16, dtype.BFloat16},
		{"devices", []device.Device{device.CPU, device.MustParse("cuda:1")}, []any{device.CPU, device.MustParse("cuda:1")}},
		{"bytes", []byte{0, 255}, []byte{0, 255}},
		{"named types", map[Format]Format{PyTorch: NPY}, map[string]any{"pytorch": "npy"}},
	} {
		if got := writeAndRead(t, tc.value); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: got %#v, want %#v", tc.name, got, tc.want)
		}
	}
	got := writeAndRead(t, []any{shared, shared, list, list, x, x, x.T(), cycle}).([]any)
	got[0].(map[string]any)["n"] = 2
	got[2].([]any)[0] = 2
	inner := got[7].(map[string]any)
	switch {
	case got[1].(map[string]any)["n"] != 2:
		t.Error("one map in two places became two")
	case got[3].([]any)[0] != 2:
		t.Error("one list in two places became two")
	case got[4] != got[5]:
		t.Error("one tensor in two places became two")
	case !got[4].(*tensor.Tensor).SharesStorage(got[6].(*tensor.Tensor)):
		t.Error("a view has memory of its own")
	case reflect.ValueOf(inner["self"]).Pointer() != reflect.ValueOf(inner).Pointer():
		t.Error("a map that holds itself became another")
	}
}

func writeAndRead(t *testing.T, v any) any {
	t.Helper()
	path := filepath.Join(t.TempDir(), "value.pt")
	if err := WriteValue(path, v); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := f.Value()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestWriteValueRefuses(t *testing.T) {
	tuple := Tuple{nil}
	tuple[0] = tuple
	for _, tc := range []struct {
		name, file string
		value      any
		want       string
	}{
		{"a struct", "x.pt", map[string]any{"a": []any{struct{}{}}}, "a[0]: a value of type struct {} cannot be written"},
		{"keys that are floats", "x.pt", map[float64]int{1: 1}, "a key of type float64"},
		{"no tensor", "x.pt", []any{(*tensor.Tensor)(nil)}, `[0] is a nil *tensor.Tensor`},
		{"a tuple in itself", "x.pt", tuple, "in one another"},
		{"another format", "x.npz", 1, "only PyTorch's formats hold values"},
		{"text that is not UTF-8", "x.pt", "\xff", "not UTF-8"},
	} {
		err := WriteValue(filepath.Join(t.TempDir(), tc.file), tc.value)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %s", tc.name, err, tc.want)
		}
	}
}

// TestWriteTuplesInTuples writes a tuple that stands twice in each of sixty others.
func TestWriteTuplesInTuples(t *testing.T) {
	v := Tuple{1}
	for range 60 {
		v = Tuple{v, v}
	}
	path := filepath.Join(t.TempDir(), "x.pt")
	if err := WriteValue(path, v); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := f.Value()
	for range 60 {
		if err != nil || len(got.(Tuple)) != 2 {
			t.Fatalf("got a %T, %v", got, err)
		}
		got = got.(Tuple)[1]
	}
	if inner := got.(Tuple); len(inner) != 1 || inner[0] != 1 {
		t.Errorf("innermost: %v", inner)
	}
}
