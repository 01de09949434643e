package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A small kit runs in a folder that holds nothing but what the archive brings.
func TestKit(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("kits are for Linux")
	}
	dir := t.TempDir()
	archive := filepath.Join(dir, "kit.tar.gz")
	if err := buildCommand([]string{"-o", archive, "device"}); err != nil {
		t.Fatal(err)
	}
	unpack(t, archive, dir)
	root := filepath.Join(dir, "cresset-hardware")
	kit := []string{"-o", filepath.Join(dir, "results"), "-bench", "^small/(view|add)$", "-selftest=false"}
	run := exec.Command(filepath.Join(root, "hardware"), kit...)
	run.Dir = dir
	run.Env = []string{"CRESSET_SIM=h200", "CRESSET_SIM_STATE=off"}
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := readReport(t, dir)
	if len(got.Results) != 1 || got.Results[0].Passed == 0 || got.Results[0].Problem != "" {
		t.Errorf("tests: got %+v", got.Results)
	}
	if len(got.Timings) != 1 || len(got.Timings[0].Bench.Figures) != 2 || !strings.HasPrefix(got.Timings[0].Bench.GPU, "NVIDIA H200") {
		t.Errorf("timings: got %+v", got.Timings)
	}

	t.Run("tests that cannot start", func(t *testing.T) {
		if err := os.Remove(filepath.Join(root, testBinary("device"))); err != nil {
			t.Fatal(err)
		}
		run := exec.Command(filepath.Join(root, "hardware"), "-o", filepath.Join(dir, "results"), "-bench", "", "-selftest=false")
		if err := run.Run(); err == nil {
			t.Error("passed")
		}
		if got := readReport(t, dir); len(got.Results) != 1 || got.Results[0].Problem == "" {
			t.Errorf("got %+v", got.Results)
		}
	})
}

// TestWrongFlagsAreRefusedAtOnce: nobody waits for an archive that cannot be written, or takes a run that tested nothing for one that passed.
func TestWrongFlagsAreRefusedAtOnce(t *testing.T) {
	for _, args := range [][]string{{"-arch", "riscv64"}, {"-o", filepath.Join(t.TempDir(), "none", "kit.tar.gz")}} {
		if buildCommand(args) == nil {
			t.Errorf("build %q: no error", args)
		}
	}
	k := kit{Packages: []string{"nn", "tensor"}}
	for _, args := range [][]string{{"nn"}, {"-run", "nosuch"}, {"-run", "["}, {"-limit", "-5m"}, {"-for", "-1s"}, {"-bench-limit", "0"}} {
		out := filepath.Join(t.TempDir(), "results")
		if runCommand(t.TempDir(), k, append([]string{"-o", out}, args...)) == nil {
			t.Errorf("run %q: no error", args)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("run %q: something ran", args)
		}
	}
}

// TestFailedSelfTestFailsTheRun: what doctor --selftest finds counts as much as a package's tests.
func TestFailedSelfTestFailsTheRun(t *testing.T) {
	dir := t.TempDir()
	const script = "#!/bin/sh\nif [ \"$2\" = --selftest ]; then echo products 3 FAILED; exit 1; fi\n"
	if err := os.WriteFile(filepath.Join(dir, "cresset"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"DEVICES", "TMPDIR", "HOME"} { // which the run sets
		t.Setenv(name, os.Getenv(name))
	}
	out := filepath.Join(dir, "results")
	if err := runCommand(dir, kit{Packages: []string{"nn"}}, []string{"-o", out, "-bench", "", "-devices", "cuda:0", "-run", "n", "-for", "1ns"}); err == nil {
		t.Error("passed")
	}
	got := readReport(t, dir)
	if len(got.Proofs) != 1 || got.Proofs[0].Problem == "" || got.Proofs[0].Output != "products 3 FAILED" {
		t.Errorf("got %+v", got.Proofs)
	}
	got.Results = nil
	if got.passed() {
		t.Error("a failed self-test passes")
	}
}

func readReport(t *testing.T, dir string) (r report) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "results", "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func unpack(t *testing.T, archive, dir string) {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for files := tar.NewReader(zip); ; {
		header, err := files.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeDir {
			continue
		}
		text, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, header.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, os.FileMode(header.Mode)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReadResults(t *testing.T) {
	const log = `=== RUN   TestGood
    a_test.go:1: not of interest, without a newline--- PASS: TestGood (0.00s)
=== RUN   TestBad
        --- FAIL: TestGood (0.00s)
=== RUN   TestBad/cuda:0
    a_test.go:2: got 1, want 2
--- FAIL: TestBad (0.01s)
    --- FAIL: TestBad/cuda:0 (0.01s)
=== RUN   TestAbsent
    a_test.go:3: no GPU
--- SKIP: TestAbsent (0.00s)
=== RUN   TestDies
panic: illegal address
`
	got := result{Package: "a", Problem: "exit status 2"}
	got.read(log)
	want := result{
		Package: "a", Problem: "exit status 2", Passed: 1,
		Failed:     []failure{{"TestBad", "        --- FAIL: TestGood (0.00s)"}, {"TestBad/cuda:0", "    a_test.go:2: got 1, want 2"}},
		Skipped:    []failure{{"TestAbsent", "    a_test.go:3: no GPU"}},
		Unfinished: []string{"TestDies"},
		Tail:       "        --- FAIL: TestGood (0.00s)\n    a_test.go:2: got 1, want 2\n    a_test.go:3: no GPU\npanic: illegal address",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A package whose tests could open NVIDIA's libraries is in the kit, or left out for a reason.
func TestEveryPackageIsChosen(t *testing.T) {
	list := func(args ...string) string {
		out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	module := list("-m")
	chosen := slices.Clone(suite)
	for _, a := range leftOut {
		chosen = append(chosen, a.Package)
	}
	for line := range strings.Lines(list("-test", "-f", "{{.ImportPath}} {{join .Deps \" \"}}", module+"/...")) {
		pkg, deps, _ := strings.Cut(strings.TrimSpace(line), " ")
		pkg, isTest := strings.CutSuffix(pkg, ".test")
		pkg = strings.TrimPrefix(pkg, module+"/")
		if isTest && slices.Contains(strings.Fields(deps), module+"/internal/dl") && !slices.Contains(chosen, pkg) {
			t.Errorf("%s stands neither in suite nor in leftOut", pkg)
		}
	}
}
