package checkpoint_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"testing"

	"cresset/checkpoint"
	"cresset/internal/devicetest"
)

// deflate returns p deflated.
func deflate(t testing.TB, p []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err == nil {
		_, err = w.Write(p)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestMembersRefused changes what a zip file says of a member.
func TestMembersRefused(t *testing.T) {
	sound := npz(t, array, func(*zip.FileHeader) {})
	f, err := checkpoint.Open(written(t, "sound", sound))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Tensors(); err != nil {
		t.Fatal(err)
	}
	f.Close()

	for name, tc := range map[string]struct {
		change func(h *zip.FileHeader)
		want   string
	}{
		"encrypted":           {func(h *zip.FileHeader) { h.Flags |= 1 }, "not encrypted"},
		"strongly encrypted":  {func(h *zip.FileHeader) { h.Flags |= 1 << 6 }, "not encrypted"},
		"masked":              {func(h *zip.FileHeader) { h.Flags |= 1 << 13 }, "not encrypted"},
		"bzip2":               {func(h *zip.FileHeader) { h.Method = 12 }, "stored or deflated"},
		"stored in two sizes": {func(h *zip.FileHeader) { h.UncompressedSize64++ }, "a stored member of one size"},
		"wrong checksum":      {func(h *zip.FileHeader) { h.CRC32++ }, "bytes with the CRC-32"},
		"parent folder":       {func(h *zip.FileHeader) { h.Name = "../a.npy" }, "a name without a way out"},
		"folder inside":       {func(h *zip.FileHeader) { h.Name = "a/../../a.npy" }, "a name without a way out"},
		"absolute":            {func(h *zip.FileHeader) { h.Name = "/a.npy" }, "a name without a way out"},
		"drive":               {func(h *zip.FileHeader) { h.Name = "c:a.npy" }, "a name without a way out"},
		"backslash":           {func(h *zip.FileHeader) { h.Name = "..\\a.npy" }, "a name without a way out"},
		"zero byte":           {func(h *zip.FileHeader) { h.Name = "a\x00.npy" }, "a name without a way out"},
		"not UTF-8":           {func(h *zip.FileHeader) { h.Name = "\xff.npy" }, "a name without a way out"},
		"no name":             {func(h *zip.FileHeader) { h.Name = "" }, "a name without a way out"},
		"no array":            {func(h *zip.FileHeader) { h.Name = "a.txt" }, "a name that ends in .npy"},
		"not deflated":        {func(h *zip.FileHeader) { h.Method = zip.Deflate }, "a header"},
		"beyond the file":     {func(h *zip.FileHeader) { h.CompressedSize64, h.UncompressedSize64 = 1<<40, 1<<40 }, "sizes inside the file"},
		"size of 64 bits":     {func(h *zip.FileHeader) { h.UncompressedSize64 = 1 << 63; h.Method = zip.Deflate }, "sizes inside the file"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, npz(t, array, tc.change), tc.want) })
	}
}

// TestCompressedMembersRefused changes what a zip file says of a deflated member.
func TestCompressedMembersRefused(t *testing.T) {
	packed := deflate(t, array)
	for name, tc := range map[string]struct {
		size int
		want string
	}{
		"bomb":         {1100*len(packed) + 1100, "at most 1100 bytes for each compressed one"},
		"size too big": {len(array) + 1, "as many bytes as the shape has"},
		"too small":    {len(array) - 1, "as many bytes as the shape has"},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, npz(t, packed, func(h *zip.FileHeader) {
				h.Method, h.UncompressedSize64, h.CRC32 = zip.Deflate, uint64(tc.size), 0
			}), tc.want)
		})
	}
	long := npy(`{'descr': '|u1', 'fortran_order': False, 'shape': (199,), }`, 200)
	for name, tc := range map[string]struct {
		content []byte
		size    int
		want    string
	}{
		"more than it says":  {long, len(long) - 1, "more bytes than the directory tells"},
		"fewer than it says": {long[:len(long)-2], len(long) - 1, "fewer bytes than the directory tells"},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, npz(t, deflate(t, tc.content), func(h *zip.FileHeader) {
				h.Method, h.UncompressedSize64 = zip.Deflate, uint64(tc.size)
				h.CRC32 = crc32.ChecksumIEEE(tc.content[:min(tc.size, len(tc.content))])
			}), tc.want)
		})
	}
}

