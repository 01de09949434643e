package checkpoint_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/tensor"
)

// safetensors returns a file with a header and that many bytes of elements.
func safetensors(header string, elements int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, elements)...)
}

// written returns the path of a new file.
func written(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// refused wants a FormatError with a text in it from opening a file and reading its tensors.
func refused(t *testing.T, content []byte, want string, opts ...checkpoint.OpenOption) {
	t.Helper()
	path := written(t, "hostile", content)
	f, err := checkpoint.Open(path, opts...)
	if err == nil {
		defer f.Close()
		_, err = f.Tensors()
	}
	var format *checkpoint.FormatError
	if !errors.As(err, &format) || format.File != path || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want a FormatError with %q", err, want)
	}
}

// TestSafetensorsRefused has a file for each rule of the format, and for each limit.
func TestSafetensorsRefused(t *testing.T) {
	one := `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`
	for name, tc := range map[string]struct {
		content []byte
		want    string
	}{
		"empty":                  {nil, "an empty file"},
		"short":                  {[]byte("\x08\x00\x00"), "one that begins with 08 00 00"},
		"length alone":           {safetensors("", 0), `expected '{'`},
		"length beyond the file": {[]byte("\x09\x00\x00\x00\x00\x00\x00\x00{}"), "a header of at most 2 bytes"},
		"length beyond reason":   {[]byte("\xff\xff\xff\xff\xff\xff\xff\xff{}"), "begins with"},
		"length above the limit": {append([]byte("\x01\xe1\xf5\x05\x00\x00\x00\x00{}"), make([]byte, 8)...), "a header of at most 10 bytes"},
		"not UTF-8":              {safetensors("{\"\xff\":{}}", 0), "UTF-8"},
		"not JSON":               {safetensors("{a}", 0), "a string"},
		"an array":               {safetensors("[]", 0), "begins with"},
		"two objects":            {safetensors("{}{}", 0), "the end of the text"},
		"unclosed":               {safetensors(`{"__metadata__":{"a":"b"}`, 0), `expected '}'`},
		"trailing comma":         {safetensors(`{"__metadata__":{"a":"b"},}`, 0), "a string"},
		"control character":      {safetensors("{\"a\nb\":{}}", 0), "no control character"},
		"half a surrogate":       {safetensors(`{"\ud83d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, 0), "valid escapes"},
		"unknown escape":         {safetensors(`{"\q":{}}`, 0), "valid escapes"},
		"deep": {safetensors(`{"__metadata__":`+strings.Repeat("[", 2000)+strings.Repeat("]", 2000)+`}`, 0),
			`expected '{'`},
		"metadata twice":        {safetensors(`{"__metadata__":{},"__metadata__":{}}`, 0), "__metadata__ once"},
		"metadata key twice":    {safetensors(`{"__metadata__":{"a":"b","a":"c"}}`, 0), `the metadata "a" once`},
		"metadata number":       {safetensors(`{"__metadata__":{"a":1}}`, 0), "a string"},
		"metadata nested":       {safetensors(`{"__metadata__":{"a":{}}}`, 0), "a string"},
		"metadata null":         {safetensors(`{"__metadata__":null}`, 0), `expected '{'`},
		"name twice":            {safetensors(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, 0), `"a" twice`},
		"escaped name twice":    {safetensors(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"\u0061":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, 0), `"a" twice`},
		"tensor is no object":   {safetensors(`{"a":1}`, 0), `expected '{'`},
		"no dtype":              {safetensors(`{"a":{"shape":[2],"data_offsets":[0,8]}}`, 8), "a known dtype"},
		"unknown dtype":         {safetensors(`{"a":{"dtype":"F33","shape":[2],"data_offsets":[0,8]}}`, 8), "a known dtype"},
		"no shape":              {safetensors(`{"a":{"dtype":"F32","data_offsets":[0,8]}}`, 8), "a known dtype"},
		"no offsets":            {safetensors(`{"a":{"dtype":"F32","shape":[2]}}`, 8), "a known dtype"},
		"one offset":            {safetensors(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}}`, 8), "two data_offsets"},
		"three offsets":         {safetensors(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,8]}}`, 8), "at most 2 numbers"},
		"unknown key":           {safetensors(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}}`, 8), "dtype, shape and data_offsets"},
		"key twice":             {safetensors(`{"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8), "once"},
		"negative extent":       {safetensors(`{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}`, 8), "a whole number"},
		"fractional extent":     {safetensors(`{"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}}`, 8), "a whole number"},
		"exponent":              {safetensors(`{"a":{"dtype":"F32","shape":[2e0],"data_offsets":[0,8]}}`, 8), "a whole number"},
		"leading zero":          {safetensors(`{"a":{"dtype":"F32","shape":[02],"data_offsets":[0,8]}}`, 8), "a whole number"},
		"extent as text":        {safetensors(`{"a":{"dtype":"F32","shape":["2"],"data_offsets":[0,8]}}`, 8), "a whole number"},
		"extent beyond 64 bits": {safetensors(`{"a":{"dtype":"F32","shape":[18446744073709551618],"data_offsets":[0,8]}}`, 8), "a whole number"},
		"product overflows":     {safetensors(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0), "as many bytes as the shape"},
		"product times size":    {safetensors(`{"a":{"dtype":"F32","shape":[4611686018427387906],"data_offsets":[0,8]}}`, 8), "as many bytes as the shape"},
		"zero hides overflow":   {safetensors(`{"a":{"dtype":"F32","shape":[4294967296,4294967296,4294967296,0],"data_offsets":[0,0]}}`, 0), "as many bytes as the shape"},
		"too many axes":         {safetensors(`{"a":{"dtype":"U8","shape":[1`+strings.Repeat(",1", 64)+`],"data_offsets":[0,1]}}`, 1), "at most 64 numbers"},
		"size differs":          {safetensors(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, 4), "as many bytes as the shape"},
		"half a byte":           {safetensors(`{"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}`, 2), "as many bytes as the shape"},
		"end before begin":      {safetensors(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`, 8), "an end that is not before the begin"},
		"hole at the start":     {safetensors(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}}`, 16), "begin at 0"},
		"hole":                  {safetensors(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[1],"data_offsets":[9,10]}}`, 10), "begin at 8"},
		"overlap":               {safetensors(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[1],"data_offsets":[7,8]}}`, 8), "begin at 8"},
		"same elements":         {safetensors(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8), "begin at 8"},
		"beyond the file":       {safetensors(one, 7), "8 bytes up to the end"},
		"bytes behind":          {safetensors(one, 9), "8 bytes up to the end"},
		"offset beyond the file": {safetensors(`{"a":{"dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,9223372036854775807]}}`, 8),
			"as many bytes as the shape"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, tc.content, tc.want) })
	}
}

