package checkpoint_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"cresset/checkpoint"
	"cresset/internal/devicetest"
	"cresset/internal/race"
)

// TestMemoryOfRefusedFiles has files that say as much as they may before the fault: reading allocates less than 16 MiB and their size,
// all that is freed on the way included.
func TestMemoryOfRefusedFiles(t *testing.T) {
	devicetest.JudgesValues(t)
	if race.Enabled {
		t.Skip("the race detector makes more of a program's memory escape to the heap")
	}
	for name, content := range map[string][]byte{
		"a header of tensors, and a byte behind":  safetensors(manyTensors(65_536), 1),
		"a header of tensors, and a name twice":   safetensors(strings.TrimSuffix(manyTensors(65_535), "}")+`,"0":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, 0),
		"a header of more tensors than there may": safetensors(manyTensors(200_000), 0),
		"a header of metadata":                    safetensors(`{"__metadata__":{"a":"`+strings.Repeat("x", 1<<22)+`","b":1}}`, 0),
		"an index of names, and one twice":        manyNames(262_144),
		"a directory of members":                  manyMembers(t, 60_000),
	} {
		t.Run(name, func(t *testing.T) {
			path := written(t, "hostile", content)
			var err error
			got := allocatedBy(func() { _, err = checkpoint.Open(path) })
			if err == nil || got > 16<<20+uint64(len(content)) {
				t.Errorf("%d bytes allocated for %d, error %v", got, len(content), err)
			}
		})
	}
}

// manyTensors is a header of so many tensors without elements, each as short as it can be.
func manyTensors(n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},`, i)
	}
	return strings.TrimSuffix(b.String(), ",") + "}"
}

// manyNames is an index of so many names, of which the last comes twice.
func manyNames(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"weight_map":{`)
	for i := range n - 1 {
		fmt.Fprintf(&b, `"%x":"x",`, i)
	}
	b.WriteString(`"0":"x"}}`)
	return b.Bytes()
}

// manyMembers is a zip file of so many members, of which the last is no array.
func manyMembers(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := range n {
		name := fmt.Sprintf("%032x.npy", i) // fewer bytes than a member with elements has would be refused at once
		if i == n-1 {
			name = "x"
		}
		if _, err := z.CreateRaw(&zip.FileHeader{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
