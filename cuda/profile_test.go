package cuda_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"cresset/cuda"
	"cresset/internal/devicetest"
)

var update = flag.Bool("update", false, "write what is recorded in testdata")

// profiled returns the profile of f on a simulated GPU, by a clock that ticks.
func profiled(t *testing.T, f func(), opts ...cuda.ProfileOption) *cuda.Profile {
	t.Helper()
	cuda.TickingClock(t)
	p := cuda.NewProfile(opts...)
	if err := p.Run(f); err != nil {
		t.Fatal(err)
	}
	return p
}

// recorded compares text with a file of testdata.
func recorded(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant %s, which go test ./cuda -update writes:\n%s", got, path, want)
	}
}

func TestProfileIsAsRecorded(t *testing.T) {
	devicetest.Use(t, "h100:1")
	smallStep() // loads kernels
	p := profiled(t, smallStep, cuda.RecordShapes(true))
	var trace bytes.Buffer
	if err := p.WriteChromeTrace(&trace); err != nil {
		t.Fatal(err)
	}
	recorded(t, "profile.json", trace.Bytes())
	table := p.KeyAverages().Table(cuda.SortBy("cuda_time_total"))
	table += p.KeyAverages(cuda.GroupByInputShape(true), cuda.GroupBySite(true)).Table(cuda.RowLimit(3))
	recorded(t, "profile.txt", []byte(table))
}
