package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cresset/device"
	"cresset/dtype"
	"cresset/internal/pickle"
	"cresset/tensor"
)

// golden is what testdata/expected.json says of a file: what PyTorch read from it.
type golden struct {
	Format  string
	Refused bool
	Tree    json.RawMessage
}

// goldenTensor is a tensor there.
type goldenTensor struct {
	DType   string `json:"dtype"`
	Shape   []int
	Stride  []int
	Offset  int
	SHA256  string `json:"sha256"`
	Storage *int   // tensors of one number share memory
}

func goldens(t testing.TB) map[string]golden {
	text, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Files map[string]golden }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all.Files
}

func TestTorchGoldens(t *testing.T) {
	for name, want := range goldens(t) {
		if !strings.HasSuffix(name, ".pt") || want.Refused {
			continue
		}
		t.Run(name, func(t *testing.T) {
			f, err := Open(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			compareValue(t, f, want)
		})
	}
}

// compareValue holds all that is in a file to what PyTorch read.
func compareValue(t *testing.T, f *File, want golden) {
	c := &comparison{T: t, file: f, entries: map[string]Entry{}, storages: map[int]*tensor.Tensor{}}
	lacking := false
	for _, e := range f.Entries() {
		c.entries[e.Name] = e
		lacking = lacking || e.Type == dtype.Undefined
	}
	got, err := f.Value()
	var lacks *DTypeError
	if errors.As(err, &lacks) != lacking || err != nil && !lacking {
		t.Fatalf("Value: %v", err)
	}
	c.compare("", want.Tree, got)
	if c.tensors != len(c.entries) {
		t.Errorf("%d entries for %d tensors", len(c.entries), c.tensors)
	}
}

// comparison holds a value to what PyTorch read.
type comparison struct {
	*testing.T
	file     *File
	entries  map[string]Entry
	storages map[int]*tensor.Tensor
	tensors  int
}

func (c *comparison) compare(path string, tree json.RawMessage, got any) {
	var tagged map[string]json.RawMessage
	if json.Unmarshal(tree, &tagged) != nil || len(tagged) != 1 {
		want := plain(tree)
		if _, text := got.(string); text {
			want = bare(tree)
		}
		if fmt.Sprint(got) != want {
			c.Errorf("%s: got %v, want %s", path, got, want)
		}
		return
	}
	for tag, content := range tagged {
		switch tag {
		case "dict", "odict":
			c.dict(path, content, got, tag == "odict")
		case "tensor":
			c.tensor(path, content, got)
		case "tuple", "list", "set", "size":
			c.sequence(path, tag, content, got)
		default:
			if g, want := scalar(got), bare(content); g != want {
				c.Errorf("%s: got %s, want %s %s", path, g, tag, want)
			}
		}
	}
}

// plain shows a scalar of the tree as fmt shows the value.
func plain(tree json.RawMessage) string {
	var v any
	if err := json.Unmarshal(tree, &v); err != nil {
		return err.Error()
	}
	switch v {
	case "nan":
		return fmt.Sprint(math.NaN())
	case "inf":
		return fmt.Sprint(math.Inf(1))
	}
	if f, ok := v.(float64); ok && f == math.Trunc(f) && !strings.ContainsAny(string(tree), ".e") {
		return string(tree)
	}
	return fmt.Sprint(v)
}

func bare(text json.RawMessage) string {
	var s string
	if json.Unmarshal(text, &s) == nil {
		return s
	}
	return string(text)
}

// scalar shows a value as the tree does.
func scalar(v any) string {
	switch v := v.(type) {
	case []byte:
		return hex.EncodeToString(v)
	case complex128:
		return fmt.Sprintf("[%.1f, %.1f]", real(v), imag(v))
	case *big.Int, dtype.DType, device.Device:
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%T", v)
}

func (c *comparison) dict(path string, content json.RawMessage, got any, ordered bool) {
	var items [][2]json.RawMessage
	if err := json.Unmarshal(content, &items); err != nil {
		c.Fatal(err)
	}
	var keys, values []any
	switch d := got.(type) {
	case nil:
	case map[string]any:
		for _, item := range items {
			keys, values = append(keys, bare(item[0])), append(values, d[bare(item[0])])
		}
		if ordered || len(d) != len(items) {
			c.Errorf("%s: a map of %d items, want ordered %v, %d", path, len(d), ordered, len(items))
		}
	case map[int]any:
		for _, item := range items {
			key, err := strconv.Atoi(string(item[0]))
			if err != nil {
				c.Error(err)
			}
			keys, values = append(keys, key), append(values, d[key])
		}
		if ordered || len(d) != len(items) {
			c.Errorf("%s: a map of %d items, want ordered %v, %d", path, len(d), ordered, len(items))
		}
	case *Dict:
		if d.Ordered != ordered || d.Len() != len(items) {
			c.Errorf("%s: a Dict, ordered %v, of %d items; want %v, %d", path, d.Ordered, d.Len(), ordered, len(items))
			return
		}
		for k, v := range d.All() {
			keys, values = append(keys, k), append(values, v)
		}
	default:
		c.Errorf("%s: got a %T", path, got)
		return
	}
	for i, item := range items {
		at := path
		if path != "" {
			at += "."
		}
		if got == nil {
			c.compare(at+bare(item[0]), item[1], nil)
			continue
		}
		c.compare(path+" key", item[0], keys[i])
		c.compare(at+fmt.Sprint(keys[i]), item[1], values[i])
	}
}

func (c *comparison) sequence(path, tag string, content json.RawMessage, got any) {
	var items []json.RawMessage
	if err := json.Unmarshal(content, &items); err != nil {
		c.Fatal(err)
	}
	var all []any
	var kind string
	switch got := got.(type) {
	case []any:
		all, kind = got, "list"
	case Tuple:
		all, kind = got, "tuple"
	case *Set:
		all, kind = slices.Collect(got.All()), "set"
	case tensor.Shape:
		kind = "size"
		for _, n := range got {
			all = append(all, n)
		}
	}
	if kind != tag || len(all) != len(items) {
		c.Errorf("%s: got a %T of %d, want a %s of %d", path, got, len(all), tag, len(items))
		return
	}
	for i := range items {
		c.compare(fmt.Sprintf("%s[%d]", path, i), items[i], all[i])
	}
}

func (c *comparison) tensor(path string, content json.RawMessage, got any) {
	c.tensors++
	var want goldenTensor
	if err := json.Unmarshal(content, &want); err != nil {
		c.Fatal(err)
	}
	e, ok := c.entries[path]
	if !ok || e.DType != want.DType || !slices.Equal(e.Shape, want.Shape) || !slices.Equal(e.Stride, want.Stride) || e.Offset != want.Offset {
		c.Errorf("entry %q: got %+v, want %+v", path, e, want)
	}
	alone, err := c.file.Tensor(path)
	if e.Type == dtype.Undefined {
		var lacks *DTypeError
		if !errors.As(err, &lacks) || lacks.Tensor != path || lacks.DType != want.DType {
			c.Errorf("%s: got %v, want a *DTypeError", path, err)
		}
		return
	}
	if err != nil {
		c.Errorf("%s: %v", path, err)
		return
	}
	if sum := digest(c, alone); sum != want.SHA256 || alone.DType().Name() != want.DType || !slices.Equal(alone.Stride(), want.Stride) {
		c.Errorf("%s, alone: got %v with strides %v and sum %s, want %+v", path, alone.DType(), alone.Stride(), sum, want)
	}
	x, ok := got.(*tensor.Tensor)
	if !ok {
		if got != nil {
			c.Errorf("%s: got a %T", path, got)
		}
		return
	}
	if sum := digest(c, x); sum != want.SHA256 || x.StorageOffset() != want.Offset || !slices.Equal(x.Stride(), want.Stride) {
		c.Errorf("%s: got offset %d, strides %v and sum %s, want %+v", path, x.StorageOffset(), x.Stride(), sum, want)
	}
	if want.Storage == nil {
		return
	}
	for number, other := range c.storages {
		if shares := x.SharesStorage(other); shares != (number == *want.Storage) {
			c.Errorf("%s: shares memory with storage %d: %v", path, number, shares)
		}
	}
	c.storages[*want.Storage] = x
}

// digest returns the SHA-256 of a tensor's elements in row-major order.
func digest(t testing.TB, x *tensor.Tensor) string {
	h := sha256.New()
	if err := tensors.ReadMemory(x.Contiguous(), func(b []byte) error { _, err := h.Write(b); return err }); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestTorchRefusesGoldens(t *testing.T) {
	for name, global := range map[string]string{"refuse_call.pt": "posix.getcwd", "refuse_module.pt": "torch.nn.modules.linear.Linear"} {
		_, err := Open(filepath.Join("testdata", name))
		var format *FormatError
		var refused *pickle.GlobalError
		if !errors.As(err, &format) || !errors.As(err, &refused) || refused.Name != global {
			t.Errorf("%s: got %v, want a *FormatError that names %s", name, err, global)
		}
	}
}
