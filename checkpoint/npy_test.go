package checkpoint_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"cresset/checkpoint"
)

// npy returns an NPY file of version 1.0 with a header and that many bytes of elements.
func npy(header string, elements int) []byte {
	b := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	return append(append(b, header...), make([]byte, elements)...)
}

// TestNPYRefused has a header for each rule.
func TestNPYRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		content []byte
		want    string
	}{
		"magic alone":        {[]byte("\x93NUMPY"), "a header"},
		"version 4":          {[]byte("\x93NUMPY\x04\x00\x00\x00"), "version 1.0, 2.0 or 3.0"},
		"version 1.1":        {[]byte("\x93NUMPY\x01\x01\x00\x00"), "version 1.0, 2.0 or 3.0"},
		"header too long":    {[]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{"), "a header of at most 10000 bytes"},
		"header cut off":     {npy(`{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}`, 0)[:40], "a header, but found the end"},
		"no dict":            {npy(`('<f4', False, (2,))`, 8), "a dict"},
		"empty":              {npy(``, 8), "a dict"},
		"a key is missing":   {npy(`{'descr': '<f4', 'shape': (2,)}`, 8), "a dict"},
		"a key more":         {npy(`{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}`, 8), "a dict"},
		"a key twice":        {npy(`{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}`, 8), "a dict"},
		"text behind":        {npy(`{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x`, 8), "a dict"},
		"a call":             {npy(`{'descr': str('<f4'), 'fortran_order': False, 'shape': (2,)}`, 8), "a dict"},
		"a name":             {npy(`{'descr': '<f4', 'fortran_order': false, 'shape': (2,)}`, 8), "a dict"},
		"a number for order": {npy(`{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}`, 8), "a dict"},
		"a list":             {npy(`{'descr': '<f4', 'fortran_order': False, 'shape': [2]}`, 8), "a dict"},
		"no tuple":           {npy(`{'descr': '<f4', 'fortran_order': False, 'shape': (2)}`, 8), "a dict"},
		"a bool for size":    {npy(`{'descr': '<f4', 'fortran_order': False, 'shape': (True,)}`, 4), "a dict"},
		"negative size":      {npy(`{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}`, 8), "a dict"},
		"fractional size":    {npy(`{'descr': '<f4', 'fortran_order': False, 'shape': (2.0,)}`, 8), "a dict"},
		"sum for size":       {npy(`{'descr': '<f4', 'fortran_order': False, 'shape': (1+1,)}`, 8), "a dict"},
		"huge size":          {npy(`{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}`, 8), "a dict"},
		"many axes":          {npy(`{'descr': '|u1', 'fortran_order': False, 'shape': (1`+strings.Repeat(", 1", 64)+`)}`, 1), "a dict"},
		"product overflows":  {npy(`{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}`, 0), "as many bytes as the shape"},
		"elements missing":   {npy(`{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}`, 7), "as many bytes as the shape"},
		"elements more":      {npy(`{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}`, 9), "as many bytes as the shape"},
		"objects":            {npy(`{'descr': '|O', 'fortran_order': False, 'shape': (2,)}`, 8), `elements of type "|O"`},
		"objects with size":  {npy(`{'descr': '|O8', 'fortran_order': False, 'shape': (2,)}`, 16), `elements of type "|O8"`},
		"records":            {npy(`{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,)}`, 8), `elements of type "[('x', '<f4')]"`},
		"records' end":       {npy(`{'descr': [('x', '<f4'), 'fortran_order': False, 'shape': (2,)}`, 8), "a dict"},
		"records in a text":  {npy(`{'descr': [('x', '<f4, 'fortran_order': False, 'shape': (2,)}`, 8), "a dict"},
		"no byte order":      {npy(`{'descr': 'f4', 'fortran_order': False, 'shape': (2,)}`, 8), `elements of type "f4"`},
		"escape":             {npy(`{'descr': '<f\x34', 'fortran_order': False, 'shape': (2,)}`, 8), "a dict"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, tc.content, tc.want) })
	}
}

// TestNPYAccepted reads headers that NumPy reads.
func TestNPYAccepted(t *testing.T) {
	for name, tc := range map[string]struct {
		header string
		bytes  int
		shape  []int
	}{
		"Python 2":          {`{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }`, 24, []int{2, 3}},
		"Python 2, one":     {`{'descr': '<f4', 'fortran_order': False, 'shape': (2L,), }`, 8, []int{2}},
		"order of keys":     {`{"shape":(2,3),"descr":"<f4","fortran_order":True}`, 24, []int{2, 3}},
		"a comma behind":    {`{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3,), }`, 24, []int{2, 3}},
		"a newline behind":  {"{'descr': '<f4', 'fortran_order': False, 'shape': (), }    \n", 4, []int{}},
		"no elements":       {`{'descr': '>i8', 'fortran_order': True, 'shape': (0, 3), }`, 0, []int{0, 3}},
		"largest sixteen":   {`{'descr': '<f8', 'fortran_order': True, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2), }`, 16, append(slices.Repeat([]int{1}, 15), 2)},
		"order of the host": {`{'descr': '=f4', 'fortran_order': False, 'shape': (2,), }`, 8, []int{2}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := checkpoint.Open(written(t, "x.npy", npy(tc.header, tc.bytes)))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			x, err := f.Tensor("array")
			if err != nil || !slices.Equal(x.Shape(), tc.shape) {
				t.Errorf("got %v, %v, want shape %v", x, err, tc.shape)
			}
		})
	}
}

// array is a sound member of an NPZ file.
var array = npy(`{'descr': '|u1', 'fortran_order': False, 'shape': (200,), }`, 200)

// npz returns a zip file of one member, with a header that change may have changed.
func npz(t *testing.T, content []byte, change func(h *zip.FileHeader)) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: "a.npy", CRC32: crc32.ChecksumIEEE(content),
		CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(content))}
	change(h)
	w, err := z.CreateRaw(h)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
