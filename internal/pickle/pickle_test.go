package pickle

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// row is a line of testdata/pickles.txt, which Python wrote.
type row struct {
	protocol string
	pickle   []byte
	repr     string
}

func rows(t testing.TB) (all []row) {
	f, err := os.Open("testdata/pickles.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.SplitN(lines.Text(), " ", 3)
		p, err := hex.DecodeString(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row{fields[0], p, fields[2]})
	}
	return all
}

func decode(p []byte) (any, error) {
	return NewDecoder(bytes.NewReader(p), Config{}).Decode()
}

func TestDecodeWhatPythonWrites(t *testing.T) {
	for _, row := range rows(t) {
		got, err := decode(row.pickle)
		if err != nil || repr(got) != row.repr {
			t.Errorf("protocol %s: got %s, %v; want %s", row.protocol, repr(got), err, row.repr)
		}
	}
}

func TestEncodeAndDecode(t *testing.T) {
	for _, row := range rows(t) {
		v, err := decode(row.pickle)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Encode(v, nil)
		if err != nil {
			t.Errorf("%s: %v", row.repr, err)
			continue
		}
		got, err := decode(p)
		if err != nil || repr(got) != row.repr {
			t.Errorf("got %s, %v; want %s", repr(got), err, row.repr)
		}
	}
}

func TestSharedObjectsStayOne(t *testing.T) {
	list := &List{Items: []any{int64(1)}}
	set := new(Set)
	if err := set.Add("x"); err != nil {
		t.Fatal(err)
	}
	p, err := Encode(Tuple{list, set, list, set}, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := decode(p)
	if err != nil {
		t.Fatal(err)
	}
	got := v.(Tuple)
	if got[0] != got[2] || got[1] != got[3] {
		t.Errorf("got %v, where the first and the third element, and the second and the fourth, are not one", repr(got))
	}
}

// TestTuplesInTuples writes a tuple that stands twice in each of sixty others.
func TestTuplesInTuples(t *testing.T) {
	v := Tuple{int64(1)}
	for range 60 {
		v = Tuple{v, v}
	}
	p, err := Encode(v, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(p) > 1000 {
		t.Errorf("%d bytes", len(p))
	}
	got, err := decode(p)
	for range 60 {
		if err != nil || len(got.(Tuple)) != 2 {
			t.Fatalf("got %v, %v", got, err)
		}
		got = got.(Tuple)[1]
	}
	if repr(got) != "(1,)" {
		t.Errorf("innermost: %s", repr(got))
	}
}

func TestAttributesStay(t *testing.T) {
	version := new(Dict)
	attrs := new(Dict)
	if err := errors.Join(version.Set("version", int64(2)), attrs.Set("_metadata", version)); err != nil {
		t.Fatal(err)
	}
	p, err := Encode(&Dict{Ordered: true, Attrs: attrs}, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := decode(p)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := repr(v.(*Dict).Attrs), "{'_metadata': {'version': 2}}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDictKeysAreEqualAsInPython(t *testing.T) {
	var d Dict
	for i, key := range []any{int64(1), true, 1.0, "1", Tuple{int64(1)}, Tuple{true}, []byte("1"), 0.5, complex(1, 0)} {
		if err := d.Set(key, int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := repr(&d), "{1: 8, '1': 3, (1,): 5, b'1': 6, 0.5: 7}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if v, ok := d.Lookup(Tuple{1.0}); v != int64(5) || !ok {
		t.Errorf("Lookup((1.0,)) = %v, %v", v, ok)
	}
	if err := d.Set(new(List), nil); err == nil || err.Error() != "unhashable type: 'list'" {
		t.Errorf("a list as a key: %v", err)
	}
}

func TestPicklesOfAStream(t *testing.T) {
	stream := []byte("\x80\x02K\x01.\x80\x02K\x02.rest")
	d := NewDecoder(bytes.NewReader(stream), Config{})
	for want := int64(1); want <= 2; want++ {
		if got, err := d.Decode(); got != want || err != nil || d.Offset() != 5*want {
			t.Errorf("got %v, %v at byte %d; want %d at %d", got, err, d.Offset(), want, 5*want)
		}
	}
}

// TestHooks makes an object of a listed global and of a persistent id, and writes it.
func TestHooks(t *testing.T) {
	type storage struct{ id any }
	type object struct{ s storage }
	config := Config{
		Globals: map[string]any{
			"made.here":  Func(func(args Tuple) (any, error) { return object{args[0].(storage)}, nil }),
			"made.int32": "a constant",
		},
		Persistent: func(id any) (any, error) { return storage{id}, nil },
	}
	p, err := Encode(&List{Items: []any{object{storage{int64(7)}}, Global{"made", "int32"}}}, func(v any) (any, error) {
		return &Call{Global{"made", "here"}, Tuple{Persistent{v.(object).s.id}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewDecoder(bytes.NewReader(p), config).Decode()
	if err != nil {
		t.Fatal(err)
	}
	got := v.(*List).Items
	if got[0] != (object{storage{int64(7)}}) || got[1] != "a constant" {
		t.Errorf("got %v", got)
	}
	var global *GlobalError
	if _, err := decode(p); !errors.As(err, &global) || global.Name != "made.here" {
		t.Errorf("without the globals: %v", err)
	}
}

func TestTruncated(t *testing.T) {
	for _, row := range rows(t) {
		for n := range row.pickle {
			if _, err := decode(row.pickle[:n]); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("%s: %d bytes of %d: %v", row.repr, n, len(row.pickle), err)
			}
		}
	}
}
