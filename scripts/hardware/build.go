package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// suite lists the packages whose tests meet a GPU or NVIDIA's libraries, the lower ones first: what fails there explains
// what fails above. The last three test the processor.
var suite = []string{
	"internal/dl", "internal/driver", "internal/driver/open", "internal/nvml", "internal/nvml/open", "smi",
	"internal/backend/cuda", "cuda", "tensor", "nn", "optim", "internal/conformance", "models",
	"internal/kern/vec", "internal/kern", "internal/backend/cpu",
}

// leftOut lists the packages whose tests could open NVIDIA's libraries and yet are left out.
var leftOut = []absence{
	{"checkpoint", "reads and writes files on the CPU"},
	{"data", "computes on the CPU, and copies to a simulated GPU"},
	{"dist", "passes tensors of simulated GPUs between ranks"},
	{"examples/server", "runs with the Go command beside it"},
	{"internal/bench", "is run as cresset bench"},
	{"internal/cli", "tests commands on simulated GPUs and builds one"},
	{"internal/conformance/onnxnode", "computes on the CPU alone"},
	{"internal/cublas", "calls a stub of the library"},
	{"internal/devicetest", "tests the tests"},
	{"internal/dl/dltest", "tests the tests"},
	{"internal/driver/sim", "tests simulated GPUs"},
	{"internal/gradcheck", "tests the tests"},
	{"internal/mpi", "calls libraries of MPI"},
	{"internal/nccl", "calls a stub of the library"},
	{"internal/nvml/sim", "tests simulated GPUs"},
	{"internal/selftest", "is run as cresset doctor --selftest"},
	{"internal/serve", "answers over HTTP, and computes on the CPU alone"},
	{"internal/statedict", "computes on the CPU alone"},
	{"internal/tour", "reads the source and runs on simulated GPUs"},
	{"internal/tui", "draws what it is given"},
	{"linalg", "factors matrices on the CPU alone"},
	{"models/gpt2", "trains on the CPU and on a simulated GPU"},
	{"models/resnet", "computes on the CPU alone"},
	{"nn/ddp", "trains ranks on simulated GPUs"},
	{"nn/fsdp", "trains ranks on simulated GPUs"},
	{"nn/nninit", "computes on the CPU alone"},
	{"nn/parallel", "needs eight GPUs, which it simulates"},
	{"nn/pipeline", "trains ranks on simulated GPUs"},
	{"nn/plan", "compares plans with simulated GPUs"},
	{"nn/quant", "the CPU alone computes with quantized weights"},
	{"nn/tp", "trains ranks on simulated GPUs"},
	{"text/generation", "reads the tokenizers' recordings beside it"},
	{"text/serving", "is compared with text/generation, on the CPU alone"},
	{"text/tokenizer", "computes on the CPU alone"},
	{"vision", "computes on the CPU alone"},
}

const maxBytes = 55e6

func buildCommand(args []string) error {
	flags := flag.NewFlagSet("hardware", flag.ContinueOnError)
	out := flags.String("o", "hardware.tar.gz", "write the archive to this `file`")
	arch := flags.String("arch", runtime.GOARCH, "of the machine it is for: amd64 or arm64")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "Usage: go run ./scripts/hardware [flags] [packages]\nPackages are named as in tensor or nn/plan; all that meet a GPU by default.")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	packages := flags.Args()
	if len(packages) == 0 {
		packages = suite
	}
	if *arch != "amd64" && *arch != "arm64" {
		return fmt.Errorf("-arch %s is neither amd64 nor arm64", *arch)
	}
	if _, err := os.Stat(filepath.Dir(*out)); err != nil { // which would show minutes later
		return fmt.Errorf("-o: %w", err)
	}
	dir, err := os.MkdirTemp("", "cresset-hardware")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := builder{dir: filepath.Join(dir, "cresset-hardware"), arch: *arch}
	if err := os.Mkdir(b.dir, 0o755); err != nil {
		return err
	}
	if err := b.build(packages); err != nil {
		return err
	}
	size, err := b.pack(*out)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %.1f MB\n", *out, float64(size)/1e6)
	if size > maxBytes {
		return fmt.Errorf("%s is larger than %.0f MB: name fewer packages", *out, maxBytes/1e6)
	}
	return nil
}

// builder fills a folder with what the archive is to hold.
type builder struct {
	source string // of the module
	dir    string
	arch   string
}

func (b *builder) build(packages []string) error {
	mod, err := b.output("go", "env", "GOMOD")
	if err != nil {
		return err
	}
	b.source = filepath.Dir(mod)
	k := kit{Platform: "linux/" + b.arch, Packages: packages, LeftOut: leftOut}
	if k.Go, err = b.output("go", "env", "GOVERSION"); err != nil {
		return err
	}
	k.Commit = b.commit()
	const strip = "-ldflags=-s -w"
	for name, pkg := range map[string]string{"hardware": "./scripts/hardware", "cresset": "./cmd/cresset"} {
		if _, err := b.output("go", "build", strip, "-o", filepath.Join(b.dir, name), pkg); err != nil {
			return err
		}
	}
	programs := []string{"cresset"}
	for _, p := range packages {
		if _, err := b.output("go", "test", "-c", strip, "-o", filepath.Join(b.dir, testBinary(p)), "./"+p); err != nil {
			return err
		}
		programs = append(programs, testBinary(p))
	}
	if k.Programs, err = packBinaries(b.dir, programs); err != nil {
		return err
	}
	text, err := json.MarshalIndent(k, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(b.dir, kitFile), text, 0o644); err != nil {
		return err
	}
	return b.copyData(packages)
}

// commit names the source.
func (b *builder) commit() string {
	commit, err := b.output("git", "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "unknown"
	}
	if changes, err := b.output("git", "status", "--porcelain"); err != nil || changes != "" {
		commit += "+changes"
	}
	return commit
}

// output runs a command for the kit's machine and returns what it prints.
func (b *builder) output(name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir = b.source
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+b.arch)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// copyData copies what tests read: the testdata folders of the whole module, since some read those of others, and the
// chosen packages' own files but for assembly.
func (b *builder) copyData(packages []string) error {
	return filepath.WalkDir(b.source, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(b.source, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		hidden := strings.HasPrefix(d.Name(), ".") && rel != "."
		switch dir := path.Dir(rel); {
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.IsDir() && d.Name() == "testdata":
			if err := os.CopyFS(filepath.Join(b.dir, "tests", rel), os.DirFS(name)); err != nil {
				return err
			}
			return fs.SkipDir
		case d.Type().IsRegular() && !hidden && slices.Contains(packages, dir) && path.Ext(rel) != ".s":
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(b.dir, "tests", rel), text, 0o644)
		}
		return nil
	})
}

// pack writes the folder and its name as an archive and returns its size.
func (b *builder) pack(out string) (size int64, err error) {
	file, err := os.Create(out)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	zip, err := gzip.NewWriterLevel(file, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	archive := tar.NewWriter(zip)
	err = archive.AddFS(os.DirFS(filepath.Dir(b.dir)))
	for _, c := range []io.Closer{archive, zip} {
		if err == nil {
			err = c.Close()
		}
	}
	if err != nil {
		return 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), file.Close()
}