// directory returns where the directory of a zip file begins.
func directory(file []byte) int { return int(binary.LittleEndian.Uint32(file[len(file)-6:])) }

// TestDirectoryRefused changes bytes of a zip file of two members.
func TestDirectoryRefused(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := range 2 {
		w, err := z.CreateRaw(&zip.FileHeader{Name: fmt.Sprintf("%d.npy", i), CompressedSize64: uint64(len(array)), UncompressedSize64: uint64(len(array))})
		if err == nil {
			_, err = w.Write(array)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	sound := b.Bytes()
	end, first := len(sound)-22, directory(sound)
	second := first + 46 + len("0.npy")
	put16 := func(at int, v uint16) func([]byte) {
		return func(b []byte) { binary.LittleEndian.PutUint16(b[at:], v) }
	}
	put32 := func(at int, v uint32) func([]byte) {
		return func(b []byte) { binary.LittleEndian.PutUint32(b[at:], v) }
	}
	for name, tc := range map[string]struct {
		change func(b []byte)
		want   string
	}{
		"a comment":               {put16(end+20, 1), "ends with the record"},
		"no end":                  {put32(end, 0), "ends with the record"},
		"a second disk":           {put16(end+4, 1), "in one piece"},
		"other counts":            {put16(end+8, 1), "a directory inside the file"},
		"one member fewer":        {put32(end+8, 1|1<<16), "1 members"},
		"one member more":         {put32(end+8, 3|3<<16), "a directory inside the file"},
		"directory behind":        {put32(end+16, uint32(end)), "a directory inside the file"},
		"directory too long":      {put32(end+12, uint32(end)), "a directory inside the file"},
		"directory elsewhere":     {put32(end+16, uint32(first-1)), "an entry"},
		"64 bits without record":  {put32(end+16, 0xffffffff), "a record of 64 bits"},
		"no entry":                {put32(second, 0), "an entry"},
		"name too long":           {put16(second+28, 60000), "an entry"},
		"same name":               {func(b []byte) { b[second+46] = '0'; b[bytes.LastIndex(b[:first], []byte("1.npy"))] = '0' }, `"0.npy" twice`},
		"other name there":        {func(b []byte) { b[second+46] = '2' }, "the header that the directory tells of"},
		"other method there":      {put16(8, 8), "the header that the directory tells of"},
		"same member":             {func(b []byte) { copy(b[second+42:second+46], b[first+42:]) }, "the header that the directory tells of"},
		"members overlap":         {put32(first+20, 400), "a stored member of one size"},
		"members overlap, stored": {func(b []byte) { put32(first+20, 400)(b); put32(first+24, 400)(b) }, "an end before byte"},
		"into the directory":      {func(b []byte) { put32(second+20, 300)(b); put32(second+24, 300)(b) }, "an end before byte"},
		"extra field cut off":     {put16(28, 60000), "an end before byte"},
	} {
		t.Run(name, func(t *testing.T) {
			b := bytes.Clone(sound)
			tc.change(b)
			refused(t, b, tc.want)
		})
	}
	t.Run("cut off", func(t *testing.T) {
		for n := 4; n < len(sound); n += 7 {
			refused(t, sound[:n], "ends with the record")
		}
	})
	t.Run("limits", func(t *testing.T) {
		refused(t, sound, "at most 1 tensors", checkpoint.Limits{Tensors: 1})
		refused(t, sound, "at most 65536 tensors and 50 bytes", checkpoint.Limits{Header: 50})
	})
}

// TestBombIsNotInflated opens an NPZ file of 64 MiB of zeros without inflating more than its header.
func TestBombIsNotInflated(t *testing.T) {
	devicetest.JudgesValues(t)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("a.npy")
	if err == nil {
		_, err = w.Write(npy(`{'descr': '|u1', 'fortran_order': False, 'shape': (67108864,), }`, 1<<26))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	path := written(t, "x.npz", b.Bytes())
	if got := allocatedBy(func() {
		f, err := checkpoint.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}); got > 1<<20 {
		t.Errorf("opening allocates %d bytes", got)
	}
	refused(t, b.Bytes(), "at most 1000000 bytes", checkpoint.Limits{Bytes: 1_000_000})
	refused(t, b.Bytes(), "at most 100 bytes for each compressed one", checkpoint.Limits{Ratio: 100})
}
