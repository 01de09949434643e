package tour_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"cresset/internal/cli"
	"cresset/internal/tour"
)

var update = flag.Bool("update", false, "rewrite the outputs in testdata")

// TestMain is the command where the tour calls it.
func TestMain(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "cresset" {
		os.Exit(cli.Main())
	}
	os.Exit(m.Run())
}

// varies matches what differs from run to run and from machine to machine: clocks, process numbers, versions and processors.
var varies = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(`(?m)^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4} {7}$`), "(clock)"},
	{regexp.MustCompile(`(?m)^Timestamp( +): .*$`), "Timestamp$1: (clock)"},
	{regexp.MustCompile(`(?m)^\|    (\d) +\d+      C   .+ (\d+MiB) \|$`), "| $1 (pid) C (program) $2 |"},
	{regexp.MustCompile(`(?m)P\d +\d+W( / +\d+W \| +\d+MiB / +\d+MiB \|) +\d+% `), "(state) (power)$1 (use) "}, // of the last moments
	{regexp.MustCompile(`(\w+\.go):\d+`), "$1:(line)"},
	{regexp.MustCompile(`(?m)^cresset \d.*$`), "cresset (version)"},
	{regexp.MustCompile(`(?m)^go1\..*$`), "(Go's version and platform)"},
	{regexp.MustCompile(`(?m)^cpu (amx|avx512|avx2|neon|noasm)$`), "cpu (level)"},
}

// outputs runs every step where all GPUs are simulated, and returns what they print, by name.
var outputs = sync.OnceValues(func() (map[string]string, error) {
	os.Setenv("CUDA_VISIBLE_DEVICES", "-1")  // a machine's own GPUs are not what the tests expect
	os.Setenv("GORACE", "atexit_sleep_ms=0") // or the race detector lets each step end a second late
	guide, err := tour.Open()
	if err != nil {
		return nil, err
	}
	defer guide.Close()
	var steps []tour.Step
	for _, c := range tour.Chapters() {
		steps = append(steps, c.Steps...)
	}
	all := map[string]string{}
	for s, o := range guide.Run(context.Background(), steps) {
		if o.Err != nil {
			return nil, o.Err
		}
		for _, v := range varies {
			o.Output = v.pattern.ReplaceAllString(o.Output, v.text)
		}
		all[s.Name()] = o.Output
	}
	return all, nil
})

// printedBySteps returns the outputs by name. Steps that are lines of a shell want one.
func printedBySteps(t *testing.T) map[string]string {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh: ", err)
	}
	got, err := outputs()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestOutputs compares every step with what it printed when its author looked. go test ./internal/tour -update rewrites that.
func TestOutputs(t *testing.T) {
	got := printedBySteps(t)
	for i, c := range tour.Chapters() {
		t.Run(c.Title, func(t *testing.T) {
			var b strings.Builder
			for _, s := range c.Steps {
				fmt.Fprintf(&b, "-- %s --\n%s", s.Name(), got[s.Name()])
			}
			file := filepath.Join("testdata", fmt.Sprintf("%d.txt", i+1))
			if *update {
				if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, file, b.String(), strings.ReplaceAll(string(want), "\r\n", "\n"))
		})
	}
}

// compare reports the first line in which a text differs from what a file holds.
func compare(t *testing.T, file, got, want string) {
	t.Helper()
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			t.Fatalf("%s:%d: got nothing, want %q", file, i+1, b[i])
		case i >= len(b):
			t.Fatalf("%s:%d: got %q, want nothing", file, i+1, a[i])
		case a[i] != b[i]:
			t.Fatalf("%s:%d: got\n%s\nwant\n%s", file, i+1, a[i], b[i])
		}
	}
}