// TestSafetensorsLimits refuses by the limits that a caller sets.
func TestSafetensorsLimits(t *testing.T) {
	two := safetensors(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}}`, 16)
	refused(t, two, "a header of at most 100 bytes", checkpoint.Limits{Header: 100})
	refused(t, two, "at most 1 tensors", checkpoint.Limits{Tensors: 1})
	refused(t, two, "at most 15 bytes of tensors", checkpoint.Limits{Bytes: 15})
	refused(t, two, "at most 1 values in one another", checkpoint.Limits{Depth: 1})
}

// TestSafetensorsAccepted reads what is odd but allowed.
func TestSafetensorsAccepted(t *testing.T) {
	for name, tc := range map[string]struct {
		content []byte
		tensors int
	}{
		"white space before":  {safetensors("\t\n{}", 0), 0},
		"white space between": {safetensors("{ \"a\" :\n{ \"dtype\" : \"F32\" , \"shape\" : [ 2 ] , \"data_offsets\" : [ 0 , 8 ] } }   ", 8), 1},
		"keys in any order":   {safetensors(`{"a":{"data_offsets":[0,8],"shape":[2],"dtype":"F32"}}`, 8), 1},
		"no axes":             {safetensors(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}`, 4), 1},
		"no elements":         {safetensors(`{"a":{"dtype":"F32","shape":[2,0],"data_offsets":[0,0]},"b":{"dtype":"I8","shape":[0],"data_offsets":[0,0]}}`, 0), 2},
		"not in order":        {safetensors(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[8,9]},"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 9), 2},
		"a bool of 2":         {append(safetensors(`{"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}}`, 0), 2), 1},
		"U+FFFD":              {safetensors(`{"\ufffd\n`+"\ufffd"+`":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, 0), 1},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := checkpoint.Open(written(t, "odd", tc.content))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			all, err := f.Tensors()
			if err != nil || len(all) != tc.tensors {
				t.Errorf("got %v, %v, want %d tensors", all, err, tc.tensors)
			}
			if name == "a bool of 2" && !tensor.Data[bool](all["a"])[0] {
				t.Error("2 is read as false")
			}
		})
	}
}

// TestManyAxes reads a tensor of more axes than cresset has as an error of its own; others can be read.
func TestManyAxes(t *testing.T) {
	f, err := checkpoint.Open(written(t, "x", safetensors(`{"a":{"dtype":"U8","shape":[1`+strings.Repeat(",1", 19)+
		`],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 2)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Tensor("a"); !errors.Is(err, tensor.ErrShape) {
		t.Errorf("got %v, want %v", err, tensor.ErrShape)
	}
	if _, err := f.Tensor("b"); err != nil {
		t.Error(err)
	}
	var name *checkpoint.NameError
	if _, err := f.Tensor("c"); !errors.As(err, &name) || name.Name != "c" {
		t.Errorf("got %v, want a NameError", err)
	}
}
